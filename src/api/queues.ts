// Endpoints of task queues and of who polls them (contract-core 17, 18.4).
import type { OperationContext } from '../operation/context.js';
import { requeueTasks } from '../operation/pending-tasks.js';
import { allQueueSizes, listPollData, queueSize, queueSizes } from '../operation/queue-sizes.js';
import {
  updateQueues,
  updateWaitTask,
  type UpdateWaitTask,
} from '../operation/update-wait-task.js';
import type { SearchStore } from '../store/search-store.js';
import {
  body,
  endpoint,
  nothing,
  plainText,
  query,
  writtenJson,
  type AccessRule,
  type Endpoint,
} from './endpoint.js';
import { administrators, changesExecutions } from './execution-access.js';
import * as schema from '../model/schema.js';
import { pollDataSchema, queuePartsSchema, queueSizesSchema } from './schemas/queue.js';
import type { RouteRequest } from './route.js';

const seesQueues: AccessRule = { rule: 'caller' };

/** `store`: the indexes of executions. */
export function queueRoutes(context: OperationContext, store: SearchStore): Endpoint[] {
  return [
    ...sizeRoutes(context),
    ...pollDataRoutes(context),
    endpoint({
      method: 'POST',
      pattern: '/api/tasks/queue/requeue/:taskType',
      name: 'requeueTasks',
      summary: 'Puts open tasks of a type into their queues where they are missing.',
      access: administrators,
      reply: plainText('How many were put back'),
      handle: async (request) =>
        String(await requeueTasks(context, store, request.param('taskType'))),
    }),
    ...waitRoutes(context),
  ];
}

function sizeRoutes(context: OperationContext): Endpoint[] {
  const sizesByName = async ({ caller }: RouteRequest): Promise<Record<string, number>> =>
    waitingByName(await allQueueSizes(context, caller));
  const listed = {
    method: 'GET',
    access: seesQueues,
  } as const;
  return [
    endpoint({
      ...listed,
      pattern: '/api/tasks/queue/sizes',
      name: 'getQueueSizes',
      summary: 'Shows how many tasks of some types wait.',
      parameters: { taskType: query(schema.text('Task type'), { repeated: true }) },
      reply: queueSizesSchema,
      handle: (request) => queueSizes(context, request.caller, request.queryAll('taskType')),
    }),
    endpoint({
      ...listed,
      pattern: '/api/tasks/queue/size',
      name: 'getQueueSize',
      summary: 'Shows how many tasks wait in a queue.',
      parameters: {
        taskType: query(schema.text('Task type'), { required: true }),
        domain: query(schema.text('Domain; absent for none')),
        isolationGroupId: query(schema.text('Group of workers')),
        executionNamespace: query(schema.text('Namespace of workers')),
      },
      reply: schema.integer('Waiting tasks'),
      handle: (request) =>
        queueSize(context, request.caller, {
          taskType: request.queryRequired('taskType'),
          domain: request.query('domain'),
          isolationGroupId: request.query('isolationGroupId'),
          executionNamespace: request.query('executionNamespace'),
        }),
    }),
    endpoint({
      ...listed,
      pattern: '/api/tasks/queue/all',
      name: 'getAllQueueSizes',
      summary: 'Shows how many tasks wait in each queue.',
      reply: queueSizesSchema,
      handle: sizesByName,
    }),
    endpoint({
      ...listed,
      pattern: '/api/queue/size',
      name: 'getAllQueueSizesShort',
      summary: 'Shows how many tasks wait in each queue.',
      reply: queueSizesSchema,
      handle: sizesByName,
    }),
    endpoint({
      ...listed,
      pattern: '/api/tasks/queue/all/verbose',
      name: 'getAllQueueParts',
      summary: 'Shows how many tasks wait in each queue and how many are polled.',
      reply: queuePartsSchema,
      handle: async ({ caller }) => {
        const sizes = await allQueueSizes(context, caller);
        // One part with any name does (contract-core 17.2).
        const parts = sizes.map((each) => [
          each.name,
          { a: { size: each.waiting, uacked: each.leased } },
        ]);
        return Object.fromEntries(parts) as Record<string, { a: { size: number; uacked: number } }>;
      },
    }),
  ];
}

function pollDataRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/tasks/queue/polldata',
      name: 'getPollData',
      summary: 'Shows who polled a task type last, by domain.',
      access: seesQueues,
      // Without a type the Java SDK asks for all.
      parameters: { taskType: query(schema.text('Task type; absent for all')) },
      reply: writtenJson(schema.list(pollDataSchema)),
      handle: async (request) => {
        const entries = await listPollData(context, request.caller, request.query('taskType'));
        return JSON.stringify(entries);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/tasks/queue/polldata/all',
      name: 'getAllPollData',
      summary: 'Shows who polled each task type last, by domain.',
      access: seesQueues,
      reply: writtenJson(schema.list(pollDataSchema)),
      handle: async ({ caller }) => JSON.stringify(await listPollData(context, caller, undefined)),
    }),
  ];
}

/** The queue by which WAIT tasks are ended from outside. */
function waitRoutes(context: OperationContext): Endpoint[] {
  const update = {
    method: 'POST',
    summary: 'Ends a WAIT task.',
    access: changesExecutions,
    audit: 'persons',
    path: { status: schema.oneOf(Object.keys(updateQueues)) },
    body: body({ ...schema.anyObject, description: 'Output of the task' }, false),
    reply: nothing,
  } as const;
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/queue',
      name: 'getUpdateQueues',
      summary: 'Lists the statuses that WAIT tasks can be given.',
      access: seesQueues,
      reply: schema.mapOf(schema.text()),
      handle: () => ({ ...updateQueues }),
    }),
    endpoint({
      ...update,
      pattern: '/api/queue/update/:workflowId/:taskRefName/:status',
      name: 'updateWaitTaskByReference',
      handle: async (request) => {
        const task = { ref: request.param('taskRefName') };
        await updateWaitTask(context, request.caller, waitUpdate(request, task));
      },
    }),
    endpoint({
      ...update,
      pattern: '/api/queue/update/:workflowId/task/:taskId/:status',
      name: 'updateWaitTask',
      handle: async (request) => {
        const task = { taskId: request.param('taskId') };
        await updateWaitTask(context, request.caller, waitUpdate(request, task));
      },
    }),
  ];
}

function waitUpdate(request: RouteRequest, task: UpdateWaitTask['task']): UpdateWaitTask {
  return {
    workflowId: request.param('workflowId'),
    task,
    status: request.param('status'),
    output: request.jsonMapIfAny() ?? {},
  };
}

function waitingByName(
  sizes: readonly { name: string; waiting: number }[],
): Record<string, number> {
  return Object.fromEntries(sizes.map((each) => [each.name, each.waiting]));
}
