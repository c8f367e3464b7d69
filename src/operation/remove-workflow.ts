// Removes an execution and all its records for good (contract-core 10, semantics 1.5.9). With
// `archiveWorkflow` one that still runs is terminated first, with its children, so that nothing of
// it goes on, and it is archived where that is on (setting `archive`). Without it the records are
// removed as they are. Children are never removed. One that is in the archive only goes from there.
import type { ExecutionId } from '../std/ids.js';
import { requireOnExecution } from '../access/execution-rights.js';
import type { NameOwner } from '../model/name-registration.js';
import type { Control } from '../model/caller.js';
import { AppError, noSuchWorkflow } from '../model/errors.js';
import { isTerminalWorkflow, type WorkflowStatus } from '../model/status.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { viewOf } from '../shard/named-views.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { terminateWorkflow } from './control-workflow.js';
import { workflowView } from './get-workflow.js';

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
  const seen = await context.executions.read(id, statusAndId);
  if (seen === undefined) return await removeFromArchive(context, control, id);
  if (archiveWorkflow) {
    if (!isTerminalWorkflow(seen.status)) {
      const reason = control.reason ?? 'Removed while it was running';
      await terminateUnlessCompleted(context, { ...control, reason }, id);
    }
    await archive(context, seen);
  }
  await context.removeFiles(seen.id);
  await context.executions.remove(id);
}

const statusAndId = ({ execution }: OpenExecution): Seen => ({
  status: execution.state.status,
  id: execution.id,
  nameOwner: execution.attributes.nameOwner,
});

interface Seen {
  readonly status: WorkflowStatus;
  readonly id: ExecutionId;
  readonly nameOwner: NameOwner | undefined;
}

/** Where archiving is on. */
async function archive(context: OperationContext, { id, nameOwner }: Seen): Promise<void> {
  if (context.archive === undefined) return;
  const shown = { includeTasks: true, now: context.clock.now() };
  const text = await context.executions.read(id, viewOf(workflowView, shown));
  if (text !== undefined) await context.archive.putText(id, text, nameOwner);
}

/** Throws AppError 'not-found', 'forbidden'. */
async function removeFromArchive(
  context: OperationContext,
  { caller }: Control,
  id: string,
): Promise<void> {
  const archived = await context.archive?.workflow(id);
  if (archived === undefined) throw noSuchWorkflow(id);
  requireOnExecution(context.access, caller, 'EXECUTE', archived.owned, id);
  await context.archive?.remove(id);
}

/** One that runs may end by itself before the command arrives. */
async function terminateUnlessCompleted(
  context: OperationContext,
  control: Control,
  id: string,
): Promise<void> {
  try {
    await terminateWorkflow(context, control, { id, triggerFailureWorkflow: false });
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

/** The same in a list of ids: a COMPLETED one is removed as it is (contract-core 11). */
export async function removeEvenIfCompleted(
  context: OperationContext,
  control: Control,
  removal: RemoveWorkflow,
): Promise<void> {
  await terminateUnlessCompleted(context, control, removal.id);
  await removeWorkflow(context, control, removal);
}
