// Routes that start executions (contract-core 8.2, 16.1).
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { idempotencyStrategies } from '../../model/parse-workflow-def.js';
import {
  parseStartWorkflowRequest,
  type StartWorkflowRequest,
} from '../../model/parse-start-request.js';
import { present } from '../../model/record-reader.js';
import { validateStartRequest } from '../../model/validate-start-request.js';
import { validationFailed } from '../../model/validation.js';
import type { IdempotencyStrategy } from '../../model/workflow-def.js';
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
import { jsonText, text, type Route, type RouteRequest } from '../route.js';

export function startRoutes(context: OperationContext, rules: WorkflowRules): Route[] {
  return [
    {
      method: 'POST',
      pattern: '/api/workflow',
      handle: async (request) => text(await startWorkflow(context, readStart(request, rules))),
    },
    {
      method: 'POST',
      pattern: '/api/workflow/:name',
      handle: async (request) => {
        const version = request.queryInteger('version');
        return text(await startWorkflowByName(context, byName(request, version)));
      },
    },
    {
      method: 'POST',
      pattern: '/api/workflow/start/:name/:version',
      handle: async (request) =>
        text(await startWorkflowByName(context, byName(request, versionOf(request)))),
    },
    {
      method: 'POST',
      pattern: '/api/workflow/execute/:name/:version',
      handle: async (request) => {
        const start = readStart(request, rules, {
          name: request.param('name'),
          version: versionOf(request),
        });
        const call = {
          strategy: parseReturnStrategy(request.query('returnStrategy')),
          requestId: request.query('requestId'),
          waitUntilTaskRefs: parseTaskRefs(request.query('waitUntilTaskRef')),
          timeoutMs: waitMsOf(context, request.queryInteger('waitForSeconds')),
          onAbort: (listener: () => void) => request.onAbort(listener),
        };
        return jsonText(await executeWorkflow(context, start, call));
      },
    },
    ...(['GET', 'POST'] as const).map((method): Route => ({
      method,
      pattern: '/api/workflow/execute/:name',
      handle: (request) => executeByName(context, request),
    })),
  ];
}

/** The deprecated form: options in headers, the answer is the output map (contract-core 8.2). */
async function executeByName(
  context: OperationContext,
  request: RouteRequest,
): Promise<ReturnType<typeof jsonText>> {
  const wait = request.header('waitforseconds');
  const seconds = wait === undefined ? undefined : Number(wait);
  if (Number.isNaN(seconds)) {
    throw new AppError('bad-request', `Header 'waitForSeconds' is not a number`);
  }
  const start = byName(request, request.queryInteger('version') || undefined);
  return jsonText(
    await executeForOutput(context, start, {
      waitUntilTaskRefs: parseTaskRefs(request.header('waituntiltaskref')),
      timeoutMs: waitMsOf(context, seconds),
      onAbort: (listener) => request.onAbort(listener),
    }),
  );
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
  const start = Object.assign(parseStartWorkflowRequest(body, ''), over);
  const violations = validateStartRequest(start, 'startWorkflow.arg0', rules);
  if (violations.length > 0) throw validationFailed(violations);
  return start;
}

/** Body is the input alone; everything else in path, query and headers. */
function byName(request: RouteRequest, version: number | undefined): StartWorkflowRequest {
  const input: JsonMap = request.hasBody ? request.jsonMap() : {};
  return {
    name: request.param('name'),
    input,
    priority: request.queryInteger('priority') ?? 0,
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
