// Starts an execution (contract-core 8, semantics 1.5.1): finds the definition, makes a snapshot of
// it with everything it names, and starts the execution in the shard of its new id. The first
// decide has run and is durable when this resolves.
import type { ExecutionId } from '../std/ids.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { ExecutionAttributes } from '../model/execution.js';
import type { StartWorkflowRequest } from '../model/parse-start-request.js';
import type { JsonMap } from '../model/json.js';
import { excessOfPayload } from '../engine/mapping.js';
import { Payload } from '../model/payload.js';
import { present } from '../model/record-reader.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import type { StartRequest } from '../shard/executions.js';
import { requireStartRight } from './access.js';
import type { OperationContext } from './context.js';
import { underOrigin, type StartOrigin } from './start-origin.js';

/** The cause of a start by the server itself. */
export interface StartCause {
  /**
   * Made from what causes the start, so that a repeated one finds the execution that is there. A
   * request with an idempotency key goes by its key instead.
   */
  readonly id?: ExecutionId;
  /** Nothing was ever started under the id: it is not looked for first. */
  readonly isFirst?: boolean;
  /** Name of the event that starts it. */
  readonly event?: string;
  /** Absent: the request under which the start is asked for. */
  readonly origin?: StartOrigin;
}

type TracedCause = StartCause & Pick<StartRequest, 'traced'>;

/**
 * Resolves with the id; with RETURN_EXISTING possibly that of an older execution. Throws AppError
 * 'not-found' for an unknown definition, 'bad-request' for too large an input or a missing
 * sub-workflow definition, 'conflict' for a key in use (contract-core 8.3), 'too-many' beyond the
 * limit on executions of the workflow, or beyond a quota.
 */
export async function startWorkflow(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
  cause?: StartCause,
): Promise<ExecutionId> {
  try {
    return await startUnder(context, caller, request, cause);
  } catch (error) {
    if (error instanceof AppError) context.startRefused?.(error.kind);
    throw error;
  }
}

async function startUnder(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
  cause: StartCause | undefined,
): Promise<ExecutionId> {
  await requireStart(context, caller, request);
  if (cause !== undefined) {
    const start = (traced: StartRequest['traced']): Promise<ExecutionId> =>
      startNow(context, caller, request, { ...cause, ...present({ traced }) });
    return await underOrigin(context.tracing, cause.origin, start);
  }
  const name = request.workflowDef?.name ?? request.name;
  context.startQuotas?.admit(caller.id, name);
  const start = (): Promise<ExecutionId> => startNow(context, caller, request, undefined);
  const { openQuotas, heldQuotas } = context;
  if (openQuotas === undefined || isAdministrator(caller)) return await start();
  heldQuotas?.admit(caller.id, name);
  return await openQuotas.during(caller.id, name, start);
}

async function startNow(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
  cause: TracedCause | undefined,
): Promise<ExecutionId> {
  const { def, start } = await prepareStart(context, caller, request, cause);
  const begin = async (): Promise<ExecutionId> => {
    if (cause?.id !== undefined && request.idempotencyKey === undefined) {
      await context.executions.startAs(cause.id, start, cause.isFirst);
      return cause.id;
    }
    return await context.executions.start({ ...start, ...idempotencyOf(request) });
  };
  if (context.startPermits === undefined) return await begin();
  return await context.startPermits.admit(
    { def, attributes: start.attributes, input: start.input },
    begin,
  );
}

/** Throws what `startWorkflow` would throw before it starts anything; starts nothing. */
export async function checkStart(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
): Promise<void> {
  await requireStart(context, caller, request);
  await prepareStart(context, caller, request, undefined);
}

/**
 * Throws AppError 'forbidden'. A name that comes with its definition may have just been registered
 * at another node, and is not the caller's to use then.
 */
async function requireStart(
  { access, definitions }: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
): Promise<void> {
  const isInline = request.workflowDef !== undefined;
  if (isInline && !isAdministrator(caller)) await definitions.refresh();
  requireStartRight(access, caller, request);
}

/** Finds the definition and reads the input. */
async function prepareStart(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
  cause: TracedCause | undefined,
): Promise<{ def: WorkflowDef; start: StartRequest }> {
  const { workflowDef } = request;
  if (workflowDef !== undefined) context.taskUse?.require(caller, workflowDef);
  const def = workflowDef ?? (await registeredDef(context, request));
  const outside = storedInput(context, request);
  const input = Payload.of(outside === undefined ? request.input : await outside);
  if (!input.isEmpty) {
    const { workflowInputBytesMax, values } = context.limits;
    const excess = excessOfPayload(input, workflowInputBytesMax, values);
    if (excess !== undefined) throw new AppError('bad-request', `The input is ${excess}`);
  }
  const preparing = context.definitions.prepareSnapshot(def);
  if (preparing !== undefined) await preparing;
  const start = {
    snapshot: context.definitions.snapshot(def),
    attributes: { ...attributesOf(context, caller, request), ...present({ event: cause?.event }) },
    input,
    ...present({ traced: cause?.traced }),
  };
  return { def, start };
}

/** An input that is stored outside counts in place of an empty input only (contract-core 8.1). */
function storedInput(
  { payloads }: OperationContext,
  request: StartWorkflowRequest,
): Promise<JsonMap> | undefined {
  const { input, externalInputPayloadStoragePath: path } = request;
  if (!path || Object.keys(input).length > 0) return undefined;
  return payloads.read(path, 'externalInputPayloadStoragePath');
}

/** One that is not known here may have just been registered at another node. */
async function registeredDef(
  { definitions }: OperationContext,
  request: StartWorkflowRequest,
): Promise<WorkflowDef> {
  if (request.name.trim() === '') {
    const message = 'Workflow name must be specified when searching for a definition';
    throw new AppError('bad-request', message);
  }
  let def = definitions.exactDef(request.name, request.version);
  if (def !== undefined) return def;
  await definitions.refresh();
  def = definitions.exactDef(request.name, request.version);
  if (def !== undefined) return def;
  const version = request.version ?? null;
  throw new AppError(
    'not-found',
    `No such workflow defined. name=${request.name}, version=${version}`,
  );
}

/** The local administrator has no id: what the body says counts then (contract-core 8.1). */
function attributesOf(
  { definitions }: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
): ExecutionAttributes {
  const { workflowDef } = request;
  const name = workflowDef?.name ?? request.name;
  return {
    nameOwner: definitions.nameOwner(name, caller.id, workflowDef !== undefined),
    priority: request.priority,
    taskToDomain: request.taskToDomain,
    ...present({
      correlationId: request.correlationId,
      createdBy: caller.id || request.createdBy,
      idempotencyKey: request.idempotencyKey,
      // Only instead of an input (contract-core 8.1).
      externalInputPayloadStoragePath:
        Object.keys(request.input).length === 0
          ? request.externalInputPayloadStoragePath || undefined
          : undefined,
    }),
  };
}

/** No strategy with a key means FAIL (contract-core 8.3). */
function idempotencyOf(request: StartWorkflowRequest): {
  idempotency?: { key: string; strategy: 'FAIL' | 'RETURN_EXISTING' | 'FAIL_ON_RUNNING' };
} {
  if (request.idempotencyKey === undefined) return {};
  return {
    idempotency: { key: request.idempotencyKey, strategy: request.idempotencyStrategy ?? 'FAIL' },
  };
}
