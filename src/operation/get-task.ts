// Reads one task by its id, which names its execution (contract-core 15.4).
import { parseTaskId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { taskText } from './execution-view.js';

/** JSON text of the Task; null: the execution has none of this number. `now`: epoch ms. */
export const taskView: NamedView<{ taskNumber: number; now: number }, string | null> = {
  name: 'task',
  view: (open, { taskNumber, now }) => {
    const task = open.byNumber.get(taskNumber);
    return task === undefined ? null : taskText(open, task, now);
  },
};

/** JSON text of the Task. Throws AppError 'not-found'. */
export async function getTask(
  context: OperationContext,
  caller: Caller,
  taskId: string,
): Promise<string> {
  const target = parseTaskId(taskId);
  if (target !== undefined) {
    await requireExecutionRight(context, caller, 'READ', target.executionId);
  }
  const now = context.clock.now();
  const text =
    target &&
    (await context.executions.read(
      target.executionId,
      viewOf(taskView, { taskNumber: target.taskNumber, now }),
    ));
  if (text === undefined || text === null)
    throw new AppError('not-found', `Task not found for taskId: ${taskId}`);
  return text;
}
