// Endpoints that show an execution without its payloads, and who did what to it.
import { workflowStatuses } from '../../model/status.js';
import type { OperationContext } from '../../operation/context.js';
import { outlineColumns, outlineWorkflow } from '../../operation/outline-workflow.js';
import { workflowHistory } from '../../operation/workflow-history.js';
import { endpoint, query, writtenJson, type Endpoint } from '../endpoint.js';
import { readsExecutions } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { importedFrom } from '../../model/imported-id.js';
import { workflowDefSchema } from '../../model/workflow-def.js';

const chars = (of: string): schema.Schema => schema.integer(`Characters of its ${of}, as JSON`);

/** An execution without payloads. */
const headSchema: schema.Schema = schema.object(
  'WorkflowHead',
  {
    workflowId: schema.text(),
    workflowName: schema.text(),
    workflowVersion: schema.integer(),
    status: schema.oneOf(workflowStatuses),
    startTime: schema.time(),
    updateTime: schema.time(),
    endTime: schema.time('Epoch milliseconds; 0 while it runs'),
    priority: schema.integer(),
    inputChars: chars('input'),
    outputChars: chars('output'),
    variablesChars: chars('variables'),
    failedReferenceTaskNames: schema.list(schema.text()),
    correlationId: schema.text(),
    parentWorkflowId: schema.text(),
    createdBy: schema.text(),
    event: schema.text(),
    reasonForIncompletion: schema.text(),
    traceId: schema.text('Of the trace it belongs to: 32 hexadecimal digits'),
    failureWorkflowId: schema.text('The failure workflow that it started'),
    failedWorkflowId: schema.text('The execution whose failure started this one'),
    imported: importedFrom,
  },
  [
    ...([
      'workflowId',
      'workflowName',
      'workflowVersion',
      'status',
      'startTime',
      'updateTime',
    ] as const),
    ...(['endTime', 'priority', 'inputChars', 'outputChars', 'variablesChars'] as const),
    'failedReferenceTaskNames',
  ],
);

const outlineSchema: schema.Schema = schema.object(
  'WorkflowOutline',
  {
    head: headSchema,
    workflowDefinition: workflowDefSchema,
    revision: schema.integer('Rises with every change'),
    tasks: schema.object(
      'OutlineTasks',
      {
        columns: schema.list(
          schema.oneOf(outlineColumns),
          'Names of the values of a row, in order',
        ),
        rows: schema.list(schema.list({ type: ['string', 'integer', 'boolean', 'null'] })),
      },
      ['columns', 'rows'],
    ),
  },
  ['head', 'workflowDefinition', 'revision', 'tasks'],
);

const historyEntrySchema: schema.Schema = schema.object(
  'HistoryEntry',
  {
    revision: schema.integer(
      'Number of the entry, from 1; a gap at the begin: older ones are gone',
    ),
    time: schema.time('Epoch milliseconds'),
    actor: schema.text('Id of who did it; empty while authentication is off'),
    actorKind: schema.text('What kind of identity that is: local, user, application or system'),
    action: schema.text(
      'What was done, such as `pause`, `retry`, `skip-task`; `event-refused`: a sink got no event',
    ),
    taskId: schema.text('The task that it was about'),
    reason: schema.text("In the actor's words"),
    changes: {
      ...schema.anyObject,
      description: 'What was given: flags and names; of payloads the names of their members only',
    },
  },
  ['revision', 'time', 'actor', 'actorKind', 'action'],
);

const historySchema: schema.Schema = schema.list(historyEntrySchema, 'Oldest first');

export function outlineRoutes(context: OperationContext): Endpoint[] {
  const entry = {
    method: 'GET',
    access: readsExecutions,
    errors: ['not-found'],
  } as const;
  return [
    endpoint({
      ...entry,
      pattern: '/api/workflow/:workflowId/outline',
      name: 'outlineWorkflow',
      summary: 'Shows an execution and its tasks without their payloads.',
      parameters: {
        includeTasks: query(schema.flag('Whether the tasks are shown', { default: true })),
      },
      reply: writtenJson(outlineSchema),
      handle: (request) => {
        const id = request.param('workflowId');
        const includeTasks = request.queryBoolean('includeTasks');
        return outlineWorkflow(context, request.caller, { id, includeTasks });
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/workflow/:workflowId/history',
      name: 'getWorkflowHistory',
      summary: 'Shows who controlled or edited an execution, and why.',
      reply: historySchema,
      handle: (request) => workflowHistory(context, request.caller, request.param('workflowId')),
    }),
  ];
}
