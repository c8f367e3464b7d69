// Starts an execution from name, version and input alone (contract-core 8.2, POST
// /workflow/{name}): another text for an unknown definition and for a priority out of bounds than
// the full form.
import type { ExecutionId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { priorityMax, type StartWorkflowRequest } from '../model/parse-start-request.js';
import type { OperationContext } from './context.js';
import { violated } from './refusals.js';
import { startWorkflow } from './start-workflow.js';

/** Contract-core 8.1. Throws AppError as `startWorkflow`. */
export async function startWorkflowByName(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
): Promise<ExecutionId> {
  const { name, version } = request;
  checkPriority(request);
  if (context.definitions.exactDef(name, version) === undefined)
    await context.definitions.refresh();
  if (context.definitions.exactDef(name, version) === undefined) {
    throw new AppError(
      'not-found',
      `No such workflow found by name: ${name}, version: ${version ?? null}`,
    );
  }
  return startWorkflow(context, caller, request);
}

/** Throws AppError 'validation' for a priority out of bounds, in the form of a start by name. */
export function checkPriority({ priority }: StartWorkflowRequest): void {
  if (priority >= 0 && priority <= priorityMax) return;
  const rule = priority < 0 ? '0 is the minimum' : `${priorityMax} is the maximum`;
  throw violated('startWorkflow.arg3', `${rule} priority value`, String(priority));
}
