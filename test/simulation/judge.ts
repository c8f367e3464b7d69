// The judgement of a simulation after everything should have ended: by the checks of the torture
// test from what clients saw, and by what the store still holds.
import { readDue } from '../../src/redis/codec/scores.js';
import { checkExecution, type KnownTasks } from '../torture/check-execution.js';
import { checkHandOuts } from '../torture/check-hand-outs.js';
import {
  groupByTask,
  type HandOutRecord,
  type Journal,
  type StartRecord,
} from '../torture/journal.js';
import type { Cluster } from './simulate.js';
import { finalStatuses, type WireTask, type WireWorkflow } from '../../testkit/wire.js';
import { judgeEvents } from './events.js';
import type { MemoryRedis } from './store/memory-redis.js';
import { startOfTime } from './scheduler.js';
import { checkUnwritable, unwritableName } from './unwritable.js';
import type { Workload } from './workload.js';
import {
  limitedAtOnce,
  limitedType,
  pacedType,
  paceMs,
  pacePerWindow,
  placesPerSide,
  roomedName,
} from './workload-definitions.js';

/** What a crash kept from a queue comes out with the end of its lease and the next sweep. */
const leftoversMs = 40_000;
/** The end of a lease is carried out within so long. */
const leaseEndsWithinMs = 1500;

export async function judge(cluster: Cluster): Promise<string[]> {
  const { workload } = cluster;
  const { journal } = workload;
  const left = cluster.isDone ? await findLeftovers(cluster) : [];
  // What a failover has undone was acknowledged by a store that could not keep it.
  const lost = cluster.store.lostSince.map(({ from, until }) => ({
    from: from - startOfTime,
    until: until - startOfTime,
  }));
  if (lost.length > 0) forgetLost(workload, lost);
  const known = knownTasksOf(journal);
  const found = [...journal.violations, ...cluster.store.watch.violations];
  if (lost.length === 0) {
    // The other repairs follow from owners that could not be asked in time.
    const pushed = cluster.repairs.filter((what) => what === 'pushed');
    found.push(...pushed.map(() => 'a queue had lost a task'));
  }
  if (!workload.isDone) {
    found.push(`not everything has ended: ${[...workload.open.keys()].join(', ')}`);
  }
  // A start of unknown outcome may begin while this judges.
  const starts = journal.starts.filter(({ workflowId }) => workflowId !== undefined);
  if (lost.length === 0) {
    found.push(...(await checkSchedules(cluster)), ...checkRooms(workload));
    found.push(...(await checkEvents(cluster)));
  }
  if (cluster.outside) found.push(...(await cluster.outside.judge((id) => workload.read(id))));
  found.push(...checkHandOuts(journal), ...checkLimit(workload), ...checkPace(cluster));
  found.push(...checkStarts(journal));
  found.push(...cluster.handOuts.violations, ...(cluster.punctual?.violations ?? []));
  for (const start of starts) {
    found.push(...(await checkStart(cluster, start, known, lost.length > 0)));
  }
  workload.end();
  return found.length === 0 ? left : found;
}

/** A stretch of time whose writes a failover has undone, ms of the journal. */
interface Lost {
  readonly from: number;
  readonly until: number;
}

/**
 * What was acknowledged for a write that a failover has undone counts as never answered; the answer
 * may have been under way when the failover came. A hand-out of that time is gone together with its
 * task, whose id another task may get: the worker's report then means that one. A hand-out that had
 * ended by then, by its report or its lease, may be repeated under the same id.
 */
function forgetLost({ journal, sentAt }: Workload, losses: readonly Lost[]): void {
  const isLost = (sent: number | undefined, answered: number | undefined): boolean =>
    answered !== undefined &&
    losses.some(({ from, until }) => answered >= from && (sent ?? answered) <= until);
  const undone = new Set<object>();
  for (const record of [...journal.reports, ...journal.starts]) {
    if (!isLost(sentAt.get(record), record.acknowledgedAt)) continue;
    forget(record);
    undone.add(record);
  }
  const lost = new Set(
    journal.handOuts.filter(({ askedAt, receivedAt }) => isLost(askedAt, receivedAt)),
  );
  const misledTasks = new Set<string>();
  for (const { taskId, report } of lost) {
    // Another worker may have got the task too, and its report counts.
    if (report) forget(report);
    if (report?.status === 'IN_PROGRESS') misledTasks.add(taskId);
  }
  const hasEnded = ({ receivedAt, askedAt, leaseMs, report }: HandOutRecord): boolean =>
    (report !== undefined && undone.has(report)) ||
    losses.some(
      ({ from, until }) =>
        askedAt + leaseMs <= until && receivedAt + leaseMs + leaseEndsWithinMs >= from,
    );
  const kept = journal.handOuts.filter(
    (handOut) => !lost.has(handOut) && !misledTasks.has(handOut.taskId) && !hasEnded(handOut),
  );
  journal.handOuts.splice(0, journal.handOuts.length, ...kept);
}

function forget(record: { outcome: string; acknowledgedAt?: number }): void {
  record.outcome = 'unknown';
  delete record.acknowledgedAt;
}

function knownTasksOf(journal: Journal): KnownTasks {
  const reports = groupByTask(journal.reports);
  const handOuts = groupByTask(journal.handOuts);
  return {
    reportsOf: (taskId) => reports.get(taskId) ?? [],
    handOutsOf: (taskId) => handOuts.get(taskId) ?? [],
  };
}

/**
 * At no moment more workers than the limit held a task that they had not reported. A report names
 * the task alone: one of an earlier worker that had no answer yet may end the hand-out of a later
 * one at any time.
 */
function checkLimit({ journal, sentAt }: Workload): string[] {
  const reports = groupByTask(journal.reports);
  const mayEndEarly = ({ taskId, askedAt, report }: HandOutRecord): boolean =>
    (reports.get(taskId) ?? []).some(
      (other) =>
        other !== report && (other.outcome === 'unknown' || (sentAt.get(other) ?? 0) >= askedAt),
    );
  const held = journal.handOuts
    .filter((handOut) => handOut.taskType === limitedType && !mayEndEarly(handOut))
    .map((handOut) => ({ from: handOut.receivedAt, until: endOf(handOut) }));
  const most = mostAtOnce(held);
  return most > limitedAtOnce ? [`${most} tasks of ${limitedType} were held at once`] : [];
}

/**
 * Hand-outs of the type with a rate (invariants I9). What counts is when the queue gave them away:
 * answers that were under way for long may reach workers all at once.
 */
function checkPace({ workload, store }: Cluster): string[] {
  const moments = workload.journal.handOuts
    .filter(({ taskType }) => taskType === pacedType)
    .flatMap(({ taskId, receivedAt }) => {
      return store.watch.takenAt(taskId, receivedAt + startOfTime) ?? [];
    })
    .sort((a, b) => a - b);
  const isCrowded = moments.some((at, i) => at - (moments[i - pacePerWindow] ?? 0) < paceMs);
  return isCrowded ? [`too many tasks of ${pacedType} were handed out in a window`] : [];
}

interface Stretch {
  readonly from: number;
  readonly until: number;
}

function mostAtOnce(stretches: readonly Stretch[]): number {
  const changes = stretches
    .flatMap(({ from, until }) => [
      { at: from, change: 1 },
      { at: until, change: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.change - b.change);
  let [now, most] = [0, 0];
  for (const { change } of changes) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

/** At no moment more executions than there are places had begun and could not have ended. */
function checkRooms({ journal, sides }: Workload): string[] {
  const begun = new Map<string, Stretch[]>();
  for (const { workflowId, workflowName, correlationId } of journal.starts) {
    if (workflowName !== roomedName || workflowId === undefined) continue;
    const handOuts = journal.handOuts.filter((handOut) => handOut.workflowId === workflowId);
    if (handOuts.length === 0) continue;
    const side = sides.get(correlationId) ?? '';
    begun.set(side, [...(begun.get(side) ?? []), stretchOf(handOuts)]);
  }
  return [...begun].flatMap(([side, stretches]) => {
    const most = mostAtOnce(stretches);
    return most > placesPerSide ? [`${most} executions of the room ${side} ran at once`] : [];
  });
}

/** From its first hand-out until somebody reports its last task, or has it for the last time. */
function stretchOf(handOuts: readonly HandOutRecord[]): Stretch {
  const received = handOuts.map(({ receivedAt }) => receivedAt);
  const ends = handOuts.flatMap(({ ref, report }) =>
    ref === 'last' && report ? [report.firstSentAt] : [],
  );
  return {
    from: Math.min(...received),
    until: ends.length > 0 ? Math.min(...ends) : Math.max(...received),
  };
}

/** The slot is free from when the report may have arrived, or the lease may have ended. */
function endOf({ askedAt, receivedAt, leaseMs, report }: HandOutRecord): number {
  return Math.max(receivedAt, Math.min(report?.firstSentAt ?? Infinity, askedAt + leaseMs - 500));
}

function checkStarts(journal: Journal): string[] {
  const ids = new Map<string, number>();
  for (const { workflowId } of journal.starts) {
    if (workflowId !== undefined) ids.set(workflowId, (ids.get(workflowId) ?? 0) + 1);
  }
  return [...ids]
    .filter(([, count]) => count > 1)
    .map(([id, count]) => `execution ${id} is the answer to ${count} different starts`);
}

async function checkStart(
  cluster: Cluster,
  start: StartRecord,
  known: KnownTasks,
  hasFailover: boolean,
): Promise<string[]> {
  const id = start.workflowId as string;
  const workflow = await cluster.workload.read(id);
  if (workflow === undefined) {
    if (hasFailover && start.outcome !== 'acknowledged') return [];
    return [`execution ${id} of start ${start.start} is gone`];
  }
  // A report of what the failover has undone may meet the task that took its place, so of such a
  // run only the end is judged.
  if (hasFailover) return checkEnd(workflow);
  if (workflow.workflowName === unwritableName) return checkUnwritable(workflow);
  const found = checkExecution(workflow, start.endsAs, known);
  for (const task of workflow.tasks) {
    if (task.taskType !== 'SUB_WORKFLOW') continue;
    const child = await cluster.workload.read(task.subWorkflowId ?? '');
    if (child === undefined) found.push(`child ${task.subWorkflowId} of ${id} is gone`);
    else {
      found.push(...checkExecution(child, 'COMPLETED', known));
      if (child.parentWorkflowId !== id) found.push(`child ${child.workflowId} has another parent`);
    }
  }
  return found;
}

/** A failover may undo a run that the leader believes to be done. */
async function checkSchedules({ schedules, store, workload }: Cluster): Promise<string[]> {
  if (!schedules.isDone(store.redis)) return ['the scheduler has not come to its last due time'];
  return await schedules.judge(store.redis, async (id) => (await workload.read(id))?.status);
}

async function checkEvents({ hasEvents, store, workload }: Cluster): Promise<string[]> {
  return hasEvents ? await judgeEvents(store.redis, async (id) => workload.read(id)) : [];
}

function checkEnd({ workflowId, status, tasks }: WireWorkflow): string[] {
  const isOpen = ({ status: of }: WireTask): boolean => of === 'SCHEDULED' || of === 'IN_PROGRESS';
  if (finalStatuses.has(status) && !tasks.some(isOpen)) return [];
  return [`${workflowId} is ${status} with ${tasks.filter(isOpen).length} open tasks`];
}

/**
 * When everything has ended no queue holds anything, nothing is dirty, nothing will wake, no place
 * is taken. Workers go on polling: what a stuck push put into a queue too late is removed when a
 * poll meets it, and a stuck start of which nobody knows is worked off.
 */
async function findLeftovers(cluster: Cluster): Promise<string[]> {
  const { workload, scheduler } = cluster;
  let left: string[] = [];
  for (const endAt = scheduler.now + leftoversMs; scheduler.now < endAt;) {
    left = leftovers(cluster);
    if (left.length === 0 && cluster.isDone) return [];
    await workload.pause(1000);
  }
  return left;
}

/**
 * A place whose end a failover has undone is freed when another execution waits for it
 * (shard/execution-permits.ts); until then it harms nobody.
 */
function leftovers({ store }: Cluster): string[] {
  const { redis, lostSince } = store;
  const left = lostSince.length > 0 ? neverLeft : neverLeftInOrder;
  // What waited for a call, and ended otherwise, leaves its index with the next one.
  const held = redis.keys.filter((key) => left.test(key) && !key.includes('{wh}'));
  return [...held.map((key) => `${key} still holds something`), ...unfinished(redis)];
}

/** Whatever has ended goes when its retention is over: nothing stands as open any more. */
function unfinished(redis: MemoryRedis): string[] {
  const sets = redis.keys.filter((key) => /\{p\d+\}:due$/.test(key));
  return sets.flatMap((key) => {
    const entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') as string[];
    return entries.flatMap((id, i) =>
      i % 2 === 0 && readDue(Number(entries[i + 1])).state === 'open'
        ? [`the execution ${id} stands as open`]
        : [],
    );
  });
}

const neverLeftInOrder = /:(ready|hidden|leases|ends|dirty|waiting|untold|taken|asked)\b/;
const neverLeft = /:(ready|hidden|leases|ends|dirty|waiting|untold)\b/;
