// Routes of tasks (contract-core 15, 16.2): polling, reporting, reading, logs, signals.
import { AppError } from '../model/errors.js';
import { parseTaskResultStatus, parseTaskUpdate } from '../model/parse-task-result.js';
import type { OperationContext } from '../operation/context.js';
import { waitAndRespond } from '../operation/execute-workflow.js';
import { getTask } from '../operation/get-task.js';
import { getWorkflow } from '../operation/get-workflow.js';
import { pollTasks, pollTimeoutMs } from '../operation/poll-tasks.js';
import { parseReturnStrategy } from '../operation/signal-response.js';
import { signalWorkflow } from '../operation/signal-workflow.js';
import { addTaskLog, listTaskLogs } from '../operation/task-logs.js';
import { updateTask } from '../operation/update-task.js';
import { updateTaskAndPoll } from '../operation/update-task-and-poll.js';
import {
  updatePendingTaskByRef,
  updateTaskByRef,
  type UpdateByRef,
} from '../operation/update-task-by-ref.js';
import { empty, json, jsonText, text, type Route, type RouteRequest } from './route.js';

export function taskRoutes(context: OperationContext): Route[] {
  return [
    ...pollRoutes(context),
    ...updateRoutes(context),
    ...signalRoutes(context),
    {
      method: 'GET',
      pattern: '/api/tasks/:taskId',
      handle: async (request) => jsonText(await getTask(context, request.param('taskId'))),
    },
    {
      method: 'GET',
      pattern: '/api/tasks/:taskId/log',
      handle: async (request) => {
        const logs = await listTaskLogs(context, request.param('taskId'));
        return logs.length === 0 ? empty(204) : jsonText(`[${logs.join(',')}]`);
      },
    },
    {
      method: 'POST',
      pattern: '/api/tasks/:taskId/log',
      handle: async (request) => {
        await addTaskLog(context, request.param('taskId'), request.textLine());
        return empty();
      },
    },
    {
      // One client library still sends it; a hand-out acknowledges the task already (contract-core
      // 15.5).
      method: 'POST',
      pattern: '/api/tasks/:taskId/ack',
      handle: () => json(true),
    },
  ];
}

function pollRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/tasks/poll/:taskType',
      handle: async (request) => {
        const [task] = await pollTasks(context, {
          ...pollerOf(request),
          count: 1,
          timeoutMs: pollTimeoutMs,
        });
        return task === undefined ? empty(204) : jsonText(task);
      },
    },
    {
      method: 'GET',
      pattern: '/api/tasks/poll/batch/:taskType',
      handle: async (request) => {
        const tasks = await pollTasks(context, {
          ...pollerOf(request),
          count: request.queryInteger('count') ?? 1,
          timeoutMs: request.queryInteger('timeout') ?? pollTimeoutMs,
        });
        return jsonText(listText(tasks));
      },
    },
  ];
}

/**
 * A JSON list of texts. Concatenated, not joined: such a text is laid out in memory once, on its
 * way out.
 */
function listText(items: readonly string[]): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) text += i === 0 ? items[i] : `,${items[i]}`;
  return text + ']';
}

function updateRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'POST',
      pattern: '/api/tasks',
      handle: async (request) => {
        const update = parseTaskUpdate(request.json(), 'updateTask.arg0');
        await updateTask(context, update);
        return text(update.taskId);
      },
    },
    {
      method: 'POST',
      pattern: '/api/tasks/update-v2',
      handle: async (request) => {
        const update = parseTaskUpdate(request.json(), 'updateTask.arg0');
        const next = await updateTaskAndPoll(context, update, (gone) => request.onAbort(gone));
        return next === undefined ? empty(204) : jsonText(next);
      },
    },
    {
      method: 'POST',
      pattern: '/api/tasks/:workflowId/:taskRefName/:status',
      handle: async (request) => {
        const taskId = await updateTaskByRef(context, updateOf(request));
        return taskId === undefined ? empty() : text(taskId);
      },
    },
    {
      method: 'POST',
      pattern: '/api/tasks/:workflowId/:taskRefName/:status/sync',
      handle: async (request) => {
        const update = updateOf(request);
        await updatePendingTaskByRef(context, update);
        return jsonText(await getWorkflow(context, update.workflowId, true));
      },
    },
  ];
}

/** What a synchronous signal waits, ms (contract-core 21.1). */
const signalTimeoutMs = 5000;

function signalRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'POST',
      pattern: '/api/tasks/:workflowId/:status/signal',
      handle: async (request) => {
        await signalWorkflow(context, request.param('workflowId'), signalOf(request));
        return empty();
      },
    },
    {
      method: 'POST',
      pattern: '/api/tasks/:workflowId/:status/signal/sync',
      handle: async (request) => {
        const targetId = request.param('workflowId');
        const strategy = parseReturnStrategy(request.query('returnStrategy'));
        const wanted = request.queryLong('timeoutMillis') ?? signalTimeoutMs;
        const call = {
          strategy,
          requestId: request.query('requestId'),
          waitUntilTaskRefs: [],
          timeoutMs: Math.min(Math.max(0, wanted), context.limits.waitSecondsMax * 1000),
          onAbort: (listener: () => void) => request.onAbort(listener),
        };
        if (!(await signalWorkflow(context, targetId, signalOf(request)))) {
          throw new AppError(
            'not-found',
            `Found no blocked task in workflow ${targetId} to signal`,
          );
        }
        return jsonText(await waitAndRespond(context, targetId, call));
      },
    },
  ];
}

function pollerOf(request: RouteRequest): {
  taskType: string;
  domain: string | undefined;
  workerId: string | undefined;
  onAbort: (listener: () => void) => void;
} {
  return {
    taskType: request.param('taskType'),
    domain: request.query('domain'),
    workerId: request.query('workerid'),
    onAbort: (listener) => request.onAbort(listener),
  };
}

function updateOf(request: RouteRequest): UpdateByRef {
  return {
    workflowId: request.param('workflowId'),
    ref: request.param('taskRefName'),
    status: parseTaskResultStatus(request.param('status')),
    output: request.jsonMapIfAny() ?? {},
    workerId: request.query('workerid') || undefined,
  };
}

function signalOf(request: RouteRequest): Parameters<typeof signalWorkflow>[2] {
  return {
    status: parseTaskResultStatus(request.param('status')),
    output: request.jsonMapIfAny() ?? {},
  };
}
