// Endpoints that hand out tasks to workers (contract-core 15.2, 15.5).
import type { OperationContext } from '../../operation/context.js';
import { pollTasks, pollTimeoutMs, type PollTasks } from '../../operation/poll-tasks.js';
import type { TaskText } from '../../queue/task-queues.js';
import {
  endpoint,
  header,
  query,
  rawEndpoint,
  replies,
  type AccessRule,
  type Endpoint,
  type Parameter,
} from '../endpoint.js';
import { changesExecutions } from '../execution-access.js';
import type { ApiResponse } from '../http-server.js';
import * as schema from '../../model/schema.js';
import { taskSchema } from '../schemas/task.js';
import type { RouteRequest } from '../route.js';
import { listOfTasks, oneTask, traceHeadersDeclared } from './handed-out.js';

/** The right may come from the domain that is polled, which the operation knows. */
const pollsType: AccessRule = { rule: 'each', type: 'TASK_DEF', right: 'EXECUTE' };
const pollerParameters: Readonly<Record<string, Parameter>> = {
  workerid: query(schema.text('Who polls')),
  domain: query(schema.text('Domain of the queue; absent for none')),
  'user-agent': header(schema.text('What the client calls itself, for the list of workers')),
  'x-forwarded-for': header(schema.text('Set by proxies; counts when they are trusted')),
};

/** The address of a client, behind proxies too: its peer, and the header that proxies set. */
export type ClientOf = (remote: string, forwardedFor: string | undefined) => string;

export function pollRoutes(
  context: OperationContext,
  clientOf: ClientOf = (remote) => remote,
): Endpoint[] {
  return [
    rawEndpoint({
      method: 'GET',
      pattern: '/api/tasks/poll/:taskType',
      name: 'pollTask',
      summary: 'Hands out one task, after a short wait for it.',
      access: pollsType,
      audit: 'routine',
      parameters: pollerParameters,
      replies: replies(
        taskSchema,
        { 204: { schema: null, description: 'There is none' } },
        traceHeadersDeclared,
      ),
      errors: ['too-many'],
      handle: (request) =>
        pollTasks(context, request.caller, {
          ...pollerOf(request, clientOf),
          count: 1,
          timeoutMs: pollTimeoutMs,
        }).then(([task]) => oneTask(task)),
    }),
    rawEndpoint({
      method: 'GET',
      pattern: '/api/tasks/poll/batch/:taskType',
      name: 'pollTasks',
      summary: 'Hands out tasks, after a wait for the first one.',
      access: pollsType,
      audit: 'routine',
      parameters: {
        ...pollerParameters,
        count: query(schema.integer('Most tasks to hand out', { default: 1 })),
        timeout: query(schema.integer('Longest wait in milliseconds', { default: 100 })),
      },
      replies: replies(schema.list(taskSchema), {}, traceHeadersDeclared),
      errors: ['too-many'],
      handle: (request) =>
        pollTasks(context, request.caller, {
          ...pollerOf(request, clientOf),
          count: request.queryNumber('count'),
          timeoutMs: request.queryNumber('timeout'),
        }).then(taken),
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/tasks/:taskId/ack',
      name: 'acknowledgeTask',
      summary: 'Does nothing: a hand-out acknowledges its task already.',
      access: changesExecutions,
      audit: 'persons',
      reply: schema.flag('Always true'),
      handle: () => true,
    }),
  ];
}

/**
 * Lays the tasks out and releases their texts. The promises that brought them were made when the
 * poll began to wait, so they are old objects: the texts that they name would be copied and kept
 * until the next collection of those, a third of all that was (docs/performance.md).
 */
function taken(tasks: TaskText[]): ApiResponse {
  const answer = listOfTasks(tasks);
  tasks.length = 0;
  return answer;
}

function pollerOf(
  request: RouteRequest,
  clientOf: ClientOf,
): Pick<PollTasks, 'taskType' | 'domain' | 'workerId' | 'onAbort' | 'origin'> {
  return {
    taskType: request.param('taskType'),
    domain: request.query('domain'),
    workerId: request.query('workerid'),
    onAbort: (listener) => request.onAbort(listener),
    origin: () => ({
      address: clientOf(request.remoteAddress, request.header('x-forwarded-for')),
      client: request.header('user-agent'),
    }),
  };
}
