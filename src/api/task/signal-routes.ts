// Endpoints that signal blocked executions (contract-core 16.2).
import { AppError } from '../../model/errors.js';
import { parseTaskResultStatus, reportedStatuses } from '../../model/parse-task-result.js';
import { returnStrategies } from '../../model/signal-response-json.js';
import type { OperationContext } from '../../operation/context.js';
import { waitAndRespondIfBlocked } from '../../operation/execute-workflow.js';
import { parseReturnStrategy } from '../../operation/signal-response.js';
import { isEnded, signalWorkflow } from '../../operation/signal-workflow.js';
import { body, endpoint, nothing, query, rawEndpoint, type Endpoint } from '../endpoint.js';
import { changesExecutions } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { signalResponseSchema } from '../schemas/workflow.js';
import { empty, jsonText, type RouteRequest } from '../route.js';

/** The wait of a synchronous signal, ms (contract-core 21.1). */
const signalTimeoutMs = 5000;

const signal = {
  method: 'POST',
  access: changesExecutions,
  audit: 'persons',
  path: { status: schema.oneOf(reportedStatuses) },
  body: body({ ...schema.anyObject, description: 'Output of the blocked task' }, false),
  errors: ['not-found'],
} as const;

export function signalRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      ...signal,
      pattern: '/api/tasks/:workflowId/:status/signal',
      name: 'signalWorkflow',
      summary: 'Ends the task that blocks an execution or one of its children.',
      reply: nothing,
      handle: (request) => signalWorkflow(context, request, signalOf(request)),
    }),
    rawEndpoint({
      ...signal,
      pattern: '/api/tasks/:workflowId/:status/signal/sync',
      name: 'signalWorkflowSync',
      summary: 'Ends the task that blocks an execution and waits until it ends or blocks again.',
      parameters: {
        returnStrategy: query(schema.oneOf(returnStrategies, 'What the answer shows')),
        requestId: query(schema.text('Id of the call; drawn when absent')),
        timeoutMillis: query(schema.integer('Longest wait', { default: signalTimeoutMs })),
      },
      replies: {
        200: {
          schema: signalResponseSchema,
          description: 'No body when a task is asked for and none blocks any more',
        },
      },
      handle: async (request) => {
        const targetId = request.param('workflowId');
        const strategy = parseReturnStrategy(request.query('returnStrategy'));
        const wanted = request.queryLong('timeoutMillis') ?? signalTimeoutMs;
        const call = {
          caller: request.caller,
          strategy,
          requestId: request.query('requestId'),
          waitUntilTaskRefs: [],
          timeoutMs: Math.min(Math.max(0, wanted), context.limits.waitSecondsMax * 1000),
          onAbort: (listener: () => void) => request.onAbort(listener),
        };
        const isFound = await signalWorkflow(context, request, signalOf(request));
        // The Java SDK's own tests signal once more after the end and expect the execution.
        if (!isFound && !(await isEnded(context, targetId))) {
          throw new AppError(
            'not-found',
            `Found no blocked task in workflow ${targetId} to signal`,
          );
        }
        const response = await waitAndRespondIfBlocked(context, targetId, call);
        return response === undefined ? empty() : jsonText(response);
      },
    }),
  ];
}

function signalOf(request: RouteRequest): Parameters<typeof signalWorkflow>[2] {
  return {
    id: request.param('workflowId'),
    status: parseTaskResultStatus(request.param('status')),
    output: request.jsonMapIfAny() ?? {},
  };
}
