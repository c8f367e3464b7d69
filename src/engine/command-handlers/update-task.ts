// update-task (semantics 5.4): a worker's or caller's report about a task of any type.
import type { Task, TaskResult } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import { isTerminalTask, isTerminalWorkflow } from '../../model/status.js';
import { AppError } from '../../model/errors.js';
import { type ExecutionId, taskIdOf } from '../../std/ids.js';
import type { TaskSelector } from '../command.js';
import { taskPart, type Reply } from '../decision.js';
import { outputOf } from '../derived-payloads.js';
import { excessOfPayload } from '../mapping.js';
import { isDerived } from '../notes.js';
import { openTaskNamed } from '../open-tasks.js';
import { endTask, setNotes } from '../records.js';
import { taskOutputViolation } from '../schema-checks.js';
import { withoutSecrets } from '../secret-rules.js';
import { taskTypeOf } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import type { CommandHandler } from './contract.js';

export const updateTask: CommandHandler<'update-task'> = (t, command) => {
  const task = selectTask(t, command.task);
  if (task === undefined) {
    if ('ref' in command.task) return { kind: 'updated', task: undefined, ignored: true };
    const id = taskIdOf(t.execution.id, command.task.taskNumber);
    return { kind: 'refused', error: new AppError('not-found', `No such task found by id: ${id}`) };
  }
  return reportTask(t, task, command.result, command.mergeOutput);
};

/** By number, or the first non-terminal one by reference (semantics 5.4, "By reference"). */
function selectTask(t: Transition, selector: TaskSelector): Task | undefined {
  if ('taskNumber' in selector) return t.open.byNumber.get(selector.taskNumber);
  return openTaskNamed(t.open, selector.ref, selector.iteration);
}

/** Takes a report about a task. Terminal tasks and ended executions ignore it (semantics 2.7.3). */
export function reportTask(
  t: Transition,
  task: Task,
  given: TaskResult,
  mergeOutput: boolean,
): Reply {
  if (isTerminalTask(task.status) || isTerminalWorkflow(t.execution.state.status)) {
    return { kind: 'updated', task, ignored: true };
  }
  if (given.extendLease) {
    extendLease(t, task);
    return { kind: 'updated', task, ignored: false };
  }
  const result = withoutSecrets(t, task, given);
  takeFields(task, result, mergeOutput);
  const output = outputAfter(t, task, result, mergeOutput);
  if (typeof output === 'string') return refuseOutput(t, task, output);
  if (result.status === 'IN_PROGRESS') keepRunning(t, task, output);
  else {
    if (isDerived(task)) setNotes(t, task, { derived: undefined });
    const reason = result.status === 'COMPLETED' ? unfitOutput(t, task, output) : undefined;
    if (reason === undefined) endTask(t, task, { status: result.status, output });
    else endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason, output });
  }
  return { kind: 'updated', task, ignored: false };
}

/**
 * A merging report (by reference, signal) keeps what it does not give (semantics 4.13, observed).
 */
function takeFields(task: Task, result: TaskResult, merge: boolean): void {
  if (result.reasonForIncompletion !== undefined) task.reason = result.reasonForIncompletion;
  else if (!merge) task.reason = undefined;
  if (result.workerId !== undefined) task.workerId = result.workerId;
  else if (!merge) task.workerId = undefined;
  // The child of a SUB_WORKFLOW is the engine's to say.
  if (!merge && taskTypeOf(task).role !== 'sub-workflow') {
    if (result.subWorkflowId) task.subWorkflowId = result.subWorkflowId as ExecutionId;
    else task.subWorkflowId = undefined;
  }
  if (!merge) {
    task.callbackAfterSeconds = result.callbackAfterSeconds;
    task.callbackAfterMs = 0;
  }
  if (result.executionMetadata !== undefined) task.executionMetadata = result.executionMetadata;
  if (result.externalOutputPayloadStoragePath !== undefined) {
    task.externalOutputPayloadStoragePath = result.externalOutputPayloadStoragePath;
  }
}

/** A text: how it is beyond a limit. */
function outputAfter(
  t: Transition,
  task: Task,
  result: TaskResult,
  merge: boolean,
): Payload | string {
  let output = result.output;
  if (merge) {
    const before = outputOf(t.open, task);
    if (output.isEmpty) output = before;
    else if (!before.isEmpty) output = Payload.of({ ...before.value, ...output.value });
  }
  const { limits } = t.context;
  return excessOfPayload(output, limits.taskPayloadBytesMax, limits) ?? output;
}

/** Why the output does not match the schema of the task's definition; undefined when it does. */
function unfitOutput(t: Transition, task: Task, output: Payload): string | undefined {
  // An output that is stored elsewhere is not here to be checked.
  if (task.externalOutputPayloadStoragePath || !taskTypeOf(task).hasSchemas) return undefined;
  return taskOutputViolation(t, task, output);
}

function refuseOutput(t: Transition, task: Task, excess: string): Reply {
  endTask(t, task, {
    status: 'FAILED_WITH_TERMINAL_ERROR',
    reason: `The output of the task is ${excess}`,
    output: Payload.empty,
  });
  return { kind: 'updated', task, ignored: false };
}

/** A worker task goes back to its queue, a system task stays as it is (semantics 5.4.5, 4.13). */
function keepRunning(t: Transition, task: Task, output: Payload): void {
  task.output = output;
  task.updateAt = t.now;
  if (isDerived(task)) setNotes(t, task, { derived: undefined });
  t.touch(task, taskPart.record | taskPart.output);
  taskTypeOf(task).progressReported(t, task);
  t.open.arm(task);
}

/** Nothing but updateTime changes; the lease gets its full length again (semantics 5.4.2). */
function extendLease(t: Transition, task: Task): void {
  task.updateAt = t.now;
  const seconds = task.responseTimeoutSeconds;
  if (task.lease !== undefined) {
    task.lease = { ...task.lease, endAt: seconds > 0 ? t.now + seconds * 1000 : 0 };
  } else if (taskTypeOf(task).carriedOutBy === 'worker' && task.status === 'IN_PROGRESS') {
    t.emit({ kind: 'extend', task });
  }
  t.touch(task, taskPart.record);
  t.open.arm(task);
}
