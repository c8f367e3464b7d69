// reset-callbacks (semantics 1.5.4): worker tasks that wait out a delay are handed out at once. The
// attempt in the queue is withdrawn and another one, of the next reopenCount number, is queued
// without a delay.
import { isTerminalWorkflow } from '../../model/status.js';
import { taskPart } from '../decision.js';
import { withdraw } from '../records.js';
import { refused } from '../reopen.js';
import { isWorkerTask } from '../task-kinds.js';
import { ok, type CommandHandler } from './contract.js';

export const resetCallbacks: CommandHandler<'reset-callbacks'> = (t) => {
  const { status } = t.execution.state;
  if (isTerminalWorkflow(status)) {
    return refused('conflict', `Workflow is in terminal state. Status = ${status}`);
  }
  for (const task of t.open.openTasks) {
    if (task.status !== 'SCHEDULED' || !isWorkerTask(task)) continue;
    if (task.callbackAfterSeconds <= 0 && task.callbackAfterMs <= 0) continue;
    withdraw(t, task);
    task.reopenCount++;
    task.callbackAfterSeconds = 0;
    task.callbackAfterMs = 0;
    t.touch(task, taskPart.record);
    t.open.arm(task);
    t.emit({ kind: 'schedule', task });
  }
  return ok;
};
