// Removes an execution and all its records for good (contract-core 10, semantics 1.5.9).
// `archiveWorkflow` keeps its meaning as a guard: only with it off may an execution that still runs
// be removed. Children stay.
import type { Control } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { isTerminalWorkflow } from '../model/status.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { terminateWorkflow } from './control-workflow.js';
import { noSuchWorkflow } from './refusals.js';

export interface RemoveWorkflow {
  readonly id: string;
  readonly archiveWorkflow: boolean;
}

/** Throws AppError 'not-found', and 'bad-request' when `archiveWorkflow` and it still runs. */
export async function removeWorkflow(
  context: OperationContext,
  { caller }: Control,
  { id, archiveWorkflow }: RemoveWorkflow,
): Promise<void> {
  await requireExecutionRight(context, caller, 'EXECUTE', id);
  const status = await context.executions.read(id, (open) => open.execution.state.status);
  if (status === undefined) throw noSuchWorkflow(id);
  if (archiveWorkflow && !isTerminalWorkflow(status)) {
    throw new AppError('bad-request', `Cannot archive workflow: ${id} with status: ${status}`);
  }
  await context.executions.remove(id);
}

/** Terminates, then removes. Throws AppError 'conflict' for a COMPLETED one. */
export async function terminateAndRemoveWorkflow(
  context: OperationContext,
  control: Control,
  removal: RemoveWorkflow,
): Promise<void> {
  const { id } = removal;
  await terminateWorkflow(context, control, { id, triggerFailureWorkflow: false });
  await removeWorkflow(context, control, removal);
}
