// Endpoints by which workers and others report tasks (contract-core 15.3).
import {
  parseTaskResultStatus,
  parseTaskUpdate,
  reportedStatuses,
  type TaskUpdate,
} from '../../model/parse-task-result.js';
import type { OperationContext } from '../../operation/context.js';
import { getWorkflow } from '../../operation/get-workflow.js';
import { updateTask } from '../../operation/update-task.js';
import { updateTaskAndPoll } from '../../operation/update-task-and-poll.js';
import {
  updatePendingTaskByRef,
  updateTaskByRef,
  type UpdateByRef,
} from '../../operation/update-task-by-ref.js';
import {
  body,
  endpoint,
  plainText,
  query,
  rawEndpoint,
  replies,
  writtenJson,
  type Endpoint,
} from '../endpoint.js';
import { changesExecutions } from '../execution-access.js';
import * as schema from '../../model/schema.js';
import { taskSchema, taskResultSchema } from '../schemas/task.js';
import { workflowSchema } from '../schemas/workflow.js';
import { empty, text, type RouteRequest } from '../route.js';
import { oneTask, traceHeadersDeclared } from './handed-out.js';

const byRef = {
  method: 'POST',
  access: changesExecutions,
  audit: 'persons',
  parameters: { workerid: query(schema.text('Who reports')) },
  path: { status: schema.oneOf(reportedStatuses) },
  body: body({ ...schema.anyObject, description: 'Merged into the output' }, false),
  errors: ['not-found'],
} as const;

export function updateRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/tasks',
      name: 'updateTask',
      summary: 'Reports how a task went.',
      access: changesExecutions,
      audit: 'persons',
      parameters: {
        onlyIfOpen: query(
          schema.flag(
            'Whether a report that changes nothing, because its task has ended, is refused',
            {
              default: false,
            },
          ),
        ),
      },
      body: body(taskResultSchema),
      reply: plainText('Id of the task'),
      errors: ['validation', 'not-found', 'conflict', 'too-many'],
      handle: async (request) => {
        const read = reportOf(request);
        const update = read instanceof Promise ? await read : read;
        const onlyIfOpen = request.queryBoolean('onlyIfOpen');
        await updateTask(context, request.caller, update, onlyIfOpen);
        return update.taskId;
      },
    }),
    rawEndpoint({
      method: 'POST',
      pattern: '/api/tasks/update-v2',
      name: 'updateTaskAndPoll',
      summary: 'Reports how a task went and hands out the next one of its queue.',
      access: changesExecutions,
      audit: 'persons',
      body: body(taskResultSchema),
      replies: replies(
        taskSchema,
        { 204: { schema: null, description: 'There is no next one' } },
        traceHeadersDeclared,
      ),
      errors: ['validation', 'not-found', 'too-many'],
      handle: async (request) => {
        const read = reportOf(request);
        const update = read instanceof Promise ? await read : read;
        const next = await updateTaskAndPoll(context, request.caller, update, (gone) =>
          request.onAbort(gone),
        );
        return oneTask(next);
      },
    }),
    rawEndpoint({
      ...byRef,
      pattern: '/api/tasks/:workflowId/:taskRefName/:status',
      name: 'updateTaskByReference',
      summary: 'Reports the first open task of a reference name.',
      replies: {
        200: {
          schema: schema.text('Id of the task'),
          contentType: 'text/plain;charset=UTF-8',
          description: 'No body when none is open',
        },
      },
      handle: async (request) => {
        const taskId = await updateTaskByRef(context, request.caller, updateOf(request));
        return taskId === undefined ? empty() : text(taskId);
      },
    }),
    endpoint({
      ...byRef,
      pattern: '/api/tasks/:workflowId/:taskRefName/:status/sync',
      name: 'updateTaskByReferenceSync',
      summary: 'Reports the first open task of a reference name and shows the execution.',
      reply: writtenJson(workflowSchema),
      handle: async (request) => {
        const update = updateOf(request);
        await updatePendingTaskByRef(context, request.caller, update);
        const shown = { id: update.workflowId, includeTasks: true };
        return await getWorkflow(context, request.caller, shown);
      },
    }),
  ];
}

/** A large output stays text: most are stored as they came. */
function reportOf(request: RouteRequest): TaskUpdate | Promise<TaskUpdate> {
  const large = request.largeMap('outputData');
  if (large === undefined) return parseTaskUpdate(request.json(), reportPath);
  return large.then(({ rest, kept }) => {
    const update = parseTaskUpdate(rest, reportPath);
    if (kept !== undefined) update.result.output = kept;
    return update;
  });
}

/** Where violations stand (contract-core 15.1). */
const reportPath = 'updateTask.arg0';

function updateOf(request: RouteRequest): UpdateByRef {
  return {
    workflowId: request.param('workflowId'),
    ref: request.param('taskRefName'),
    status: parseTaskResultStatus(request.param('status')),
    output: request.jsonMapIfAny() ?? {},
    workerId: request.query('workerid') || undefined,
  };
}
