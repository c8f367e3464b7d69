// Routes that control executions (contract-core 10, 14).
import {
  parseRerunWorkflowRequest,
  parseSkipTaskRequest,
  parseUpgradeWorkflowRequest,
  parseWorkflowStateUpdate,
} from '../../model/parse-control-requests.js';
import type { OperationContext } from '../../operation/context.js';
import {
  decideWorkflow,
  jumpToTask,
  pauseWorkflow,
  resetCallbacks,
  resumeWorkflow,
  skipTask,
  terminateWorkflow,
  updateVariables,
} from '../../operation/control-workflow.js';
import { parseTaskRefs, waitMsOf } from '../../operation/execute-workflow.js';
import { getWorkflow } from '../../operation/get-workflow.js';
import { pushMessage } from '../../operation/push-message.js';
import { removeWorkflow, terminateAndRemoveWorkflow } from '../../operation/remove-workflow.js';
import { rerunWorkflow } from '../../operation/rerun-workflow.js';
import { restartWorkflow } from '../../operation/restart-workflow.js';
import { retryWorkflow } from '../../operation/retry-workflow.js';
import { updateState } from '../../operation/update-state.js';
import { upgradeWorkflow } from '../../operation/upgrade-workflow.js';
import type { ApiResponse } from '../http-server.js';
import { empty, jsonText, text, type Method, type Route, type RouteRequest } from '../route.js';

export function controlRoutes(context: OperationContext): Route[] {
  return [
    control('PUT', '/api/workflow/:workflowId/pause', (id) => pauseWorkflow(context, id)),
    control('PUT', '/api/workflow/:workflowId/resume', (id) => resumeWorkflow(context, id)),
    control('PUT', '/api/workflow/decide/:workflowId', (id) => decideWorkflow(context, id)),
    control('DELETE', '/api/workflow/:workflowId', (id, request) =>
      terminateWorkflow(context, id, {
        reason: request.query('reason'),
        triggerFailureWorkflow: request.queryBoolean('triggerFailureWorkflow', false),
      }),
    ),
    control('DELETE', '/api/workflow/:workflowId/remove', (id, request) =>
      removeWorkflow(context, id, request.queryBoolean('archiveWorkflow', true)),
    ),
    control('DELETE', '/api/workflow/:workflowId/terminate-remove', (id, request) =>
      terminateAndRemoveWorkflow(context, id, {
        reason: request.query('reason'),
        archiveWorkflow: request.queryBoolean('archiveWorkflow', true),
      }),
    ),
    control('PUT', '/api/workflow/:workflowId/skiptask/:taskReferenceName', (id, request) => {
      const body = parseSkipTaskRequest(request.jsonMapIfAny(), '');
      return skipTask(context, id, request.param('taskReferenceName'), body);
    }),
    control('POST', '/api/workflow/:workflowId/jump/:taskReferenceName', (id, request) => {
      // Some clients send the reference name in the query and a literal segment (contract-core 10).
      const ref = request.query('taskReferenceName') || request.param('taskReferenceName');
      return jumpToTask(context, id, ref, request.jsonMapIfAny() ?? {});
    }),
    control('POST', '/api/workflow/:workflowId/upgrade', (id, request) =>
      upgradeWorkflow(
        context,
        id,
        parseUpgradeWorkflowRequest(request.json(), 'upgradeWorkflow.arg1'),
      ),
    ),
    ...historicalRoutes(context),
    ...answeringRoutes(context),
  ];
}

/** Answered with 204 (contract-core 10, 21.3). */
function historicalRoutes(context: OperationContext): Route[] {
  return [
    control(
      'POST',
      '/api/workflow/:workflowId/restart',
      (id, request) =>
        restartWorkflow(context, id, request.queryBoolean('useLatestDefinitions', false)),
      204,
    ),
    control(
      'POST',
      '/api/workflow/:workflowId/retry',
      (id, request) =>
        retryWorkflow(context, id, {
          resumeSubworkflowTasks: request.queryBoolean('resumeSubworkflowTasks', false),
          retryIfRetriedByParent: request.queryBoolean('retryIfRetriedByParent', true),
        }),
      204,
    ),
    control(
      'POST',
      '/api/workflow/:workflowId/resetcallbacks',
      (id) => resetCallbacks(context, id),
      204,
    ),
  ];
}

function answeringRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'POST',
      pattern: '/api/workflow/:workflowId/rerun',
      handle: async (request) => {
        const id = request.param('workflowId');
        await rerunWorkflow(context, id, parseRerunWorkflowRequest(request.json(), ''));
        return text(id);
      },
    },
    {
      method: 'POST',
      pattern: '/api/workflow/:workflowId/variables',
      handle: async (request) => {
        const id = request.param('workflowId');
        await updateVariables(context, id, request.jsonMap());
        return jsonText(await getWorkflow(context, id, true));
      },
    },
    {
      method: 'POST',
      pattern: '/api/workflow/:workflowId/state',
      handle: async (request) => {
        const update = parseWorkflowStateUpdate(request.json(), '');
        const call = {
          requestId: request.query('requestId'),
          waitUntilTaskRefs: parseTaskRefs(request.query('waitUntilTaskRef')),
          timeoutMs: waitMsOf(context, request.queryInteger('waitForSeconds')),
          onAbort: (listener: () => void) => request.onAbort(listener),
        };
        return jsonText(await updateState(context, request.param('workflowId'), update, call));
      },
    },
  ];
}

/** Present only where the message queue is switched on (contract-core 14.1). */
export function messageRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'POST',
      pattern: '/api/workflow/:workflowId/messages',
      handle: async (request) =>
        text(await pushMessage(context, request.param('workflowId'), request.jsonMap())),
    },
  ];
}

/** A route that answers nothing but its success. */
function control(
  method: Method,
  pattern: string,
  act: (workflowId: string, request: RouteRequest) => Promise<void>,
  status: 200 | 204 = 200,
): Route {
  const handle = async (request: RouteRequest): Promise<ApiResponse> => {
    await act(request.param('workflowId'), request);
    return empty(status);
  };
  return { method, pattern, handle };
}
