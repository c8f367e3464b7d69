// Moves a running execution to another version of a definition (contract-core 14.3, semantics
// 1.5.11).
import { requireRight } from '../access/access-rules.js';
import type { Control } from '../model/caller.js';
import { AppError, isNotFound } from '../model/errors.js';
import type { UpgradeWorkflowRequest } from '../model/control-requests.js';
import { present } from '../model/record-reader.js';
import { ownedOf, requireExecutionRight, requireHeldName } from './access.js';
import type { OperationContext } from './context.js';
import { controlWorkflow } from './control-workflow.js';

/**
 * Throws AppError 'bad-request' for an unknown execution (semantics 1.5.11), 'not-found' for the
 * definition, 'conflict' when it has ended, 'forbidden' also where its name was registered anew.
 */
export async function upgradeWorkflow(
  context: OperationContext,
  control: Control,
  request: UpgradeWorkflowRequest & { readonly id: string },
): Promise<void> {
  const { id, name, version, taskOutput, workflowInput } = request;
  const def = context.definitions.workflowDef(name, version);
  if (def === undefined) {
    throw new AppError(
      'not-found',
      `No such workflow defined. name=${name}, version=${version ?? null}`,
    );
  }
  // A caller who moves an execution to a definition runs that definition.
  requireRight(context.access, control.caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id: def.name });
  const owned = await context.executions.read(id, ({ execution }) => ownedOf(execution));
  if (owned !== undefined) {
    await requireExecutionRight(context, control.caller, 'EXECUTE', id);
    requireHeldName(context.access, control.caller, owned);
  }
  const snapshot = context.definitions.snapshot(def);
  try {
    await controlWorkflow(context, control, id, {
      kind: 'upgrade',
      snapshot,
      taskOutput,
      ...present({ workflowInput }),
    });
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    throw new AppError('bad-request', `Invalid execution id: ${id}`, { cause });
  }
}
