// Carries out the starts that executions ask for (outbox messages start-child and start-workflow):
// sub-workflows, START_WORKFLOW tasks and failure workflows (semantics 2.9, 4.10, 4.11). The id is
// derived by the sender, so a repeated message finds the execution that already exists.
import type { ExecutionId } from '../std/ids.js';
import { AppError } from '../model/errors.js';
import type { ChildStart, ExecutionAttributes } from '../model/execution.js';
import { Payload } from '../model/payload.js';
import type { WorkflowStatus } from '../model/status.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import type { ExecutionActor } from '../shard/execution-actor.js';
import type { Shards } from '../shard/shards.js';
import type { KnownDefinitions } from './context.js';
import { failedWorkflow } from './execution-view.js';

export interface DerivedStart {
  id: ExecutionId;
  request: ChildStart;
  sender: ExecutionActor;
  /** The sender's task that asked for it; undefined for a failure workflow. */
  taskNumber: number | undefined;
  /** Linked to the sender as its parent. */
  isChild: boolean;
}

export interface StartDerivedParts {
  executions: Shards;
  definitions: Omit<KnownDefinitions, 'exactDef' | 'prepareSnapshot'>;
  /** Depth of sub-workflows (invariants S18). */
  childDepthMax: number;
}

/**
 * Resolves with the id and status of what runs now. Rejects with AppError 'not-found' or
 * 'bad-request' when it can never start, 'conflict' when its idempotency key is taken.
 */
export async function startDerived(
  { executions, definitions, childDepthMax }: StartDerivedParts,
  start: DerivedStart,
): Promise<{ id: ExecutionId; status: WorkflowStatus }> {
  const { request, sender } = start;
  const depth = (sender.open.execution.attributes.depth ?? 0) + 1;
  if (depth > childDepthMax) {
    throw new AppError(
      'bad-request',
      `Workflows that start each other may be ${childDepthMax} deep at most (childDepthMax)`,
    );
  }
  const snapshot = definitions.snapshot(request.def ?? registered(definitions, request));
  const startRequest = {
    snapshot,
    attributes: attributesOf(start, depth),
    input: inputOf(start),
  };
  if (request.idempotencyKey) {
    const id = await executions.start({
      ...startRequest,
      idempotency: {
        key: request.idempotencyKey,
        strategy: request.idempotencyStrategy ?? 'FAIL',
      },
    });
    const status = await executions.read(id, (open) => open.execution.state.status);
    return { id, status: status ?? 'RUNNING' };
  }
  const actor = await executions.startDerived(start.id, startRequest);
  return { id: actor.id, status: actor.open.execution.state.status };
}

function registered(
  definitions: StartDerivedParts['definitions'],
  request: ChildStart,
): WorkflowDef {
  const def = definitions.workflowDef(request.name, request.version);
  if (def !== undefined) return def;
  throw new AppError(
    'not-found',
    `No such workflow defined. name=${request.name}, version=${request.version === 0 ? null : (request.version ?? null)}`,
  );
}

/** A failure workflow gets the failed execution too. */
function inputOf({ request, sender }: DerivedStart): Payload {
  const failed = request.failedWorkflow === true ? failedWorkflow(sender.open) : undefined;
  return failed === undefined
    ? request.input
    : Payload.of({ ...request.input.value, failedWorkflow: failed });
}

function attributesOf(start: DerivedStart, depth: number): ExecutionAttributes {
  const { request, sender } = start;
  return {
    priority: request.priority,
    taskToDomain: request.taskToDomain,
    depth,
    ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
    ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
    ...(request.idempotencyKey === undefined ? {} : { idempotencyKey: request.idempotencyKey }),
    ...(start.isChild && start.taskNumber !== undefined
      ? { parentWorkflowId: sender.id, parentTaskNumber: start.taskNumber }
      : { triggeredBy: sender.id }),
  };
}
