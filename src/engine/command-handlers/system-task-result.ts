// system-task-result: the server has run a task that does I/O, or has begun to (semantics 4.0.2).
import { isTerminalTask, isTerminalWorkflow } from '../../model/status.js';
import { taskPart } from '../decision.js';
import { isLargerThan } from '../mapping.js';
import { endTask } from '../records.js';
import { isServerTask } from '../task-kinds.js';
import { runLater } from '../task-types/delayed-start.js';
import { ok, type CommandHandler } from './contract.js';

export const systemTaskResult: CommandHandler<'system-task-result'> = (t, command) => {
  const task = t.open.byNumber.get(command.taskNumber);
  if (task?.reopenCount !== command.reopenCount || !isServerTask(task))
    return { kind: 'not-wanted' };
  if (isTerminalTask(task.status) || isTerminalWorkflow(t.execution.state.status)) {
    return { kind: 'not-wanted' };
  }
  const { result } = command;
  const startAt = command.startedAt ?? t.now;
  if (task.startAt === 0) task.startAt = startAt;
  if (task.firstStartAt === 0) task.firstStartAt = startAt;
  task.pollCount++;
  task.callbackAfterSeconds = result.callbackAfterSeconds;
  task.callbackAfterMs = 0;
  if (result.workerId !== undefined) task.workerId = result.workerId;
  if (result.reasonForIncompletion === undefined) task.reason = undefined;
  else task.reason = result.reasonForIncompletion;
  const { taskPayloadBytesMax } = t.context.limits;
  if (isLargerThan(result.output, taskPayloadBytesMax)) {
    const reason = `The output of the task is larger than ${taskPayloadBytesMax} bytes`;
    endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
    return ok;
  }
  if (result.status !== 'IN_PROGRESS') {
    endTask(t, task, { status: result.status, output: result.output });
    return ok;
  }
  task.status = 'IN_PROGRESS';
  task.output = result.output;
  task.updateAt = t.now;
  t.touch(task, taskPart.record | taskPart.output);
  if (result.callbackAfterSeconds > 0) runLater(t, task, result.callbackAfterSeconds * 1000);
  else t.open.arm(task);
  return ok;
};
