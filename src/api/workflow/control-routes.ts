// Endpoints that control executions (contract-core 10, 14).
import type { Control } from '../../model/caller.js';
import type { ErrorKind } from '../../model/errors.js';
import {
  rerunWorkflowRequest,
  retryWorkflowRequest,
  skipTaskRequest,
  upgradeWorkflowRequest,
  parseWorkflowStateUpdate,
} from '../../model/control-requests.js';
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
import {
  body,
  endpoint,
  plainText,
  query,
  rawEndpoint,
  writtenJson,
  type DeclaredBody,
  type Endpoint,
  type Method,
  type Parameter,
  type DeclaredReply,
} from '../endpoint.js';
import { changesExecutions, reason, waitParameters } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { workflowStateUpdateSchema } from '../schemas/control-requests.js';
import { signalResponseSchema, workflowSchema } from '../schemas/workflow.js';
import { empty, text, type RouteRequest } from '../route.js';

const archiveWorkflow = query(
  schema.flag('Whether only an ended execution is removed', { default: true }),
);

export function controlRoutes(context: OperationContext): Endpoint[] {
  return [
    control({
      method: 'PUT',
      pattern: '/api/workflow/:workflowId/pause',
      name: 'pauseWorkflow',
      summary: 'Pauses an execution: nothing new is scheduled.',
      act: (id, control) => pauseWorkflow(context, control, id),
    }),
    control({
      method: 'PUT',
      pattern: '/api/workflow/:workflowId/resume',
      name: 'resumeWorkflow',
      summary: 'Lets a paused execution go on.',
      act: (id, control) => resumeWorkflow(context, control, id),
    }),
    control({
      method: 'PUT',
      pattern: '/api/workflow/decide/:workflowId',
      name: 'decideWorkflow',
      summary: 'Looks at an execution again and does what is due.',
      act: (id, control) => decideWorkflow(context, control, id),
    }),
    control({
      method: 'PUT',
      pattern: '/api/workflow/:workflowId/skiptask/:taskReferenceName',
      name: 'skipTask',
      summary:
        'Records a task as skipped that is not scheduled yet, or, when told so, one that is open.',
      parameters: {
        evenIfOpen: query(
          schema.flag('Whether a task is skipped too that is scheduled, waits or a worker has', {
            default: false,
          }),
        ),
      },
      body: body(skipTaskRequest.schema, false),
      act: (id, control, request) => {
        const ref = request.param('taskReferenceName');
        const skip = skipTaskRequest.parse(request.jsonMapIfAny() ?? {});
        const evenIfOpen = request.queryBoolean('evenIfOpen');
        return skipTask(context, control, { id, ref, ...(evenIfOpen && { evenIfOpen }), ...skip });
      },
    }),
    control({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/jump/:taskReferenceName',
      name: 'jumpToTask',
      summary: 'Goes on with another task of the definition.',
      parameters: {
        taskReferenceName: query(schema.text('Counts more than the name in the path')),
      },
      body: body({ ...schema.anyObject, description: 'Input of that task' }, false),
      act: (id, control, request) => {
        // Some clients send the reference name in the query and a literal segment (contract-core
        // 10).
        const ref = request.query('taskReferenceName') || request.param('taskReferenceName');
        const taskInput = request.jsonMapIfAny() ?? {};
        return jumpToTask(context, control, { id, ref, taskInput });
      },
    }),
    control({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/upgrade',
      name: 'upgradeWorkflow',
      summary: 'Moves a running execution to another version of a definition.',
      body: body(upgradeWorkflowRequest.schema),
      errors: ['validation', 'not-found', 'conflict'],
      act: (id, control, request) => {
        const upgrade = upgradeWorkflowRequest.parse(request.json(), 'upgradeWorkflow.arg1');
        return upgradeWorkflow(context, control, { id, ...upgrade });
      },
    }),
    ...endingRoutes(context),
    ...historicalRoutes(context),
    ...answeringRoutes(context),
  ];
}

function endingRoutes(context: OperationContext): Endpoint[] {
  return [
    control({
      method: 'DELETE',
      pattern: '/api/workflow/:workflowId',
      name: 'terminateWorkflow',
      summary: 'Terminates an execution and its children.',
      parameters: {
        triggerFailureWorkflow: query(
          schema.flag('Whether its failure workflow is started', { default: false }),
        ),
      },
      act: (id, control, request) =>
        terminateWorkflow(context, control, {
          id,
          triggerFailureWorkflow: request.queryBoolean('triggerFailureWorkflow'),
        }),
    }),
    control({
      method: 'DELETE',
      pattern: '/api/workflow/:workflowId/remove',
      name: 'removeWorkflow',
      summary: 'Removes an execution and all its records.',
      parameters: { archiveWorkflow },
      errors: ['not-found'],
      act: (id, control, request) =>
        removeWorkflow(context, control, {
          id,
          archiveWorkflow: request.queryBoolean('archiveWorkflow'),
        }),
    }),
    control({
      method: 'DELETE',
      pattern: '/api/workflow/:workflowId/terminate-remove',
      name: 'terminateAndRemoveWorkflow',
      summary: 'Terminates an execution and removes all its records.',
      parameters: { archiveWorkflow },
      act: (id, control, request) =>
        terminateAndRemoveWorkflow(context, control, {
          id,
          archiveWorkflow: request.queryBoolean('archiveWorkflow'),
        }),
    }),
  ];
}

/** Answered with 204 (contract-core 10, 21.3). */
function historicalRoutes(context: OperationContext): Endpoint[] {
  return [
    control({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/restart',
      name: 'restartWorkflow',
      summary: 'Starts an ended execution again from the beginning.',
      parameters: {
        useLatestDefinitions: query(
          schema.flag('Whether the latest version is taken', { default: false }),
        ),
      },
      status: 204,
      act: (id, control, request) =>
        restartWorkflow(context, control, {
          id,
          useLatestDefinitions: request.queryBoolean('useLatestDefinitions'),
        }),
    }),
    control({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/retry',
      name: 'retryWorkflow',
      summary: 'Retries the failed tasks of an ended execution, also with inputs put right.',
      parameters: {
        resumeSubworkflowTasks: query(
          schema.flag('Whether failed children are retried in place', { default: false }),
        ),
        retryIfRetriedByParent: query(
          schema.flag('Whether it is retried although its parent has done so', { default: true }),
        ),
      },
      body: body(retryWorkflowRequest.schema, false),
      status: 204,
      act: (id, control, request) => {
        const { reason = control.reason, ...edits } = retryWorkflowRequest.parse(
          request.jsonMapIfAny() ?? {},
        );
        return retryWorkflow(
          context,
          { ...control, reason },
          {
            id,
            resumeSubworkflowTasks: request.queryBoolean('resumeSubworkflowTasks'),
            retryIfRetriedByParent: request.queryBoolean('retryIfRetriedByParent'),
            ...edits,
          },
        );
      },
    }),
    control({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/resetcallbacks',
      name: 'resetCallbacks',
      summary: 'Lets delayed tasks be polled at once.',
      status: 204,
      act: (id, control) => resetCallbacks(context, control, id),
    }),
  ];
}

function answeringRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/rerun',
      name: 'rerunWorkflow',
      summary: 'Runs an ended execution again, from the start or from one of its tasks.',
      access: changesExecutions,
      parameters: { reason },
      body: body(rerunWorkflowRequest.schema),
      reply: plainText('Id of the execution'),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const id = request.param('workflowId');
        const rerun = rerunWorkflowRequest.parse(request.json());
        await rerunWorkflow(context, request.control(), { id, ...rerun });
        return id;
      },
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/variables',
      name: 'updateVariables',
      summary: 'Merges the body into the variables of an execution.',
      access: changesExecutions,
      parameters: { reason },
      body: body(schema.anyObject),
      reply: writtenJson(workflowSchema),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const id = request.param('workflowId');
        const variables = request.jsonMap();
        await updateVariables(context, request.control(), { id, variables });
        const shown = { id, includeTasks: true };
        return await getWorkflow(context, request.caller, shown);
      },
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/state',
      name: 'updateWorkflowState',
      summary: 'Reports a task, sets variables and waits until the execution ends or blocks.',
      access: changesExecutions,
      audit: 'persons',
      parameters: {
        ...waitParameters,
        reason,
      },
      body: body(workflowStateUpdateSchema),
      reply: writtenJson(signalResponseSchema),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const update = parseWorkflowStateUpdate(request.json(), '');
        const call = {
          requestId: request.query('requestId'),
          waitUntilTaskRefs: parseTaskRefs(request.query('waitUntilTaskRef')),
          timeoutMs: waitMsOf(context, request.queryInteger('waitForSeconds')),
          onAbort: (listener: () => void) => request.onAbort(listener),
        };
        const id = request.param('workflowId');
        const control = request.control();
        return await updateState(context, control, { id, ...update }, call);
      },
    }),
  ];
}

/** Present only where the message queue is switched on (contract-core 14.1). */
export function messageRoutes(context: OperationContext): Endpoint[] {
  return [
    rawEndpoint({
      method: 'POST',
      pattern: '/api/workflow/:workflowId/messages',
      name: 'pushMessage',
      summary: 'Puts a message into the queue of an execution.',
      access: changesExecutions,
      audit: 'persons',
      body: body(schema.anyObject),
      replies: {
        200: { schema: schema.text('Id of the message'), contentType: textType },
        404: plainRefusal('No such execution'),
        409: plainRefusal('The execution does not take messages'),
        429: plainRefusal('The queue is full'),
      },
      handle: async (request) => {
        const message = { id: request.param('workflowId'), payload: request.jsonMap() };
        return text(await pushMessage(context, request.caller, message));
      },
    }),
  ];
}

const textType = 'text/plain;charset=UTF-8';

function plainRefusal(description: string): DeclaredReply {
  return { schema: schema.text(), contentType: textType, description };
}

interface ControlEntry {
  readonly method: Method;
  readonly pattern: string;
  readonly name: string;
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly body?: DeclaredBody;
  /** 'not-found' and 'conflict' when absent. */
  readonly errors?: readonly ErrorKind[];
  /** 200 when absent. */
  readonly status?: 200 | 204;
  readonly act: (workflowId: string, control: Control, request: RouteRequest) => Promise<void>;
}

/** An endpoint that answers nothing but its success. */
function control({ act, status = 200, ...entry }: ControlEntry): Endpoint {
  return rawEndpoint({
    access: changesExecutions,
    errors: ['not-found', 'conflict'],
    ...entry,
    parameters: { ...entry.parameters, reason },
    replies: { [status]: { schema: null } },
    handle: async (request) => {
      await act(request.param('workflowId'), request.control(), request);
      return empty(status);
    },
  });
}
