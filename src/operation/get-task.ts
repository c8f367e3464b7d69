// Reads one task by its id, which names its execution (contract-core 15.4).
import { parseTaskId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { present } from '../model/record-reader.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import { taskShown } from '../access/execution-rights.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { cutTaskText } from './cut-task.js';
import { taskText } from './execution-view.js';

/** JSON text of the Task; null: the execution has none of this number. `now`: epoch ms. */
export const taskView: NamedView<
  { taskNumber: number; now: number; bytesMax?: number },
  string | null
> = {
  name: 'task',
  view: (open, { taskNumber, now, bytesMax }) => {
    const task = open.byNumber.get(taskNumber);
    if (task === undefined) return null;
    return bytesMax === undefined
      ? taskText(open, task, now)
      : cutTaskText(open, task, { bytesMax, now });
  },
};

/**
 * JSON text of the Task; with `bytesMax` each payload that is longer is cut. Throws AppError
 * 'not-found'.
 */
export async function getTask(
  context: OperationContext,
  caller: Caller,
  taskId: string,
  bytesMax?: number,
): Promise<string> {
  if (bytesMax !== undefined && bytesMax < 0)
    throw new AppError('bad-request', 'bytes: at least 0');
  const target = parseTaskId(taskId);
  if (target !== undefined) {
    const { executionId } = target;
    await requireExecutionRight(context, caller, 'READ', executionId, taskShown(taskId));
  }
  const now = context.clock.now();
  const text =
    target &&
    (await context.executions.read(
      target.executionId,
      viewOf(taskView, { taskNumber: target.taskNumber, now, ...present({ bytesMax }) }),
    ));
  if (text === undefined || text === null)
    throw new AppError('not-found', `Task not found for taskId: ${taskId}`);
  return text;
}
