// Endpoints that start executions (contract-core 8.2, 16.1).
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import {
  parseStartWorkflowRequest,
  startWorkflowRequestSchema,
  type StartWorkflowRequest,
} from '../../model/parse-start-request.js';
import { present } from '../../model/record-reader.js';
import { returnStrategies } from '../../model/signal-response-json.js';
import { validateStartRequest } from '../../model/validate-start-request.js';
import { validationFailed } from '../../model/validation.js';
import { idempotencyStrategies, type IdempotencyStrategy } from '../../model/workflow-def.js';
import type { WorkflowRules } from '../../model/validate-workflow-def.js';
import type { OperationContext } from '../../operation/context.js';
import {
  executeForOutput,
  executeWorkflow,
  parseTaskRefs,
  waitMsOf,
} from '../../operation/execute-workflow.js';
import { parseReturnStrategy } from '../../operation/signal-response.js';
import { startWorkflow } from '../../operation/start-workflow.js';
import { startWorkflowByName } from '../../operation/start-workflow-by-name.js';
import {
  body,
  endpoint,
  header,
  plainText,
  query,
  writtenJson,
  type AccessRule,
  type Endpoint,
  type Parameter,
} from '../endpoint.js';
import { changesExecutions, waitParameters } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { signalResponseSchema } from '../schemas/workflow.js';
import { type RouteRequest } from '../route.js';

const startsNamed: AccessRule = {
  rule: 'target',
  type: 'WORKFLOW_DEF',
  right: 'EXECUTE',
  id: 'name',
};
const workflowIdReply = plainText('Id of the execution');
const inputBody = { ...schema.anyObject, description: 'The input' };
const versionInPath = { version: schema.integer('Version; 0 for the latest') };

/** The parameters of a start by name beside its input. */
const startOptions: Readonly<Record<string, Parameter>> = {
  correlationId: query(schema.text('Correlation id')),
  priority: query(schema.integer('Priority', { minimum: 0, maximum: 99, default: 0 })),
  'X-Idempotency-key': header(schema.text('Starts with one key are one start')),
  'X-on-conflict': header(
    schema.oneOf(idempotencyStrategies, 'What an execution with that key means'),
  ),
};

export function startRoutes(context: OperationContext, rules: WorkflowRules): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/workflow',
      name: 'startWorkflow',
      summary: 'Starts an execution of a registered or of a given definition.',
      access: changesExecutions,
      audit: 'persons',
      body: body(startWorkflowRequestSchema),
      reply: workflowIdReply,
      errors: ['validation', 'not-found', 'conflict', 'too-many'],
      handle: async (request) =>
        await startWorkflow(context, request.caller, readStart(request, rules)),
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/workflow/:name',
      name: 'startWorkflowByName',
      summary: 'Starts an execution with the body as its input.',
      access: startsNamed,
      audit: 'persons',
      parameters: {
        version: query(schema.integer('Version; absent for the latest')),
        ...startOptions,
      },
      body: body(inputBody, false),
      reply: workflowIdReply,
      errors: ['not-found', 'conflict', 'too-many'],
      handle: async (request) => {
        const version = request.queryInteger('version');
        return await startWorkflowByName(context, request.caller, byName(request, version));
      },
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/workflow/start/:name/:version',
      name: 'startWorkflowVersion',
      summary: 'Starts an execution of one version with the body as its input.',
      access: startsNamed,
      audit: 'persons',
      parameters: startOptions,
      path: versionInPath,
      body: body(inputBody, false),
      reply: workflowIdReply,
      errors: ['not-found', 'conflict', 'too-many'],
      handle: async (request) =>
        await startWorkflowByName(context, request.caller, byName(request, versionOf(request))),
    }),
    executeRoute(context, rules),
    executeByNameRoute(context, 'GET', 'executeWorkflowWithoutInput'),
    executeByNameRoute(context, 'POST', 'executeWorkflowByName'),
  ];
}

function executeRoute(context: OperationContext, rules: WorkflowRules): Endpoint {
  return endpoint({
    method: 'POST',
    pattern: '/api/workflow/execute/:name/:version',
    name: 'executeWorkflow',
    summary: 'Starts an execution and waits until it has ended, blocks or the time is over.',
    access: startsNamed,
    audit: 'persons',
    parameters: {
      ...waitParameters,
      returnStrategy: query(schema.oneOf(returnStrategies, 'What the answer shows')),
    },
    path: versionInPath,
    body: body(startWorkflowRequestSchema),
    reply: writtenJson(signalResponseSchema),
    errors: ['validation', 'not-found', 'conflict', 'too-many'],
    handle: async (request) => {
      const start = readStart(request, rules, {
        name: request.param('name'),
        version: versionOf(request),
      });
      const call = {
        caller: request.caller,
        strategy: parseReturnStrategy(request.query('returnStrategy')),
        requestId: request.query('requestId'),
        waitUntilTaskRefs: parseTaskRefs(request.query('waitUntilTaskRef')),
        timeoutMs: waitMsOf(context, request.queryInteger('waitForSeconds')),
        onAbort: (listener: () => void) => request.onAbort(listener),
      };
      return await executeWorkflow(context, start, call);
    },
  });
}

/** The deprecated form: options in headers, the answer is the output map (contract-core 8.2). */
function executeByNameRoute(
  context: OperationContext,
  method: 'GET' | 'POST',
  name: string,
): Endpoint {
  return endpoint({
    method,
    pattern: '/api/workflow/execute/:name',
    name,
    summary: 'Starts an execution, waits for its end and answers with its output.',
    access: startsNamed,
    audit: 'persons',
    parameters: {
      version: query(schema.integer('Version; absent or 0 for the latest')),
      ...startOptions,
      waitUntilTaskRef: header(schema.text('Reference names that end the wait')),
      waitForSeconds: header(schema.number('Longest wait', { default: 10 })),
    },
    ...(method === 'POST' && { body: body(inputBody, false) }),
    reply: writtenJson(schema.anyObject),
    errors: ['validation', 'not-found', 'conflict', 'too-many'],
    handle: (request) => executeByName(context, request),
  });
}

async function executeByName(context: OperationContext, request: RouteRequest): Promise<string> {
  const wait = request.header('waitforseconds');
  const seconds = wait === undefined ? undefined : Number(wait);
  if (Number.isNaN(seconds)) {
    throw new AppError('bad-request', `Header 'waitForSeconds' is not a number`);
  }
  const start = byName(request, request.queryInteger('version') || undefined);
  return await executeForOutput(context, start, {
    caller: request.caller,
    waitUntilTaskRefs: parseTaskRefs(request.header('waituntiltaskref')),
    timeoutMs: waitMsOf(context, seconds),
    onAbort: (listener) => request.onAbort(listener),
  });
}

/** The version in the path; 0 stands for the latest (contract-core 16.1). */
function versionOf(request: RouteRequest): number | undefined {
  return request.paramInteger('version') || undefined;
}

/** Body StartWorkflowRequest; name and version of the path win. */
function readStart(
  request: RouteRequest,
  rules: WorkflowRules,
  over?: { name: string; version: number | undefined },
): StartWorkflowRequest {
  const body = request.json();
  if (body === null) throw new AppError('bad-request', 'Required request body is missing');
  const sent = parseStartWorkflowRequest(body, '');
  const start = over === undefined ? sent : underName(sent, over);
  const violations = validateStartRequest(start, 'startWorkflow.arg0', rules);
  if (violations.length > 0) throw validationFailed(violations);
  return start;
}

function underName(
  { version: _sent, ...start }: StartWorkflowRequest,
  { name, version }: { name: string; version: number | undefined },
): StartWorkflowRequest {
  return { ...start, name, ...present({ version }) };
}

/** Body is the input alone; everything else in path, query and headers. */
function byName(request: RouteRequest, version: number | undefined): StartWorkflowRequest {
  const input: JsonMap = request.hasBody ? request.jsonMap() : {};
  return {
    name: request.param('name'),
    input,
    priority: request.queryNumber('priority'),
    taskToDomain: {},
    ...present({
      version,
      correlationId: request.query('correlationId') || undefined,
      idempotencyKey: request.header('x-idempotency-key'),
      idempotencyStrategy: strategyOf(request.header('x-on-conflict')),
    }),
  };
}

function strategyOf(header: string | undefined): IdempotencyStrategy | undefined {
  if (header === undefined) return undefined;
  const strategy = idempotencyStrategies.find((each) => each === header);
  if (strategy === undefined) {
    throw new AppError(
      'bad-request',
      `Header 'X-on-conflict' must be one of ${idempotencyStrategies.join(', ')}`,
    );
  }
  return strategy;
}
