// system-task-started and system-task-result: the server runs a task that does I/O (semantics
// 4.0.2).
//
// That a run has begun is not worth a commit: IN_PROGRESS and the start time stay in memory until
// the task's next commit. A new owner finds the record SCHEDULED and runs it again, whatever was
// begun.
import type { Task } from '../../model/execution.js';
import { isTerminalTask, isTerminalWorkflow } from '../../model/status.js';
import { taskPart } from '../decision.js';
import { excessOfPayload } from '../mapping.js';
import { outsideNote } from '../notes.js';
import { endTask, setNotes } from '../records.js';
import { publishState } from '../state-changes.js';
import { isServerTask } from '../task-kinds.js';
import { runLater } from '../task-types/delayed-start.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler } from './contract.js';

export const systemTaskStarted: CommandHandler<'system-task-started'> = (t, command) => {
  const task = runningTask(t, command);
  if (task === undefined) return { kind: 'not-wanted' };
  const { startedAt } = command;
  const isFirst = task.status === 'SCHEDULED';
  task.status = 'IN_PROGRESS';
  noteStart(task, startedAt);
  task.updateAt = t.now;
  task.callbackAfterSeconds = 0;
  task.callbackAfterMs = 0;
  // The timeout counts from now, and its timer has to be durable.
  if ((task.config.taskDefinition?.timeoutSeconds ?? 0) > 0) t.touch(task, taskPart.record);
  t.open.arm(task);
  if (isFirst) publishState(t, task, 'onStart');
  return ok;
};

export const systemTaskResult: CommandHandler<'system-task-result'> = (t, command) => {
  const task = runningTask(t, command);
  if (task === undefined) return { kind: 'not-wanted' };
  const { result } = command;
  noteStart(task, command.startedAt ?? t.now);
  task.pollCount++;
  task.callbackAfterSeconds = result.callbackAfterSeconds;
  task.callbackAfterMs = 0;
  if (result.workerId !== undefined) task.workerId = result.workerId;
  if (result.reasonForIncompletion === undefined) task.reason = undefined;
  else task.reason = result.reasonForIncompletion;
  const { limits } = t.context;
  const excess = excessOfPayload(result.output, limits.taskPayloadBytesMax, limits);
  if (excess !== undefined) {
    const reason = `The output of the task is ${excess}`;
    endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
    return ok;
  }
  if (result.status !== 'IN_PROGRESS') {
    endTask(t, task, { status: result.status, output: result.output });
    return ok;
  }
  const isFirst = task.status === 'SCHEDULED';
  task.status = 'IN_PROGRESS';
  task.output = result.output;
  task.updateAt = t.now;
  // Nothing has told of the start of a type that is not shown as running.
  if (isFirst) publishState(t, task, 'onStart');
  t.touch(task, taskPart.record | taskPart.output);
  if (result.callbackAfterSeconds > 0) runLater(t, task, result.callbackAfterSeconds * 1000);
  else {
    setNotes(t, task, { [outsideNote]: true });
    t.open.arm(task);
  }
  return ok;
};

/** The task, if the command means an attempt that is still open. */
function runningTask(
  t: Transition,
  attempt: { taskNumber: number; reopenCount: number },
): Task | undefined {
  const task = t.open.byNumber.get(attempt.taskNumber);
  if (task?.reopenCount !== attempt.reopenCount || !isServerTask(task)) return undefined;
  const isOver = isTerminalTask(task.status) || isTerminalWorkflow(t.execution.state.status);
  return isOver ? undefined : task;
}

function noteStart(task: Task, startedAt: number): void {
  if (task.startAt === 0) task.startAt = startedAt;
  if (task.firstStartAt === 0) task.firstStartAt = startedAt;
}
