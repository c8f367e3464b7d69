// Carries out one action of an event handler (semantics 6.4, 6.5). A message may come again when
// the server dies between an action and its record, so every action can be repeated: the id of a
// started execution is made from handler and message, and what another attempt would choose
// differently (which task, how long a list was) is kept before the action begins.
import { createHash } from 'node:crypto';
import type { OpenExecution } from '../../../engine/open-execution.js';
import type { Caller } from '../../../model/caller.js';
import { AppError, isNotFound } from '../../../model/errors.js';
import type { ActionKind, EventHandler } from '../event-handler.js';
import { isMap, type Json, type JsonMap, ownValue } from '../../../model/json.js';
import { toJsonText } from '../../../model/json-text.js';
import {
  parseStartWorkflowRequest,
  type StartWorkflowRequest,
} from '../../../model/parse-start-request.js';
import { Payload } from '../../../model/payload.js';
import { isTerminalWorkflow } from '../../../model/status.js';
import { executionIdOf, parseTaskId, taskIdOf, type ExecutionId } from '../../../std/ids.js';
import { requireReportRight } from '../../../operation/access.js';
import type { OperationContext } from '../../../operation/context.js';
import { controlWorkflow, terminateWorkflow } from '../../../operation/control-workflow.js';
import { startWorkflow, type StartCause } from '../../../operation/start-workflow.js';
import { broughtSecret } from '../../../operation/brought-secrets.js';
import { causedBy } from '../../../telemetry/trace.js';
import type { TraceContext } from '../../../telemetry/trace-context.js';

export interface ActionRun {
  readonly operations: OperationContext;
  /** On whose behalf. */
  readonly caller: Caller;
  readonly handler: EventHandler;
  /** Position of the action. */
  readonly index: number;
  /** Shown in what the action makes. */
  readonly messageId: string;
  /** Names the message wherever it comes again. */
  readonly messageKey: string;
  /** Of what published the message, if that is traced. */
  readonly trace: TraceContext | undefined;
  readonly message: Json;
  /** The action's object, resolved. */
  readonly fields: JsonMap;
  /** The notes of an earlier attempt. */
  readonly begun: JsonMap | undefined;
  /** Keeps something for later attempts. */
  readonly begin: (kept: JsonMap) => Promise<void>;
}

/**
 * Resolves with the output for the record. Throws AppError when the action is refused, anything
 * else when it may work later.
 */
export async function runAction(kind: ActionKind, run: ActionRun): Promise<JsonMap> {
  if (kind === 'start_workflow' || kind === 'update_workflow_variables') refuseBrought(run);
  return await causedBy(run.trace, () => actions[kind](run));
}

/** Throws AppError 'bad-request' for a secret that the message names. */
function refuseBrought({ handler, index, fields }: ActionRun): void {
  const own = handler.actions[index]?.parameters ?? {};
  const secret = broughtSecret(fields, own);
  if (secret === undefined) return;
  const why = `The message names the secret ${secret}, which only the event handler may`;
  throw new AppError('bad-request', why);
}

const actions: Readonly<Record<ActionKind, (run: ActionRun) => Promise<JsonMap>>> = {
  start_workflow: start,
  complete_task: (run) => endTask(run, 'COMPLETED'),
  fail_task: (run) => endTask(run, 'FAILED'),
  terminate_workflow: terminate,
  update_workflow_variables: updateVariables,
};

const messageIdField = 'conductor.event.messageId';
const eventNameField = 'conductor.event.name';

function originOf({ messageId, handler }: ActionRun): JsonMap {
  return { [messageIdField]: messageId, [eventNameField]: handler.event };
}

async function start(run: ActionRun): Promise<JsonMap> {
  const { operations, caller, handler } = run;
  const asked = startRequestOf(run);
  const request = { ...asked, input: { ...asked.input, ...originOf(run) } };
  const origin = { name: `event ${handler.event}`, kind: 'consumer', trace: run.trace } as const;
  const cause: StartCause = { id: executionIdFor(run), event: handler.event, origin };
  try {
    return { workflowId: await startWorkflow(operations, caller, request, cause) };
  } catch (error) {
    const isTaken = error instanceof AppError && error.kind === 'conflict';
    if (!isTaken || request.idempotencyKey === undefined) throw error;
    const existing = { ...request, idempotencyStrategy: 'RETURN_EXISTING' } as const;
    const workflowId = await startWorkflow(operations, caller, existing, cause);
    const startedBy = await operations.executions.read(
      workflowId,
      ({ execution }) => execution.input.value[messageIdField],
    );
    // An earlier attempt for this very message holds the key.
    if (startedBy !== run.messageId) throw error;
    return { workflowId };
  }
}

/** The start that an action asks for. Throws AppError 'bad-request' that names the field. */
export function startRequestOf({
  fields,
  message,
}: Pick<ActionRun, 'fields' | 'message'>): StartWorkflowRequest {
  const request = parseStartWorkflowRequest(fields, 'start_workflow');
  if (Object.keys(request.taskToDomain).length > 0) return request;
  const domains = isMap(message) ? message['taskToDomain'] : undefined;
  if (domains === undefined || !isMap(domains)) return request;
  const { taskToDomain } = parseStartWorkflowRequest({ taskToDomain: domains }, 'message');
  return { ...request, taskToDomain };
}

function executionIdFor({ handler, messageKey, index }: ActionRun): ExecutionId {
  const digest = createHash('sha256')
    .update(JSON.stringify(['event', handler.name, handler.event, messageKey, index]))
    .digest();
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}

async function endTask(run: ActionRun, status: 'COMPLETED' | 'FAILED'): Promise<JsonMap> {
  const { operations, caller, fields } = run;
  const task = await taskOf(run);
  if (task === undefined) return { ...fields, error: 'No task found with reference or id' };
  const { executionId, taskNumber } = task;
  await requireReportRight(operations, caller, executionId, { taskNumber });
  const { output, outputMessage, ...named } = fields;
  const reason = fields['reasonForIncompletion'] ?? mapOf(output)['reasonForIncompletion'];
  const result = {
    status,
    output: Payload.of({ ...mapOf(outputMessage), ...mapOf(output), ...named, ...originOf(run) }),
    callbackAfterSeconds: 0,
    extendLease: false,
    ...(typeof reason === 'string' ? { reasonForIncompletion: reason } : {}),
  };
  const command = {
    kind: 'update-task',
    task: { taskNumber },
    result,
    mergeOutput: false,
  } as const;
  try {
    await operations.executions.command(executionId, command, { caller });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { ...fields, error: error instanceof Error ? error.message : '' };
  }
  return { ...fields, taskId: taskIdOf(executionId, taskNumber) };
}

interface TaskTarget {
  readonly executionId: ExecutionId;
  readonly taskNumber: number;
}

/** The task by its id, else the newest attempt behind the reference (semantics 6.4). */
async function taskOf(run: ActionRun): Promise<TaskTarget | undefined> {
  const { fields, begun, operations } = run;
  const chosen = textOf(begun?.['taskId']) ?? textOf(fields['taskId']);
  if (chosen !== undefined) return parseTaskId(chosen);
  const [id, ref] = [textOf(fields['workflowId']), textOf(fields['taskRefName'])];
  if (id === undefined || ref === undefined) return undefined;
  const number = await operations.executions.read(
    id,
    (open) => (open.lastByRef(ref) ?? open.lastByPlainRef(ref))?.number,
  );
  if (number === undefined) return undefined;
  const taskId = taskIdOf(id as ExecutionId, number);
  await run.begin({ taskId });
  return parseTaskId(taskId);
}

async function terminate({ operations, caller, fields }: ActionRun): Promise<JsonMap> {
  const id = textOf(fields['workflowId']) ?? '';
  const reason = textOf(fields['terminationReason']);
  const control = { caller, reason };
  const status = await operations.executions.read(id, ({ execution }) => execution.state.status);
  // It may have been an earlier attempt that ended it.
  if (status !== undefined && isTerminalWorkflow(status)) return { workflowId: id, status };
  await terminateWorkflow(operations, control, { id, triggerFailureWorkflow: false });
  return { workflowId: id };
}

async function updateVariables(run: ActionRun): Promise<JsonMap> {
  const { operations, caller, fields, begun } = run;
  const id = textOf(fields['workflowId']) ?? '';
  const variables = mapOf(fields['variables']);
  const appendArray = fields['appendArray'] === true;
  if (appendArray) {
    const { executions } = operations;
    const lengths = mapOf(begun?.['lengths']);
    const seen = await executions.read(id, (open) => seenIn(open, variables, lengths));
    if (begun !== undefined && seen?.isThere === true) return { workflowId: id };
    await run.begin({ lengths: seen?.lengths ?? {} });
  }
  const command = { kind: 'update-variables', variables, appendArray } as const;
  await controlWorkflow(operations, { caller }, id, command);
  return { workflowId: id };
}

/** How long the lists are, and whether the new items stand where an earlier attempt put them. */
function seenIn(
  { execution }: OpenExecution,
  variables: JsonMap,
  before: JsonMap,
): { lengths: JsonMap; isThere: boolean } {
  const lengths: JsonMap = {};
  let isThere = true;
  for (const key of Object.keys(variables)) {
    const list = ownValue(execution.variables.value, key);
    const added = variables[key] as Json;
    if (Array.isArray(list)) {
      lengths[key] = list.length;
      const items = Array.isArray(added) ? added : [added];
      const from = before[key];
      if (typeof from !== 'number') isThere = false;
      else isThere &&= toJsonText(list.slice(from, from + items.length)) === toJsonText(items);
    } else isThere &&= list !== undefined && toJsonText(list) === toJsonText(added);
  }
  return { lengths, isThere };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function mapOf(value: Json | undefined): JsonMap {
  return isMap(value) ? value : {};
}
