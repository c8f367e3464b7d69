// An execution at a moment, out of the times that its records keep: a task is shown scheduled from
// its schedule on, running from its start, and ended from its end. The status of the execution
// comes from its end and from pauses in its history. Ends of earlier runs of a retried execution
// are not recorded; it is shown running then.
import type { HistoryEntry } from '../../api/types';
import type { Outline, TaskRow } from './outline';

export interface Moment {
  /** Epoch ms. */
  readonly at: number;
  readonly what: string;
}

/** All moments at which something changed, in order. */
export function momentsOf(
  { head, tasks }: Outline,
  history: readonly HistoryEntry[],
): readonly Moment[] {
  const moments: Moment[] = [{ at: head.startTime, what: 'the execution started' }];
  for (const { referenceTaskName: ref, ...task } of tasks) {
    moments.push({ at: task.scheduledTime, what: `${ref} was scheduled` });
    moments.push({ at: task.startTime, what: `${ref} started` });
    moments.push({ at: task.endTime, what: `${ref} ended as ${task.status}` });
  }
  for (const { time, action } of history) moments.push({ at: time, what: `somebody: ${action}` });
  if (head.endTime > 0) moments.push({ at: head.endTime, what: `it ended as ${head.status}` });
  return moments.filter(({ at }) => at > 0).sort((a, b) => a.at - b.at);
}

export function outlineAt(outline: Outline, history: readonly HistoryEntry[], at: number): Outline {
  const there = outline.tasks.filter(({ scheduledTime }) => scheduledTime <= at);
  const attempts = new Map<string, number>();
  for (const task of there) {
    attempts.set(keyOf(task), Math.max(task.retryCount, attempts.get(keyOf(task)) ?? 0));
  }
  const isLast = (task: TaskRow): boolean => attempts.get(keyOf(task)) === task.retryCount;
  const tasks = there.map((task) => taskAt(task, isLast(task), at));
  const head = { ...outline.head, ...headAt(outline, history, at) };
  return { ...outline, tasks, head, shownAt: at };
}

const keyOf = (task: TaskRow): string => `${task.referenceTaskName} ${task.iteration}`;

function taskAt(task: TaskRow, isLast: boolean, at: number): TaskRow {
  if (task.endTime > 0 && task.endTime <= at) return { ...task, retried: task.retried && !isLast };
  const hasStarted = task.startTime > 0 && task.startTime <= at;
  return {
    ...task,
    status: hasStarted ? 'IN_PROGRESS' : 'SCHEDULED',
    startTime: hasStarted ? task.startTime : 0,
    ...{ endTime: 0, retried: false, reasonForIncompletion: null },
    workerId: hasStarted ? task.workerId : null,
  };
}

function headAt(
  { head }: Outline,
  history: readonly HistoryEntry[],
  at: number,
): Partial<Outline['head']> {
  if (head.endTime > 0 && head.endTime <= at) return {};
  const turns = history.filter(
    ({ time, action }) => time <= at && (action === 'pause' || action === 'resume'),
  );
  const status = turns.at(-1)?.action === 'pause' ? 'PAUSED' : 'RUNNING';
  return { status, endTime: 0, updateTime: at };
}
