// Removes an execution and all its records for good (contract-core 10, semantics 1.5.9). With
// `archiveWorkflow` one that still runs is terminated first, with its children, so that nothing of
// it goes on. Without it the records are removed as they are. Children are never removed.
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

/** Throws AppError 'not-found'. */
export async function removeWorkflow(
  context: OperationContext,
  control: Control,
  { id, archiveWorkflow }: RemoveWorkflow,
): Promise<void> {
  await requireExecutionRight(context, control.caller, 'EXECUTE', id);
  const status = await context.executions.read(id, (open) => open.execution.state.status);
  if (status === undefined) throw noSuchWorkflow(id);
  if (archiveWorkflow && !isTerminalWorkflow(status))
    await terminateIfRunning(context, control, id);
  await context.executions.remove(id);
}

/** It may end by itself before the command arrives. */
async function terminateIfRunning(
  context: OperationContext,
  control: Control,
  id: string,
): Promise<void> {
  const reason = control.reason ?? 'Removed while it was running';
  try {
    await terminateWorkflow(context, { ...control, reason }, { id, triggerFailureWorkflow: false });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
  }
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
