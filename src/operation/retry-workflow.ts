// Retries the failed tasks of a finished execution (semantics 1.5.6), in place or, with
// `resumeSubworkflowTasks`, inside the failed child.
import type { Control } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { JsonMap } from '../model/json.js';
import { present } from '../model/record-reader.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { controlWorkflow } from './control-workflow.js';
import { missingWorkflow } from './archived-refusal.js';

export interface RetryWorkflow {
  readonly id: string;
  readonly resumeSubworkflowTasks: boolean;
  /**
   * False: refuse to retry a child whose task in the parent has a newer attempt (semantics 1.5.6).
   */
  readonly retryIfRetriedByParent: boolean;
  /** New inputs of tasks that are retried, by the reference name that their records show. */
  readonly taskInputs?: { [ref: string]: JsonMap };
}

/**
 * Resolves when its parents have been reopened. Throws AppError 'not-found' while it runs,
 * 'conflict' with nothing to retry, 'bad-request' for an input that cannot be taken: then nothing
 * has changed.
 */
export async function retryWorkflow(
  context: OperationContext,
  control: Control,
  { id, resumeSubworkflowTasks, retryIfRetriedByParent, taskInputs }: RetryWorkflow,
): Promise<void> {
  if (resumeSubworkflowTasks && taskInputs !== undefined) {
    throw new AppError(
      'bad-request',
      'taskInputs: not with resumeSubworkflowTasks; retry the child whose task failed instead',
    );
  }
  if (!retryIfRetriedByParent) await refuseSuperseded(context, control, id);
  const command = { kind: 'retry', resumeSubworkflowTasks, ...present({ taskInputs }) } as const;
  await controlWorkflow(context, control, id, command, { awaitDelivery: true });
}

async function refuseSuperseded(
  context: OperationContext,
  control: Control,
  id: string,
): Promise<void> {
  const parent = await context.executions.read(id, (open) => {
    const { parentWorkflowId, parentTaskNumber } = open.execution.attributes;
    return { parentWorkflowId, parentTaskNumber };
  });
  if (parent === undefined) throw await missingWorkflow(context, control.caller, id);
  await requireExecutionRight(context, control.caller, 'EXECUTE', id);
  const { parentWorkflowId, parentTaskNumber } = parent;
  if (parentWorkflowId === undefined || parentTaskNumber === undefined) return;
  const superseded = await context.executions.read(
    parentWorkflowId,
    (open) => open.byNumber.get(parentTaskNumber)?.retried ?? true,
  );
  if (superseded === true) {
    throw new AppError('conflict', `The parent of workflow ${id} has already retried it`);
  }
}
