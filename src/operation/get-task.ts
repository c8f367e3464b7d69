// Reads one task by its id, which names its execution (contract-core 15.4).
import { parseTaskId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { taskText } from './execution-view.js';

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
    (await context.executions.read(target.executionId, (open) => {
      const task = open.byNumber.get(target.taskNumber);
      return task && taskText(open, task, now);
    }));
  if (text === undefined) throw new AppError('not-found', `Task not found for taskId: ${taskId}`);
  return text;
}
