// A worker's report about one attempt (contract-core 15.1, 15.3, semantics 5.4). The task id names
// its execution, so this is one command to that execution's single writer; logs are kept beside it.
import { parseTaskId, type ExecutionId, type TaskId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError, noSuchWorkflow } from '../model/errors.js';
import type { TaskExecLog, TaskUpdate } from '../model/parse-task-result.js';
import { Payload } from '../model/payload.js';
import { taskShown } from '../access/execution-rights.js';
import { requireReportRight } from './access.js';
import type { OperationContext } from './context.js';
import { appendTaskLog } from './task-logs.js';

/**
 * Resolves when the report is durable; a report on a task or execution that has ended is accepted
 * and ignored, or with `onlyIfOpen` refused as 'conflict'. Throws AppError 'not-found' for an
 * unknown task or execution.
 */
export async function updateTask(
  context: OperationContext,
  caller: Caller,
  update: TaskUpdate,
  onlyIfOpen = false,
): Promise<void> {
  const own = ownTaskOf(update);
  const { executionId, taskNumber } = own ?? (await otherTaskOf(context, update));
  // The caller named the execution only where it is the task's own.
  const shown = own === undefined ? taskShown(update.taskId) : undefined;
  const mayReport = requireReportRight(context, caller, executionId, { taskNumber }, shown);
  if (mayReport !== undefined) await mayReport;
  const outside = withStoredOutput(context, update.result);
  const command = {
    kind: 'update-task',
    task: { taskNumber },
    result: outside === undefined ? update.result : await outside,
    mergeOutput: false,
  } as const;
  const reply = await context.executions.command(executionId, command, { caller });
  if (reply.kind !== 'updated' || reply.task === undefined) throw noSuchTask(update.taskId);
  if (reply.ignored && onlyIfOpen) {
    const message = `The task ${update.taskId} has ended already, so nothing has changed`;
    throw new AppError('conflict', message);
  }
  const { status, workerId } = update.result;
  if (status !== 'IN_PROGRESS' && !reply.ignored) {
    context.workers?.reported(workerId, status !== 'COMPLETED');
  }
  if (update.logs.length > 0 && !reply.ignored && !update.result.extendLease) {
    await appendTaskLog(context, update.taskId as TaskId, stamped(context, update.logs));
  }
}

/** With the output that a worker has put outside, if it has (contract-core 13.2). */
function withStoredOutput(
  { payloads }: OperationContext,
  result: TaskUpdate['result'],
): Promise<TaskUpdate['result']> | undefined {
  const path = result.externalOutputPayloadStoragePath;
  if (path === undefined || !result.output.isEmpty) return undefined;
  return payloads
    .read(path, 'externalOutputPayloadStoragePath')
    .then((output) => ({ ...result, output: Payload.of(output) }));
}

export interface TaskTarget {
  readonly executionId: ExecutionId;
  readonly taskNumber: number;
}

/** The task of an update whose two ids belong together; undefined when they do not. */
export function ownTaskOf(update: TaskUpdate): TaskTarget | undefined {
  const target = parseTaskId(update.taskId);
  if (target === undefined || target.taskNumber === 0) return undefined;
  return target.executionId === update.workflowInstanceId ? target : undefined;
}

/**
 * The task of an update that names another execution than the task's own: the execution must be
 * there, the task id decides (the reference does so, and a client that ends a SUB_WORKFLOW task may
 * send the child's id). Throws AppError 'not-found' for an unknown execution, and for a text that
 * is no task id.
 */
export async function otherTaskOf(
  context: OperationContext,
  update: TaskUpdate,
): Promise<TaskTarget> {
  const { workflowInstanceId, taskId } = update;
  const known = await context.executions.read(workflowInstanceId, () => true);
  if (known === undefined) throw noSuchWorkflow(workflowInstanceId);
  const target = parseTaskId(taskId);
  if (target === undefined || target.taskNumber === 0) throw noSuchTask(taskId);
  return target;
}

export function noSuchTask(taskId: string): AppError {
  return new AppError('not-found', `No such task found by id: ${taskId}`);
}

/** Entries keep their own time when the worker gave one (contract-core 4.6). */
function stamped(context: OperationContext, logs: readonly TaskExecLog[]): TaskExecLog[] {
  const now = context.clock.now();
  return logs.map((entry) => (entry.createdTime > 0 ? entry : { ...entry, createdTime: now }));
}
