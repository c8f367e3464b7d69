// When a task is next to be looked at: timeouts (semantics 2.4, 2.5), the end of a WAIT, the
// delayed start of a system task. All computed from the record, nothing kept beside it. Moments are
// epoch ms, 0 = never.
//
// The response timeout of a worker's attempt is kept by the queue with the lease and comes back as
// `end-lease`; only a lease handed over in a commit (`task.lease`) and HUMAN tasks are timed here.
import type { SparseSet } from '../std/sparse.js';
import type { Execution, Task } from '../model/execution.js';
import { isTerminalTask } from '../model/status.js';
import { isServerTask, isWorkerTask, notesOf } from './task-kinds.js';

export type DeadlineKind = 'total' | 'task' | 'poll' | 'response' | 'wait' | 'run';

/** In the order in which they are checked (semantics 2.5). */
export const deadlineKinds: readonly DeadlineKind[] = [
  'total', 'task', 'poll', 'response', 'wait', 'run',
]; // prettier-ignore

export function deadlineOf(task: Task, kind: DeadlineKind): number {
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
      return responseDeadline(task);
    case 'wait':
      return waitEnd(task);
    case 'run':
      return runAt(task);
  }
}

/** The earliest deadline of a task, leaving out those in `alerted` (`number:kind`). */
export function earliestDeadline(task: Task, alerted: SparseSet<string>): number {
  let earliest = 0;
  for (const kind of deadlineKinds) {
    const at = deadlineOf(task, kind);
    if (at === 0 || (earliest !== 0 && at >= earliest)) continue;
    if (alerted.size > 0 && alerted.has(`${task.number}:${kind}`)) continue;
    earliest = at;
  }
  return earliest;
}

function responseDeadline(task: Task): number {
  if (task.status !== 'IN_PROGRESS') return 0;
  if (task.lease !== undefined) return task.lease.endAt;
  const seconds = task.config.taskDefinition?.responseTimeoutSeconds ?? 0;
  if (seconds <= 0 || task.taskType !== 'HUMAN') return 0;
  return Math.max(task.updateAt, task.startAt) + (seconds + task.callbackAfterSeconds) * 1000;
}

/**
 * A WAIT ends strictly after its time (semantics 4.13); an IN_PROGRESS report may postpone the look
 * at it.
 */
function waitEnd(task: Task): number {
  if (task.taskType !== 'WAIT' || task.waitUntilAt === 0 || task.status !== 'IN_PROGRESS') return 0;
  const postponedUntil = notesOf(task)['postponedUntilAt'];
  return Math.max(task.waitUntilAt + 1, typeof postponedUntil === 'number' ? postponedUntil : 0);
}

/**
 * System tasks with a start or retry delay, and server-run ones that want another look, run at
 * their time.
 */
function runAt(task: Task): number {
  if (isWorkerTask(task)) return 0;
  const due = notesOf(task)['runAt'];
  if (typeof due !== 'number' || due === 0) return 0;
  return task.status === 'SCHEDULED' || isServerTask(task) ? due : 0;
}

/** Moment of the workflow timeout (semantics 2.4). */
export function workflowDeadline(execution: Execution): number {
  const seconds = execution.snapshot.def.timeoutSeconds;
  if (seconds <= 0) return 0;
  const { lastRetriedTime, createTime } = execution.state;
  return (lastRetriedTime > 0 ? lastRetriedTime : createTime) + seconds * 1000;
}
