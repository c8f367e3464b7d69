// Whether a task that the index of waiting tasks names still waits.
import { isTerminalTask } from '../model/status.js';
import { parseTaskId, type TaskId } from '../std/ids.js';
import type { OperationContext } from './context.js';

/** False for a task that has ended, that is gone, or whose id is none. */
export async function isOpenTask(
  executions: Pick<OperationContext['executions'], 'read'>,
  taskId: TaskId,
): Promise<boolean> {
  const target = parseTaskId(taskId);
  if (target === undefined) return false;
  const seen = await executions.read(target.executionId, (open) => {
    const task = open.byNumber.get(target.taskNumber);
    return task !== undefined && !isTerminalTask(task.status);
  });
  return seen === true;
}
