// Endpoints that show an execution without its payloads, and who did what to it.
import { workflowStatuses } from '../../model/status.js';
import type { OperationContext } from '../../operation/context.js';
import { outlineColumns, outlineWorkflow } from '../../operation/outline-workflow.js';
import { workflowHistory } from '../../operation/workflow-history.js';
import { endpoint, query, writtenJson, type Endpoint } from '../endpoint.js';
import { readsExecutions } from '../execution-access.js';
import * as form from '../form.js';
import { importedFrom } from '../forms/imported-from.js';
import { workflowDefForm } from '../forms/workflow-def.js';

const chars = (of: string): form.Form => form.integer(`Characters of its ${of}, as JSON`);

/** An execution without payloads. */
const headForm: form.Form = form.object(
  'WorkflowHead',
  {
    workflowId: form.text(),
    workflowName: form.text(),
    workflowVersion: form.integer(),
    status: form.oneOf(workflowStatuses),
    startTime: form.time(),
    updateTime: form.time(),
    endTime: form.time('Epoch milliseconds; 0 while it runs'),
    priority: form.integer(),
    inputChars: chars('input'),
    outputChars: chars('output'),
    variablesChars: chars('variables'),
    failedReferenceTaskNames: form.list(form.text()),
    correlationId: form.text(),
    parentWorkflowId: form.text(),
    createdBy: form.text(),
    event: form.text(),
    reasonForIncompletion: form.text(),
    traceId: form.text('Of the trace it belongs to: 32 hexadecimal digits'),
    failureWorkflowId: form.text('The failure workflow that it started'),
    failedWorkflowId: form.text('The execution whose failure started this one'),
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

const outlineForm: form.Form = form.object(
  'WorkflowOutline',
  {
    head: headForm,
    workflowDefinition: workflowDefForm,
    revision: form.integer('Rises with every change'),
    tasks: form.object(
      'OutlineTasks',
      {
        columns: form.list(form.oneOf(outlineColumns), 'Names of the values of a row, in order'),
        rows: form.list(form.list({ type: ['string', 'integer', 'boolean', 'null'] })),
      },
      ['columns', 'rows'],
    ),
  },
  ['head', 'workflowDefinition', 'revision', 'tasks'],
);

const historyEntryForm: form.Form = form.object(
  'HistoryEntry',
  {
    revision: form.integer('Number of the entry, from 1; a gap at the begin: older ones are gone'),
    time: form.time('Epoch milliseconds'),
    actor: form.text('Id of who did it; empty while authentication is off'),
    actorKind: form.text('What kind of identity that is: local, user, application or system'),
    action: form.text(
      'What was done, such as `pause`, `retry`, `skip-task`; `event-refused`: a sink got no event',
    ),
    taskId: form.text('The task that it was about'),
    reason: form.text("In the actor's words"),
    changes: {
      ...form.anyObject,
      description: 'What was given: flags and names; of payloads the names of their members only',
    },
  },
  ['revision', 'time', 'actor', 'actorKind', 'action'],
);

const historyForm: form.Form = form.list(historyEntryForm, 'Oldest first');

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
        includeTasks: query(form.flag('Whether the tasks are shown', { default: true })),
      },
      reply: writtenJson(outlineForm),
      handle: (request) => {
        const id = request.param('workflowId');
        const includeTasks = request.queryBoolean('includeTasks', true);
        return outlineWorkflow(context, request.caller, { id, includeTasks });
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/workflow/:workflowId/history',
      name: 'getWorkflowHistory',
      summary: 'Shows who controlled or edited an execution, and why.',
      reply: historyForm,
      handle: (request) => workflowHistory(context, request.caller, request.param('workflowId')),
    }),
  ];
}
