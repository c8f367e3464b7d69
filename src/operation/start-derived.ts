// Carries out the starts that executions ask for (outbox messages start-child and start-workflow):
// sub-workflows, START_WORKFLOW tasks and failure workflows (semantics 2.9, 4.10, 4.11). The id is
// derived by the sender, so a repeated message finds the execution that already exists.
import type { ExecutionId } from '../std/ids.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { AppError } from '../model/errors.js';
import type { ChildStart, ExecutionAttributes } from '../model/execution.js';
import { Payload } from '../model/payload.js';
import type { WorkflowStatus } from '../model/status.js';
import { isRecorded, passedOn, taskContext } from '../model/task-trace.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import type { TraceContext } from '../telemetry/trace-context.js';
import type { DerivedStart, DerivedStarts, Executions } from '../shard/executions.js';
import type { KnownDefinitions } from './context.js';
import type { WorkflowUse } from './definitions/workflow-use.js';
import { failedWorkflow } from './execution-view.js';
import type { HeldQuotas } from './held-quotas.js';
import type { OpenQuotas } from './open-executions.js';
import type { StartQuotas } from './start-quotas.js';

export interface StartDerivedParts {
  readonly executions: Pick<Executions, 'start' | 'startAs' | 'read'>;
  readonly definitions: Omit<KnownDefinitions, 'exactDef' | 'prepareSnapshot' | 'refresh'>;
  readonly workflowUse: Pick<WorkflowUse, 'requireStart'>;
  /** Depth of sub-workflows (invariants S18). */
  readonly childDepthMax: number;
  /** Absent: orders wait for no quota. */
  readonly quotas?: StartQuotas;
  readonly open?: Pick<OpenQuotas, 'full'>;
  readonly held?: Pick<HeldQuotas, 'full'>;
}

/** Carries out the starts that executions order. */
export function createDerivedStarts(parts: StartDerivedParts): DerivedStarts {
  const { quotas, open, held } = parts;
  return {
    start: (order) => startDerived(parts, order),
    hold: (sender, { def, name }) =>
      quotas?.reserve(sender.execution.attributes.createdBy ?? '', def?.name ?? name),
    full: async ({ def, name: named, createdBy }) => {
      // A starter without a name is the administrator of a node without authentication.
      if (!createdBy) return undefined;
      const name = def?.name ?? named;
      return held?.full(createdBy, name) ?? (await open?.full(createdBy, name));
    },
  };
}

async function startDerived(
  { executions, definitions, workflowUse, childDepthMax }: StartDerivedParts,
  start: DerivedStart,
): Promise<{ id: ExecutionId; status: WorkflowStatus }> {
  const { request, sender } = start;
  const depth = (sender.execution.attributes.depth ?? 0) + 1;
  if (depth > childDepthMax) {
    throw new AppError(
      'bad-request',
      `Workflows that start each other may be ${childDepthMax} deep at most (childDepthMax)`,
    );
  }
  const def = request.def ?? registered(definitions, request);
  try {
    workflowUse.requireStart(sender.execution, request);
  } catch (error) {
    // An order that is repeated after the right was lost may have been carried out before.
    const status = await executions.read(start.id, statusOf);
    if (status !== undefined) return { id: start.id, status };
    throw error;
  }
  const startRequest = {
    snapshot: definitions.snapshot(def),
    attributes: attributesOf(definitions, start, depth),
    input: inputOf(start),
    traced: tracedBy(start),
  };
  if (!request.idempotencyKey) {
    return { id: start.id, status: await executions.startAs(start.id, startRequest) };
  }
  const id = await executions.start({
    ...startRequest,
    idempotency: {
      key: request.idempotencyKey,
      strategy: request.idempotencyStrategy ?? 'FAIL',
    },
  });
  return { id, status: (await executions.read(id, statusOf)) ?? 'RUNNING' };
}

/** Below the task that ordered it, or the execution where none did. */
function tracedBy({ sender, taskNumber }: DerivedStart): { parent?: TraceContext } {
  const { trace } = sender.execution.attributes;
  if (trace === undefined) return {};
  const task = taskNumber === undefined ? undefined : sender.byNumber.get(taskNumber);
  if (task === undefined || !isRecorded(trace)) return { parent: passedOn(trace, undefined) };
  return { parent: taskContext(trace, task) };
}

function statusOf(open: OpenExecution): WorkflowStatus {
  return open.execution.state.status;
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
  const failed = request.failedWorkflow === true ? failedWorkflow(sender) : undefined;
  return failed === undefined
    ? request.input
    : Payload.of({ ...request.input.value, failedWorkflow: failed });
}

function attributesOf(
  definitions: StartDerivedParts['definitions'],
  start: DerivedStart,
  depth: number,
): ExecutionAttributes {
  const { request, sender } = start;
  const { def, createdBy = '' } = request;
  return {
    nameOwner: definitions.nameOwner(def?.name ?? request.name, createdBy, def !== undefined),
    priority: request.priority,
    taskToDomain: request.taskToDomain,
    depth,
    ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
    ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
    ...(request.idempotencyKey === undefined ? {} : { idempotencyKey: request.idempotencyKey }),
    ...(start.isChild && start.taskNumber !== undefined
      ? { parentWorkflowId: sender.execution.id, parentTaskNumber: start.taskNumber }
      : { triggeredBy: sender.execution.id }),
  };
}
