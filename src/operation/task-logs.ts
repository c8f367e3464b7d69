// Log lines of a task (contract-core 15.4). Whether a task exists is not checked with an error:
// lines for an unknown one are dropped.
import { parseTaskId, type TaskId } from '../std/ids.js';
import type { TaskLogEntry } from '../store/task-log-store.js';
import type { OperationContext } from './context.js';

/** Appends one line, stamped with the current time. */
export async function addTaskLog(
  context: OperationContext,
  taskId: string,
  log: string,
): Promise<void> {
  const target = parseTaskId(taskId);
  if (target === undefined) return;
  const known = await context.executions.read(target.executionId, (open) =>
    open.byNumber.has(target.taskNumber),
  );
  if (known !== true) return;
  const createdTime = context.clock.now();
  await context.taskLogs.append(taskId as TaskId, [{ log, taskId, createdTime }]);
}

/** Lines of a task by their time, which workers may give; none for an unknown one. */
export async function listTaskLogs(
  context: OperationContext,
  taskId: string,
): Promise<TaskLogEntry[]> {
  if (parseTaskId(taskId) === undefined) return [];
  const logs = await context.taskLogs.list(taskId as TaskId);
  return [...logs].sort((a, b) => a.createdTime - b.createdTime);
}
