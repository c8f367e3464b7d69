// Updates variables and one task of an execution, then waits like execute (contract-core 14.4).
import type { Control } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { WorkflowStateUpdate } from '../model/control-requests.js';
import type { OperationContext } from './context.js';
import { controlWorkflow, updateVariables } from './control-workflow.js';
import { waitAndRespond, type SynchronousCall } from './execute-workflow.js';

/**
 * Resolves with the JSON text of the execution (WorkflowRun). Throws AppError 'not-found' for
 * execution or task, 'conflict' when it has ended.
 */
export async function updateState(
  context: OperationContext,
  control: Control,
  update: WorkflowStateUpdate & { readonly id: string },
  call: Omit<SynchronousCall, 'strategy' | 'caller'>,
): Promise<string> {
  const { id, variables } = update;
  if (variables !== undefined) await updateVariables(context, control, { id, variables });
  if (update.task !== undefined) {
    const { taskReferenceName, taskResult } = update.task;
    const reply = await controlWorkflow(context, control, id, {
      kind: 'update-task',
      task: { ref: taskReferenceName },
      result: taskResult,
      mergeOutput: true,
    });
    if (reply.kind !== 'updated' || reply.task === undefined) {
      throw new AppError(
        'not-found',
        `Found no running task ${taskReferenceName} of workflow ${id} to update`,
      );
    }
  }
  return waitAndRespond(context, id, {
    ...call,
    caller: control.caller,
    strategy: 'TARGET_WORKFLOW',
  });
}
