// Ends a WAIT task from outside (contract-core 18.4, /queue/update): by reference name or by task
// id, at once. Unknown executions and tasks are not an error of the caller.
import { parseTaskId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError, isNotFound } from '../model/errors.js';
import type { JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import type { TaskSelector } from '../engine/command.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { parseTaskStatus } from './get-workflow.js';

/** Statuses that can be set this way. */
export const updateQueues = { COMPLETED: 'direct', FAILED: 'direct' } as const;

export interface UpdateWaitTask {
  readonly workflowId: string;
  readonly task: { readonly ref: string } | { readonly taskId: string };
  readonly status: string;
  readonly output: JsonMap;
}

/** Throws AppError 'bad-request' for a status that cannot be set. */
export async function updateWaitTask(
  context: OperationContext,
  caller: Caller,
  update: UpdateWaitTask,
): Promise<void> {
  const status = parseTaskStatus(update.status);
  if (status !== 'COMPLETED' && status !== 'FAILED') {
    throw new AppError('bad-request', `There is no queue for handling ${status} status`);
  }
  const task = selectorOf(update);
  if (task === undefined) return;
  await requireExecutionRight(context, caller, 'EXECUTE', update.workflowId);
  const output = Payload.of(update.output);
  const result = { status, output, callbackAfterSeconds: 0, extendLease: false };
  const command = { kind: 'update-task', task, result, mergeOutput: true } as const;
  try {
    await context.executions.command(update.workflowId, command, { caller });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function selectorOf(update: UpdateWaitTask): TaskSelector | undefined {
  if ('ref' in update.task) return { ref: update.task.ref };
  const target = parseTaskId(update.task.taskId);
  if (target === undefined || target.executionId !== update.workflowId) return undefined;
  return { taskNumber: target.taskNumber };
}
