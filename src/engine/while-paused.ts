// What goes on while an execution is PAUSED (observed): a pause holds the flow back, not what the
// server waits for. A WAIT ends at its time and a JOIN whose branches have all succeeded completes;
// what follows them waits for the resume.
import type { Task } from '../model/execution.js';
import { isSuccessfulTask, isTerminalTask } from '../model/status.js';
import { deadlineOf } from './deadlines.js';
import { hasJoinScript, joinRefsOf, type OpenExecution } from './open-execution.js';
import { endTask } from './records.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Ends the open WAITs and JOINs of a paused execution that have nothing left to wait for. */
export function runWhilePaused(t: Transition): void {
  for (const task of t.open.openTasks) {
    if (task.taskType === 'WAIT') endWait(t, task);
    else if (task.taskType === 'JOIN' && isJoined(t.open, task)) {
      taskTypeOf(task).execute?.(t, task);
    }
  }
}

function endWait(t: Transition, task: Task): void {
  const at = deadlineOf(task, 'wait');
  if (at === 0 || t.now < at) return;
  task.pollCount++;
  endTask(t, task, { status: 'COMPLETED' });
}

function isJoined(open: OpenExecution, join: Task): boolean {
  if (hasJoinScript(join)) return false;
  return joinRefsOf(join).every((ref) => {
    const last = open.lastByRef(ref);
    return last !== undefined && isTerminalTask(last.status) && isSuccessfulTask(last.status);
  });
}
