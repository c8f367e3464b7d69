// When a task is next to be looked at: timeouts (semantics 2.4, 2.5), the end of a WAIT, the
// delayed start of a system task. All computed from the record, nothing kept beside it. Moments are
// epoch ms, 0 = never.
//
// The response timeout of a worker's attempt is kept by the queue with the lease and comes back as
// `end-lease`; only a lease handed over in a commit (`task.lease`) and the types that say so
// (`hasResponseTimeout`) are timed here.
import type { SparseSet } from '../std/sparse.js';
import type { Execution, Task } from '../model/execution.js';
import { isTerminalTask } from '../model/status.js';
import { notesOf } from './notes.js';

export type DeadlineKind = 'total' | 'task' | 'poll' | 'response' | 'timer' | 'run';

/** In the order in which they are checked (semantics 2.5). */
export const deadlineKinds: readonly DeadlineKind[] = [
  'total', 'task', 'poll', 'response', 'timer', 'run',
]; // prettier-ignore

/** The facts of a task's type that its deadlines depend on, besides its record and definition. */
export interface TimedType {
  /** When the type itself acts on an open record; 0 = never. */
  timerAt(task: Task): number;
  /** Whether the engine ends the record when the definition's response timeout is over. */
  readonly hasResponseTimeout: boolean;
}

export function deadlineOf(task: Task, type: TimedType, kind: DeadlineKind): number {
  if (isTerminalTask(task.status)) return 0;
  const def = task.config.taskDefinition;
  switch (kind) {
    case 'total': {
      const seconds = def?.totalTimeoutSeconds ?? 0;
      return seconds > 0 && task.firstScheduledAt > 0 ? task.firstScheduledAt + seconds * 1000 : 0;
    }
    case 'task': {
      const seconds = def?.timeoutSeconds ?? 0;
      return seconds > 0 && task.startAt > 0
        ? task.startAt + (task.startDelaySeconds + seconds) * 1000
        : 0;
    }
    case 'poll': {
      const seconds = def?.pollTimeoutSeconds ?? 0;
      return seconds > 0 && task.status === 'SCHEDULED'
        ? task.scheduledAt + (task.startDelaySeconds + seconds + task.callbackAfterSeconds) * 1000
        : 0;
    }
    case 'response':
      return responseDeadline(task, type);
    case 'timer':
      return type.timerAt(task);
    case 'run':
      return delayedStartAt(task);
  }
}

/** The earliest deadline of a task, leaving out those in `alerted` (`number:kind`). */
export function earliestDeadline(task: Task, type: TimedType, alerted: SparseSet<string>): number {
  let earliest = 0;
  for (const kind of deadlineKinds) {
    const at = deadlineOf(task, type, kind);
    if (at === 0 || (earliest !== 0 && at >= earliest)) continue;
    if (alerted.size > 0 && alerted.has(`${task.number}:${kind}`)) continue;
    earliest = at;
  }
  return earliest;
}

function responseDeadline(task: Task, type: TimedType): number {
  if (task.status !== 'IN_PROGRESS') return 0;
  if (task.lease !== undefined) return task.lease.endAt;
  const seconds = task.config.taskDefinition?.responseTimeoutSeconds ?? 0;
  if (seconds <= 0 || !type.hasResponseTimeout) return 0;
  return Math.max(task.updateAt, task.startAt) + (seconds + task.callbackAfterSeconds) * 1000;
}

/**
 * When a task of the engine or the server starts that waits out a start or retry delay, or when the
 * server looks at it again; 0 = it does not wait.
 */
export function delayedStartAt(task: Task): number {
  const due = notesOf(task)['runAt'];
  return typeof due === 'number' && !isTerminalTask(task.status) ? due : 0;
}

/** Moment of the workflow timeout (semantics 2.4). */
export function workflowDeadline(execution: Execution): number {
  const seconds = execution.snapshot.def.timeoutSeconds;
  if (seconds <= 0) return 0;
  const { lastRetriedTime, createTime } = execution.state;
  return (lastRetriedTime > 0 ? lastRetriedTime : createTime) + seconds * 1000;
}
