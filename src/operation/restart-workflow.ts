// Restarts a finished execution under its id (semantics 1.5.5), with its own definition or with the
// latest registered one.
import { requireRight } from '../access/access-rules.js';
import type { Control } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { OperationContext } from './context.js';
import { ownedOf, requireExecutionRight, requireHeldName } from './access.js';
import { controlWorkflow } from './control-workflow.js';
import { missingWorkflow } from './archived-refusal.js';

/**
 * Resolves when its parents have been reopened. Throws AppError 'conflict' while it runs,
 * 'not-found' for id or definition, 'forbidden' also without EXECUTE on the latest definition.
 */
export async function restartWorkflow(
  context: OperationContext,
  control: Control,
  { id, useLatestDefinitions }: { id: string; useLatestDefinitions: boolean },
): Promise<void> {
  if (!useLatestDefinitions) {
    await controlWorkflow(context, control, id, { kind: 'restart' }, { awaitDelivery: true });
    return;
  }
  const owned = await context.executions.read(id, ({ execution }) => ownedOf(execution));
  if (owned === undefined) throw await missingWorkflow(context, control.caller, id);
  await requireExecutionRight(context, control.caller, 'EXECUTE', id);
  requireHeldName(context.access, control.caller, owned);
  const { name } = owned;
  // The starter of an inline definition may control it without any right on the name.
  requireRight(context.access, control.caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id: name });
  const def = context.definitions.workflowDef(name);
  if (def === undefined) {
    throw new AppError('not-found', `Unable to find latest definition for ${id}`);
  }
  const snapshot = context.definitions.snapshot(def);
  const command = { kind: 'restart', snapshot } as const;
  await controlWorkflow(context, control, id, command, { awaitDelivery: true });
}
