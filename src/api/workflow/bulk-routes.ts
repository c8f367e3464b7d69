// Endpoints that carry out one operation on many executions (contract-core 11).
import type { Control } from '../../model/caller.js';
import { AnswerSize } from '../../operation/answer-size.js';
import { parseBulkIds, runBulk, type BulkOutcome } from '../../operation/bulk.js';
import type { OperationContext } from '../../operation/context.js';
import {
  pauseWorkflow,
  resumeWorkflow,
  terminateWorkflow,
} from '../../operation/control-workflow.js';
import { getWorkflow } from '../../operation/get-workflow.js';
import { removeEvenIfCompleted, removeWorkflow } from '../../operation/remove-workflow.js';
import { restartWorkflow } from '../../operation/restart-workflow.js';
import { retryWorkflow } from '../../operation/retry-workflow.js';
import {
  body,
  endpoint,
  query,
  writtenJson,
  type Endpoint,
  type Method,
  type Parameter,
} from '../endpoint.js';
import { changesExecutions, readsExecutions, reason } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import {
  bulkResponseSchema,
  workflowBulkResponseSchema,
  workflowIdsSchema,
} from '../schemas/bulk-response.js';
import type { RouteRequest } from '../route.js';

const archives = query(schema.flag('Whether only ended executions are removed', { default: true }));

export function bulkRoutes(context: OperationContext): Endpoint[] {
  return [
    bulk({
      method: 'PUT',
      verb: 'pause',
      name: 'pauseWorkflows',
      argument: 'pauseWorkflow.arg0',
      summary: 'Pauses executions.',
      actOf: (control) => (id) => pauseWorkflow(context, control, id),
    }),
    bulk({
      method: 'PUT',
      verb: 'resume',
      name: 'resumeWorkflows',
      argument: 'resumeWorkflow.arg0',
      summary: 'Lets paused executions go on.',
      actOf: (control) => (id) => resumeWorkflow(context, control, id),
    }),
    bulk({
      method: 'POST',
      verb: 'restart',
      name: 'restartWorkflows',
      argument: 'restart.arg0',
      summary: 'Starts ended executions again from the beginning.',
      parameters: {
        useLatestDefinitions: query(
          schema.flag('Whether the latest version is taken', { default: false }),
        ),
      },
      actOf: (control, request) => {
        const useLatestDefinitions = request.queryBoolean('useLatestDefinitions');
        return (id) => restartWorkflow(context, control, { id, useLatestDefinitions });
      },
    }),
    bulk({
      method: 'POST',
      verb: 'retry',
      name: 'retryWorkflows',
      argument: 'retry.arg0',
      summary: 'Retries the failed tasks of ended executions.',
      actOf: (control) => (id) => {
        const options = { resumeSubworkflowTasks: false, retryIfRetriedByParent: true };
        return retryWorkflow(context, control, { id, ...options });
      },
    }),
    ...endingRoutes(context),
    searchRoute(context),
  ];
}

function endingRoutes(context: OperationContext): Endpoint[] {
  const remove = {
    argument: 'deleteWorkflow.arg0',
    summary: 'Removes executions and all their records.',
    parameters: { archiveWorkflow: archives },
    actOf: (control: Control, request: RouteRequest): Act => {
      const archiveWorkflow = request.queryBoolean('archiveWorkflow');
      return (id) => removeWorkflow(context, control, { id, archiveWorkflow });
    },
  };
  return [
    bulk({
      method: 'POST',
      verb: 'terminate',
      name: 'terminateWorkflows',
      argument: 'terminate.arg0',
      summary: 'Terminates executions and their children.',
      parameters: {
        triggerFailureWorkflow: query(
          schema.flag('Whether their failure workflows are started', { default: false }),
        ),
      },
      actOf: (control, request) => {
        const triggerFailureWorkflow = request.queryBoolean('triggerFailureWorkflow');
        return (id) => terminateWorkflow(context, control, { id, triggerFailureWorkflow });
      },
    }),
    bulk({ ...remove, method: 'DELETE', verb: 'remove', name: 'removeWorkflows' }),
    bulk({ ...remove, method: 'POST', verb: 'delete', name: 'deleteWorkflows' }),
    bulk({
      method: 'DELETE',
      verb: 'terminate-remove',
      name: 'terminateAndRemoveWorkflows',
      argument: 'terminateRemove.arg0',
      summary: 'Terminates executions and removes all their records.',
      parameters: { archiveWorkflow: archives },
      actOf: (control, request) => {
        const archiveWorkflow = request.queryBoolean('archiveWorkflow');
        return (id) => removeEvenIfCompleted(context, control, { id, archiveWorkflow });
      },
    }),
  ];
}

function searchRoute(context: OperationContext): Endpoint {
  return endpoint({
    method: 'POST',
    pattern: '/api/workflow/bulk/search',
    name: 'getWorkflows',
    summary: 'Shows executions by their ids.',
    access: readsExecutions,
    audit: 'reads',
    parameters: {
      includeTasks: query(schema.flag('Whether the tasks are shown', { default: true })),
    },
    body: body(workflowIdsSchema),
    reply: writtenJson(workflowBulkResponseSchema),
    errors: ['validation'],
    handle: async (request) => {
      const ids = parseBulkIds(request.json(), 'searchWorkflows.arg0');
      const includeTasks = request.queryBoolean('includeTasks');
      const size = new AnswerSize();
      const read = async (id: string): Promise<string> => {
        // Refused as a whole, not for this id.
        if (size.isPassed) return '';
        const text = await getWorkflow(context, request.caller, { id, includeTasks });
        size.note(text);
        return text;
      };
      const outcome = await runBulk(ids, read);
      size.check();
      return answer(outcome, (each) => each.value);
    },
  });
}

type Act = (id: string) => Promise<void>;

interface Bulk {
  readonly method: Method;
  readonly verb: string;
  readonly name: string;
  /** Stands in the path of violations. */
  readonly argument: string;
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly actOf: (control: Control, request: RouteRequest) => Act;
}

function bulk({ verb, argument, actOf, ...entry }: Bulk): Endpoint {
  return endpoint({
    ...entry,
    parameters: { ...entry.parameters, reason },
    pattern: `/api/workflow/bulk/${verb}`,
    access: changesExecutions,
    body: body(workflowIdsSchema),
    reply: writtenJson(bulkResponseSchema),
    errors: ['validation'],
    handle: async (request) => {
      const ids = parseBulkIds(request.json(), argument);
      for (const id of ids) request.noteObject(id);
      const act = actOf(request.control(), request);
      return answer(await runBulk(ids, act), (each) => JSON.stringify(each.id));
    },
  });
}

/** BulkResponse (contract-core 4.2); `show` gives the JSON text of a success. */
function answer<T>(
  outcome: BulkOutcome<T>,
  show: (each: { id: string; value: T }) => string,
): string {
  const errors = JSON.stringify(Object.fromEntries(outcome.failed));
  const results = outcome.succeeded.map(show).join(',');
  return `{"bulkErrorResults":${errors},"bulkSuccessfulResults":[${results}]}`;
}
