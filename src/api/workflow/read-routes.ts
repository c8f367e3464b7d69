// Routes that read executions (contract-core 9).
import { AppError } from '../../model/errors.js';
import { AnswerSize } from '../../operation/answer-size.js';
import type { OperationContext } from '../../operation/context.js';
import { externalPayloadLocation } from '../../operation/external-payload-location.js';
import {
  getWorkflow,
  getWorkflowStatus,
  listWorkflowTasks,
  parseTaskStatus,
} from '../../operation/get-workflow.js';
import {
  listCorrelatedWorkflows,
  listRunningWorkflows,
  type CorrelatedFilter,
} from '../../operation/list-workflows.js';
import { RecordReader, parseTexts } from '../../model/record-reader.js';
import { json, jsonText, type Route, type RouteRequest } from '../route.js';

export function readRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/workflow/:workflowId',
      handle: async (request) => {
        const includeTasks = request.queryBoolean('includeTasks', true);
        return jsonText(await getWorkflow(context, request.param('workflowId'), includeTasks));
      },
    },
    {
      method: 'GET',
      pattern: '/api/workflow/:workflowId/status',
      handle: async (request) =>
        jsonText(
          await getWorkflowStatus(context, request.param('workflowId'), {
            output: request.queryBoolean('includeOutput', false),
            variables: request.queryBoolean('includeVariables', false),
          }),
        ),
    },
    {
      method: 'GET',
      pattern: '/api/workflow/:workflowId/tasks',
      handle: async (request) =>
        jsonText(
          await listWorkflowTasks(context, request.param('workflowId'), {
            start: request.queryInteger('start') ?? 0,
            count: request.queryInteger('count') ?? 15,
            statuses: request.queryAll('status').map(parseTaskStatus),
          }),
        ),
    },
    {
      method: 'GET',
      pattern: '/api/workflow/running/:name',
      handle: async (request) =>
        json(
          await listRunningWorkflows(context, request.param('name'), {
            version: request.queryInteger('version') ?? 1,
            startTime: request.queryLong('startTime') ?? 0,
            endTime: request.queryLong('endTime') ?? 0,
          }),
        ),
    },
    {
      method: 'GET',
      pattern: '/api/workflow/:name/correlated/:correlationId',
      handle: async (request) => {
        const { name, correlationId } = {
          name: request.param('name'),
          correlationId: request.param('correlationId'),
        };
        const filter = filterOf(request);
        const texts = await listCorrelatedWorkflows(context, name, correlationId, filter);
        return jsonText(`[${texts.join(',')}]`);
      },
    },
    {
      method: 'POST',
      pattern: '/api/workflow/:name/correlated',
      handle: (request) => {
        const ids = parseTexts(request.json(), '');
        return correlatedMap(context, [request.param('name')], ids, filterOf(request));
      },
    },
    {
      method: 'POST',
      pattern: '/api/workflow/correlated/batch',
      handle: (request) => {
        const body = new RecordReader(request.json(), '');
        const ids = parseTexts(body.raw('correlationIds'), 'correlationIds');
        const names = parseTexts(body.raw('workflowNames'), 'workflowNames');
        return correlatedMap(context, names, ids, filterOf(request));
      },
    },
    ...['externalstoragelocation', 'external-storage-location'].flatMap((name) =>
      ['workflow', 'tasks'].map((area): Route => ({
        method: 'GET',
        pattern: `/api/${area}/${name}`,
        handle: (request) =>
          json(
            externalPayloadLocation(context, {
              path: request.queryRequired('path'),
              operation: request.queryRequired('operation'),
              payloadType: request.queryRequired('payloadType'),
            }),
          ),
      })),
    ),
  ];
}

function filterOf(request: RouteRequest): CorrelatedFilter {
  return {
    includeClosed: request.queryBoolean('includeClosed', false),
    includeTasks: request.queryBoolean('includeTasks', false),
  };
}

/** Most names times correlation ids of one call. */
const pairsMax = 1000;

/** Every asked id is a key of the answer, `[]` when none was found. */
async function correlatedMap(
  context: OperationContext,
  names: readonly string[],
  correlationIds: readonly string[],
  filter: CorrelatedFilter,
): Promise<ReturnType<typeof jsonText>> {
  if (names.length * correlationIds.length > pairsMax) {
    throw new AppError('bad-request', `Cannot look up more than ${pairsMax} correlation ids`);
  }
  const members: string[] = [];
  const size = new AnswerSize();
  for (const id of new Set(correlationIds)) {
    const texts: string[] = [];
    for (const name of new Set(names)) {
      texts.push(...(await listCorrelatedWorkflows(context, name, id, filter, size)));
    }
    members.push(`${JSON.stringify(id)}:[${texts.join(',')}]`);
  }
  return jsonText(`{${members.join(',')}}`);
}
