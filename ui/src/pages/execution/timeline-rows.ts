// Rows, segments and moments of the timeline. A row is a task with all its attempts; an attempt has
// up to three segments: the delay before it may be handed out, which is that of a retry mostly, its
// wait in the queue, and its run.
import { ranMs, type TaskRow } from './outline';

export interface TimelineRow {
  readonly name: string;
  /** In their order; never empty. */
  readonly attempts: readonly TaskRow[];
  readonly last: TaskRow;
}

/** The attempts at one task stand in one row, at the place of the first of them. */
export function rowsOf(tasks: readonly TaskRow[]): readonly TimelineRow[] {
  const byName = new Map<string, TaskRow[]>();
  for (const task of tasks) {
    const row = byName.get(task.referenceTaskName);
    if (row === undefined) byName.set(task.referenceTaskName, [task]);
    else row.push(task);
  }
  return [...byName].map(([name, attempts]) => ({
    ...{ name, attempts, last: attempts.at(-1) as TaskRow },
  }));
}

/** How long all attempts waited, and how long they ran, ms; absent: none has begun. */
export function sumsOf(
  attempts: readonly TaskRow[],
  until: number,
): { readonly waitedMs: number; readonly ranMs?: number } {
  let waitedMs = 0;
  let sum: number | undefined;
  for (const task of attempts) {
    for (const { kind, since, till } of segmentsOf(task, until)) {
      if (kind === 'waits') waitedMs += till - since;
    }
    const ran = ranMs(task, until);
    if (ran !== undefined) sum = (sum ?? 0) + ran;
  }
  return { waitedMs, ...(sum === undefined ? {} : { ranMs: sum }) };
}

export interface Segment {
  readonly kind: 'delayed' | 'waits' | 'runs';
  readonly verb: string;
  /** Epoch ms, as `till`. */
  readonly since: number;
  readonly till: number;
}

/** The parts of an attempt's time, in order; parts that took no time are left out. */
export function segmentsOf(task: TaskRow, until: number): readonly Segment[] {
  const { scheduledTime, startDelaySeconds, startTime } = task;
  const endedAt = task.endTime || until;
  const startedAt = startTime || endedAt;
  const dueAt = Math.min(startedAt, scheduledTime + startDelaySeconds * 1000);
  const all: readonly Segment[] = [
    { kind: 'delayed', verb: 'held back', since: scheduledTime, till: dueAt },
    { kind: 'waits', verb: 'waited', since: dueAt, till: startedAt },
    { kind: 'runs', verb: 'ran', since: startedAt, till: endedAt },
  ];
  return all.filter(({ kind, since, till }) => till > since || (kind === 'runs' && startTime > 0));
}

const tickSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const secondSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600];

/** Moments of the axis, ms from the start; none whose words would stand over the end. */
export function ticksOf(totalMs: number, ticksMax: number): readonly number[] {
  const least = totalMs / ticksMax;
  const steps = [...tickSteps, ...secondSteps.map((seconds) => seconds * 1000)];
  const step = steps.find((each) => each >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  const many = Math.floor((totalMs - 0.6 * least) / step);
  return Array.from({ length: Math.max(0, many) + 1 }, (_, index) => index * step);
}

/**
 * Attempts that nothing could have been faster without: from the one that ended last, back to
 * whatever ended last before each began. A fork waits for nothing of its own branches.
 */
export function criticalPath(tasks: readonly TaskRow[]): ReadonlySet<string> {
  const ended = tasks
    .filter(({ endTime, taskType }) => endTime > 0 && !/^(?:FORK|DO_WHILE)/.test(taskType))
    .sort((a, b) => a.endTime - b.endTime);
  const path = new Set<string>();
  let until = Number.POSITIVE_INFINITY;
  for (const task of ended.reverse()) {
    if (task.endTime > until) continue;
    path.add(task.taskId);
    until = task.scheduledTime;
  }
  return path;
}
