// Routes that carry out one operation on many executions (contract-core 11).
import { AnswerSize } from '../../operation/answer-size.js';
import { parseBulkIds, runBulk, type BulkOutcome } from '../../operation/bulk.js';
import type { OperationContext } from '../../operation/context.js';
import {
  pauseWorkflow,
  resumeWorkflow,
  terminateWorkflow,
} from '../../operation/control-workflow.js';
import { getWorkflow } from '../../operation/get-workflow.js';
import { removeWorkflow, terminateAndRemoveWorkflow } from '../../operation/remove-workflow.js';
import { restartWorkflow } from '../../operation/restart-workflow.js';
import { retryWorkflow } from '../../operation/retry-workflow.js';
import type { ApiResponse } from '../http-server.js';
import { jsonText, type Method, type Route, type RouteRequest } from '../route.js';

export function bulkRoutes(context: OperationContext): Route[] {
  const remove = (request: RouteRequest): Act => {
    const archiveWorkflow = request.queryBoolean('archiveWorkflow', true);
    return (id) => removeWorkflow(context, id, archiveWorkflow);
  };
  return [
    bulk('PUT', 'pause', 'pauseWorkflow', () => (id) => pauseWorkflow(context, id)),
    bulk('PUT', 'resume', 'resumeWorkflow', () => (id) => resumeWorkflow(context, id)),
    bulk('POST', 'restart', 'restart', (request) => {
      const useLatest = request.queryBoolean('useLatestDefinitions', false);
      return (id) => restartWorkflow(context, id, useLatest);
    }),
    bulk('POST', 'retry', 'retry', () => (id) => {
      const options = { resumeSubworkflowTasks: false, retryIfRetriedByParent: true };
      return retryWorkflow(context, id, options);
    }),
    bulk('POST', 'terminate', 'terminate', (request) => {
      const reason = request.query('reason');
      const triggerFailureWorkflow = request.queryBoolean('triggerFailureWorkflow', false);
      return (id) => terminateWorkflow(context, id, { reason, triggerFailureWorkflow });
    }),
    bulk('DELETE', 'remove', 'deleteWorkflow', remove),
    bulk('POST', 'delete', 'deleteWorkflow', remove),
    bulk('DELETE', 'terminate-remove', 'terminateRemove', (request) => {
      const reason = request.query('reason');
      const archiveWorkflow = request.queryBoolean('archiveWorkflow', true);
      return (id) => terminateAndRemoveWorkflow(context, id, { reason, archiveWorkflow });
    }),
    {
      method: 'POST',
      pattern: '/api/workflow/bulk/search',
      handle: async (request) => {
        const ids = parseBulkIds(request.json(), 'searchWorkflows.arg0');
        const includeTasks = request.queryBoolean('includeTasks', true);
        const size = new AnswerSize();
        const read = async (id: string): Promise<string> => {
          // Refused as a whole, not for this id.
          if (size.isPassed) return '';
          const text = await getWorkflow(context, id, includeTasks);
          size.note(text);
          return text;
        };
        const outcome = await runBulk(ids, read);
        size.check();
        return answer(outcome, (each) => each.value);
      },
    },
  ];
}

type Act = (id: string) => Promise<void>;

/** `name` stands in the path of violations. */
function bulk(
  method: Method,
  verb: string,
  name: string,
  actOf: (request: RouteRequest) => Act,
): Route {
  const handle = async (request: RouteRequest): Promise<ApiResponse> => {
    const ids = parseBulkIds(request.json(), `${name}.arg0`);
    return answer(await runBulk(ids, actOf(request)), (each) => JSON.stringify(each.id));
  };
  return { method, pattern: `/api/workflow/bulk/${verb}`, handle };
}

/** BulkResponse (contract-core 4.2); `show` gives the JSON text of a success. */
function answer<T>(
  outcome: BulkOutcome<T>,
  show: (each: { id: string; value: T }) => string,
): ApiResponse {
  const errors = JSON.stringify(Object.fromEntries(outcome.failed));
  const results = outcome.succeeded.map(show).join(',');
  return jsonText(`{"bulkErrorResults":${errors},"bulkSuccessfulResults":[${results}]}`);
}
