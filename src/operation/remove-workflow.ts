// Removes an execution and all its records for good (contract-core 10, semantics 1.5.9).
// `archiveWorkflow` keeps its meaning as a guard: only with it off may an execution that still runs
// be removed. Children stay.
import { AppError } from '../model/errors.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { OperationContext } from './context.js';
import { terminateWorkflow } from './control-workflow.js';
import { noSuchWorkflow } from './refusals.js';

/** Throws AppError 'not-found', and 'bad-request' when `archiveWorkflow` and it still runs. */
export async function removeWorkflow(
  context: OperationContext,
  id: string,
  archiveWorkflow: boolean,
): Promise<void> {
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
  id: string,
  options: { reason: string | undefined; archiveWorkflow: boolean },
): Promise<void> {
  await terminateWorkflow(context, id, { reason: options.reason, triggerFailureWorkflow: false });
  await removeWorkflow(context, id, options.archiveWorkflow);
}
