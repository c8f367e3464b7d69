// Statistics of the task queues: their contents, their pollers, and why a queue does not move.
import type { ValueOf } from '../../model/schema.js';
import type { Caller } from '../../model/caller.js';
import type { PollData } from '../../store/queue-store.js';
import type { OperationContext } from '../../operation/context.js';
import { toQueue } from '../../operation/poll-tasks.js';
import type { queueStatsSchema } from './overview-schemas.js';
import { perMinute, type PerMinute } from './rates.js';
import {
  allQueueSizes,
  listPollData,
  queueOfName,
  type QueueSize,
} from '../../operation/queue-sizes.js';

export type QueueStats = ValueOf<typeof queueStatsSchema>;
/** How many tasks of a type run, over all domains that the caller may see, and how many may. */
type LimitUse = NonNullable<QueueStats['limit']>;

/** A worker that has not polled for this long counts as gone. */
const silentAfterMs = 60_000;

/** Leases of one queue that are read to tell how many each worker holds. */
const leasesReadMax = 1000;

/** Of the queues that the caller may see. `known`: where it has been asked already. */
export async function queueStats(
  context: OperationContext,
  caller: Caller,
  known?: PerMinute,
): Promise<QueueStats[]> {
  const rates = known ?? (await perMinute(context, caller));
  const [sizes, polls] = await Promise.all([
    allQueueSizes(context, caller),
    listPollData(context, caller, undefined),
  ]);
  const [oldest, held] = await Promise.all([
    oldestReadyTimes(context, sizes),
    heldByWorker(context, sizes),
  ]);
  const now = context.clock.now();
  const queues = new Map<string, { waiting: number; leased: number }>(
    sizes.map(({ name, waiting, leased }) => [name, { waiting, leased }]),
  );
  for (const poll of polls) {
    const name = poll.domain === undefined ? poll.queueName : `${poll.domain}:${poll.queueName}`;
    if (!queues.has(name)) queues.set(name, { waiting: 0, leased: 0 });
  }
  return [...queues].map(([name, size]) => {
    const { taskType, domain } = queueOfName(name);
    const ofType = polls.filter(({ queueName }) => queueName === taskType);
    const workers = ofType
      .filter((poll) => (poll.domain ?? '') === domain)
      .map(({ workerId = '', lastPollTime }) => {
        const leased = size.leased === 0 ? 0 : heldBy(held.get(name), workerId);
        return { workerId, lastPollTime, ...(leased === undefined ? {} : { leased }) };
      })
      .sort((a, b) => b.lastPollTime - a.lastPollTime);
    const definition = context.definitions.taskDef(taskType);
    const hasDefinition = definition !== undefined;
    const oldestReadyTime = oldest.get(name);
    const runMs = rates.runMs({ taskType, domain });
    const max = definition?.concurrentExecLimit ?? 0;
    const limit = max === 0 ? undefined : { used: leasedOf(queues, taskType), max };
    return {
      ...{ taskType, domain, ...size, workers, hasDefinition },
      perMinute: rates.queue({ taskType, domain }),
      ...(runMs === undefined ? {} : { runMs }),
      ...(oldestReadyTime === undefined ? {} : { oldestReadyTime }),
      ...(limit === undefined ? {} : { limit }),
      ...diagnose({ waiting: size.waiting, limit, domain, workers, ofType, now }),
    };
  });
}

/** By name, of those queues where a task could be handed out. */
async function oldestReadyTimes(
  { queueStore }: OperationContext,
  sizes: readonly QueueSize[],
): Promise<Map<string, number>> {
  const names = sizes.filter(({ waiting }) => waiting > 0).map(({ name }) => name);
  if (names.length === 0) return new Map();
  const queues = names.map(queueOfName).map(({ taskType, domain }) => toQueue(taskType, domain));
  const times = await queueStore.oldestReady(queues);
  return new Map(
    names.flatMap((name, i) => {
      const at = times[i];
      return at === undefined ? [] : [[name, at] as const];
    }),
  );
}

/** Tasks that each worker holds, by name of the queue; of those queues that are counted. */
async function heldByWorker(
  { queueStore }: OperationContext,
  sizes: readonly QueueSize[],
): Promise<Map<string, ReadonlyMap<string, number>>> {
  const counted = sizes.filter(({ leased }) => leased > 0 && leased <= leasesReadMax);
  const names = counted.map(({ name }) => name);
  const queues = names.map(queueOfName).map(({ taskType, domain }) => toQueue(taskType, domain));
  const held = await queueStore.heldByWorker(queues);
  return new Map(names.map((name, i) => [name, held[i] ?? new Map<string, number>()]));
}

/** `held`: undefined where it is not counted. */
function heldBy(
  held: ReadonlyMap<string, number> | undefined,
  workerId: string,
): number | undefined {
  return held === undefined ? undefined : (held.get(workerId) ?? 0);
}

interface Symptoms {
  readonly waiting: number;
  readonly limit: LimitUse | undefined;
  readonly domain: string;
  readonly workers: QueueStats['workers'];
  /** Polls for the type in any domain. */
  readonly ofType: readonly PollData[];
  /** Epoch ms. */
  readonly now: number;
}

type Diagnosis = Pick<QueueStats, 'kind' | 'reason' | 'moves'>;

const polled: Diagnosis = { reason: 'Workers poll it.', moves: '' };

function diagnose({ waiting, limit, domain, workers, ofType, now }: Symptoms): Diagnosis {
  const last = workers[0]?.lastPollTime ?? 0;
  if (waiting === 0) return { reason: 'No task waits.', moves: '' };
  if (now - last <= silentAfterMs) return limitFull(waiting, limit) ?? polled;
  const elsewhere = ofType.find(
    (poll) => (poll.domain ?? '') !== domain && now - poll.lastPollTime <= silentAfterMs,
  );
  const here = domain === '' ? 'without a domain' : `in domain '${domain}'`;
  if (elsewhere !== undefined) {
    const there = elsewhere.domain === undefined ? 'without one' : `'${elsewhere.domain}'`;
    return {
      kind: 'other-domain',
      reason: `${tasksWait(waiting)} ${here}, but the workers poll the domain ${there}.`,
      moves: 'a worker that polls this domain, or another taskToDomain at the start',
    };
  }
  if (last === 0) {
    return {
      kind: 'no-worker',
      reason: `${tasksWait(waiting)} and no worker has polled for this type ${here}.`,
      moves: 'a worker that polls this task type',
    };
  }
  return {
    kind: 'silent-worker',
    reason: `${tasksWait(waiting)}; the last poll was ${Math.floor((now - last) / 60_000)} min ago.`,
    moves: 'the workers of this task type must run again',
  };
}

function limitFull(waiting: number, limit: LimitUse | undefined): Diagnosis | undefined {
  if (limit === undefined || limit.used < limit.max) return undefined;
  return {
    kind: 'limit-full',
    reason: `${tasksWait(waiting)}: as many run as may run at once, ${limit.max}.`,
    moves: 'one of the running tasks must end, or a higher concurrentExecLimit',
  };
}

function leasedOf(
  queues: ReadonlyMap<string, { readonly leased: number }>,
  taskType: string,
): number {
  let sum = 0;
  for (const [name, { leased }] of queues) {
    if (name === taskType || name.endsWith(`:${taskType}`)) sum += leased;
  }
  return sum;
}

function tasksWait(waiting: number): string {
  return waiting === 1 ? '1 task waits' : `${waiting} tasks wait`;
}
