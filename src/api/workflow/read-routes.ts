// Endpoints that read executions (contract-core 9).
import { AppError } from '../../model/errors.js';
import { AnswerSize } from '../../operation/answer-size.js';
import type { OperationContext } from '../../operation/context.js';
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
import {
  body,
  endpoint,
  query,
  rawEndpoint,
  replies,
  writtenJson,
  type Endpoint,
  type Parameter,
} from '../endpoint.js';
import { readsExecutions } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { correlationRequestSchema } from '../schemas/control-requests.js';
import { taskStatuses } from '../../model/status.js';
import { taskListSchema } from '../schemas/task.js';
import {
  workflowSchema,
  workflowListSchema,
  workflowsByCorrelationSchema,
  workflowStatusSchema,
} from '../schemas/workflow.js';
import { jsonText, type RouteRequest } from '../route.js';

const includeTasks = (defaultsTo: boolean): Parameter =>
  query(schema.flag('Whether the tasks are shown', { default: defaultsTo }));
const correlatedParameters: Readonly<Record<string, Parameter>> = {
  includeClosed: query(schema.flag('Whether ended executions are shown', { default: false })),
  includeTasks: includeTasks(false),
};

export function readRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/workflow/:workflowId',
      name: 'getWorkflow',
      summary: 'Shows an execution.',
      access: readsExecutions,
      parameters: { includeTasks: includeTasks(true) },
      reply: writtenJson(workflowSchema),
      errors: ['not-found'],
      handle: async (request) => {
        const shown = {
          id: request.param('workflowId'),
          includeTasks: request.queryBoolean('includeTasks'),
        };
        return await getWorkflow(context, request.caller, shown);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/workflow/:workflowId/status',
      name: 'getWorkflowStatus',
      summary: 'Shows the status of an execution.',
      access: readsExecutions,
      parameters: {
        includeOutput: query(schema.flag('Whether the output is shown', { default: false })),
        includeVariables: query(schema.flag('Whether the variables are shown', { default: false })),
      },
      reply: writtenJson(workflowStatusSchema),
      errors: ['not-found'],
      handle: (request) =>
        getWorkflowStatus(context, request.caller, {
          id: request.param('workflowId'),
          output: request.queryBoolean('includeOutput'),
          variables: request.queryBoolean('includeVariables'),
        }),
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/workflow/:workflowId/tasks',
      name: 'listWorkflowTasks',
      summary: 'Shows tasks of an execution, page by page.',
      access: readsExecutions,
      parameters: {
        start: query(schema.integer('Tasks to leave out before', { default: 0 })),
        count: query(schema.integer('Most tasks to show', { default: 15 })),
        status: query(schema.oneOf(taskStatuses, 'Only tasks with these; in any case'), {
          repeated: true,
        }),
      },
      reply: writtenJson(taskListSchema),
      errors: ['not-found'],
      handle: (request) =>
        listWorkflowTasks(context, request.caller, {
          id: request.param('workflowId'),
          start: request.queryNumber('start'),
          count: request.queryNumber('count'),
          statuses: request.queryAll('status').map(parseTaskStatus),
        }),
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/workflow/running/:name',
      name: 'listRunningWorkflows',
      summary: 'Lists the ids of executions that have not ended, or that a window holds.',
      access: readsExecutions,
      parameters: {
        version: query(schema.integer('Version; counts with a window only', { default: 1 })),
        startTime: query(schema.time('Begin of the window, epoch milliseconds')),
        endTime: query(schema.time('End of the window, epoch milliseconds')),
      },
      reply: schema.list(schema.text('Id of an execution')),
      handle: (request) =>
        listRunningWorkflows(context, request.caller, {
          name: request.param('name'),
          version: request.queryNumber('version'),
          startTime: request.queryLong('startTime') ?? 0,
          endTime: request.queryLong('endTime') ?? 0,
        }),
    }),
    ...correlatedRoutes(context),
  ];
}

function correlatedRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/workflow/:name/correlated/:correlationId',
      name: 'listCorrelatedWorkflows',
      summary: 'Shows the executions with a correlation id.',
      access: readsExecutions,
      parameters: correlatedParameters,
      reply: writtenJson(workflowListSchema),
      handle: async (request) => {
        const filter = {
          name: request.param('name'),
          correlationId: request.param('correlationId'),
          ...shownOf(request),
        };
        const texts = await listCorrelatedWorkflows(context, request.caller, filter);
        return `[${texts.join(',')}]`;
      },
    }),
    rawEndpoint({
      method: 'POST',
      pattern: '/api/workflow/:name/correlated',
      name: 'mapCorrelatedWorkflows',
      summary: 'Shows the executions with each of several correlation ids.',
      access: readsExecutions,
      audit: 'reads',
      parameters: correlatedParameters,
      body: body(schema.list(schema.text('Correlation id'))),
      replies: replies(workflowsByCorrelationSchema),
      handle: (request) => {
        const ids = parseTexts(request.json(), '');
        return correlatedMap(context, request, [request.param('name')], ids);
      },
    }),
    rawEndpoint({
      method: 'POST',
      pattern: '/api/workflow/correlated/batch',
      name: 'mapCorrelatedWorkflowsOfNames',
      summary: 'Shows the executions of several definitions with each of several correlation ids.',
      access: readsExecutions,
      audit: 'reads',
      parameters: correlatedParameters,
      body: body(correlationRequestSchema),
      replies: replies(workflowsByCorrelationSchema),
      handle: (request) => {
        const batch = new RecordReader(request.json(), '');
        const ids = parseTexts(batch.raw('correlationIds'), 'correlationIds');
        const names = parseTexts(batch.raw('workflowNames'), 'workflowNames');
        return correlatedMap(context, request, names, ids);
      },
    }),
  ];
}

function shownOf(request: RouteRequest): Pick<CorrelatedFilter, 'includeClosed' | 'includeTasks'> {
  return {
    includeClosed: request.queryBoolean('includeClosed'),
    includeTasks: request.queryBoolean('includeTasks'),
  };
}

/** Most names times correlation ids of one call. */
const pairsMax = 1000;

/** Every asked id is a key of the answer, `[]` when none was found. */
async function correlatedMap(
  context: OperationContext,
  request: RouteRequest,
  names: readonly string[],
  correlationIds: readonly string[],
): Promise<ReturnType<typeof jsonText>> {
  if (names.length * correlationIds.length > pairsMax) {
    throw new AppError('bad-request', `Cannot look up more than ${pairsMax} correlation ids`);
  }
  const shown = shownOf(request);
  const members: string[] = [];
  const size = new AnswerSize();
  for (const correlationId of new Set(correlationIds)) {
    const texts: string[] = [];
    for (const name of new Set(names)) {
      const filter = { name, correlationId, ...shown };
      texts.push(...(await listCorrelatedWorkflows(context, request.caller, filter, size)));
    }
    members.push(`${JSON.stringify(correlationId)}:[${texts.join(',')}]`);
  }
  return jsonText(`{${members.join(',')}}`);
}
