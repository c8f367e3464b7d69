// Removes an execution and all its records for good (contract-core 10, semantics 1.5.9). With
// `archiveWorkflow` one that still runs is terminated first, with its children, so that nothing of
// it goes on. Without it the records are removed as they are. Children are never removed.
import { AppError } from '../model/errors.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { OperationContext } from './context.js';
import { terminateWorkflow } from './control-workflow.js';
import { noSuchWorkflow } from './refusals.js';

/** Throws AppError 'not-found'. */
export async function removeWorkflow(
  context: OperationContext,
  id: string,
  archiveWorkflow: boolean,
): Promise<void> {
  const status = await context.executions.read(id, (open) => open.execution.state.status);
  if (status === undefined) throw noSuchWorkflow(id);
  if (archiveWorkflow && !isTerminalWorkflow(status)) await terminateIfRunning(context, id);
  await context.executions.remove(id);
}

/** It may end by itself before the command arrives. */
async function terminateIfRunning(context: OperationContext, id: string): Promise<void> {
  try {
    await terminateWorkflow(context, id, {
      reason: 'Removed while it was running',
      triggerFailureWorkflow: false,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
  }
}

/** Terminates, then removes. Throws AppError 'conflict' for a COMPLETED one. */
export async function terminateAndRemoveWorkflow(
  context: OperationContext,
  id: string,
  options: { reason: string | undefined; archiveWorkflow: boolean },
): Promise<void> {
  await terminateWorkflow(context, id, { reason: options.reason, triggerFailureWorkflow: false });
  await removeWorkflow(context, id, options.archiveWorkflow);
}
