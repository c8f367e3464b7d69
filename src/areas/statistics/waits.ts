// The longest waits: the queue whose task has waited longest, and the open human task that nobody
// has touched for longest. Both are the first entries of sorted sets, so they cost the same however
// much waits.
import type { Caller } from '../../model/caller.js';
import type { HumanState } from '../../model/human/human-entry.js';
import type { HumanTaskQuery, HumanTaskStore } from '../../store/human-task-store.js';
import { visibleTo } from '../../model/human/visible-to.js';
import type { Attention } from './attention.js';
import type { QueueStats } from './queue-stats.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A task of a worker that could be handed out for so long has waited for long. */
const queueWaitMs = minuteMs;
/** The same of a task of a person that nobody has claimed, saved or assigned anew. */
const humanWaitMs = dayMs;
const openStates: readonly HumanState[] = ['PENDING', 'ASSIGNED', 'IN_PROGRESS'];

/** `now`: epoch ms. */
export function longestQueueWait(queues: readonly QueueStats[], now: number): Attention[] {
  let longest: { queue: QueueStats; since: number } | undefined;
  for (const queue of queues) {
    const since = queue.oldestReadyTime;
    if (since === undefined || (longest !== undefined && longest.since <= since)) continue;
    longest = { queue, since };
  }
  if (longest === undefined || now - longest.since < queueWaitMs) return [];
  const { taskType, domain, waiting } = longest.queue;
  const place = domain === '' ? taskType : `${taskType} in domain '${domain}'`;
  const sentence = `Longest wait: a task in queue ${place}, for ${waitWord(now - longest.since)}`;
  return [{ kind: 'wait', count: waiting, sentence, taskType, domain, since: longest.since }];
}

/**
 * For callers who may see every human task: what others may see has to be looked for in the
 * entries.
 */
export async function longestHumanWait(
  store: Pick<HumanTaskStore, 'search'>,
  caller: Caller,
  now: number,
): Promise<Attention[]> {
  if (visibleTo(caller, 'ADMIN') !== undefined) return [];
  const open: Omit<HumanTaskQuery, 'start' | 'size'> = {
    ...{ states: openStates, assignees: [], claimants: [], definitionNames: [] },
    fits: undefined,
  };
  const { total } = await store.search({ ...open, start: 0, size: 0 });
  if (total === 0) return [];
  const { entries } = await store.search({ ...open, start: total - 1, size: 1 });
  const [oldest] = entries;
  if (oldest === undefined || now - oldest.updatedOn < humanWaitMs) return [];
  const { taskId, displayName, updatedOn } = oldest;
  const wait = waitWord(now - updatedOn);
  const sentence = `Tasks for people: nobody has touched ${displayName} for ${wait}`;
  return [{ kind: 'human', count: total, sentence, taskId, since: updatedOn }];
}

/** For the same callers: tasks for people that nobody has done in time. */
export async function overdueHumanTasks(
  store: Pick<HumanTaskStore, 'dueBefore'>,
  caller: Caller,
  now: number,
): Promise<Attention[]> {
  if (visibleTo(caller, 'ADMIN') !== undefined) return [];
  const { count, first } = await store.dueBefore(now);
  if (first?.dueTime === undefined) return [];
  const late = `${first.displayName} for ${waitWord(now - first.dueTime)}`;
  const sentence =
    count === 1 ? `Task for a person past due: ${late}` : `Tasks for people past due, ${late}`;
  return [{ kind: 'human-due', count, sentence, since: first.dueTime }];
}

/** Whole minutes, hours or days, so that the sentence seldom changes. */
function waitWord(ms: number): string {
  if (ms < 2 * hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)} h`;
  return `${Math.floor(ms / dayMs)} days`;
}
