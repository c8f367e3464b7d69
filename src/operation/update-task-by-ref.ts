// A report by reference name (contract-core 15.3, semantics 5.4): the first open task with that
// name, its output merged.
import { taskIdOf, parseExecutionId, type TaskId } from '../std/ids.js';
import type { Command } from '../engine/command.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import { AppError, isNotFound, noSuchWorkflow } from '../model/errors.js';
import type { JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { present } from '../model/record-reader.js';
import type { TaskResultStatus } from '../model/status.js';
import { requireReportRight } from './access.js';
import type { OperationContext } from './context.js';

export interface UpdateByRef {
  readonly workflowId: string;
  readonly ref: string;
  readonly status: TaskResultStatus;
  readonly output: JsonMap;
  readonly workerId?: string | undefined;
}

/**
 * Resolves with the task's id, undefined when nothing of that name is pending. Throws AppError
 * 'not-found' for an unknown execution.
 */
export async function updateTaskByRef(
  context: OperationContext,
  caller: Caller,
  update: UpdateByRef,
): Promise<TaskId | undefined> {
  const executionId = parseExecutionId(update.workflowId);
  if (executionId === undefined) throw noSuchWorkflow(update.workflowId);
  if (!isAdministrator(caller)) {
    await requireReportRight(context, caller, executionId, { ref: update.ref });
  }
  const command: Command = {
    kind: 'update-task',
    task: { ref: update.ref },
    result: {
      status: update.status,
      output: Payload.of(update.output),
      callbackAfterSeconds: 0,
      extendLease: false,
      ...present({ workerId: update.workerId }),
    },
    mergeOutput: true,
  };
  const reply = await context.executions.command(executionId, command, { caller });
  if (reply.kind !== 'updated' || reply.task === undefined) return undefined;
  return taskIdOf(executionId, reply.task.number);
}

/**
 * As `updateTaskByRef`, but nothing pending and an unknown execution are both AppError 'not-found'
 * (contract-core 15.3, /sync).
 */
export async function updatePendingTaskByRef(
  context: OperationContext,
  caller: Caller,
  update: UpdateByRef,
): Promise<TaskId> {
  let taskId: TaskId | undefined;
  try {
    taskId = await updateTaskByRef(context, caller, update);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  if (taskId !== undefined) return taskId;
  throw new AppError(
    'not-found',
    `Found no running task ${update.ref} of workflow ${update.workflowId} to update`,
  );
}
