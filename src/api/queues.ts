// Routes of task queues and of who polls them (contract-core 17, 18.4).
import type { OperationContext } from '../operation/context.js';
import { requeueTasks } from '../operation/pending-tasks.js';
import { allQueueSizes, listPollData, queueSize, queueSizes } from '../operation/queue-sizes.js';
import { updateQueues, updateWaitTask } from '../operation/update-wait-task.js';
import type { SearchStore } from '../store/search-store.js';
import { empty, json, jsonText, text, type Route } from './route.js';

/** `store`: the indexes of executions. */
export function queueRoutes(context: OperationContext, store: SearchStore): Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/tasks/queue/sizes',
      handle: async (request) => json(await queueSizes(context, request.queryAll('taskType'))),
    },
    {
      method: 'GET',
      pattern: '/api/tasks/queue/size',
      handle: async (request) =>
        json(
          await queueSize(context, {
            taskType: request.queryRequired('taskType'),
            domain: request.query('domain'),
            isolationGroupId: request.query('isolationGroupId'),
            executionNamespace: request.query('executionNamespace'),
          }),
        ),
    },
    {
      method: 'GET',
      pattern: '/api/tasks/queue/all',
      handle: async () => json(waitingByName(await allQueueSizes(context))),
    },
    {
      method: 'GET',
      pattern: '/api/tasks/queue/all/verbose',
      handle: async () => {
        const sizes = await allQueueSizes(context);
        // One part with any name does (contract-core 17.2).
        const parts = sizes.map((each) => [
          each.name,
          { a: { size: each.waiting, uacked: each.leased } },
        ]);
        return json(Object.fromEntries(parts) as Record<string, { a: { size: number } }>);
      },
    },
    {
      method: 'GET',
      pattern: '/api/tasks/queue/polldata',
      handle: async (request) => {
        // Without a type the Java SDK asks for all.
        const entries = await listPollData(context, request.query('taskType'));
        return jsonText(JSON.stringify(entries));
      },
    },
    {
      method: 'GET',
      pattern: '/api/tasks/queue/polldata/all',
      handle: async () => jsonText(JSON.stringify(await listPollData(context, undefined))),
    },
    {
      method: 'POST',
      pattern: '/api/tasks/queue/requeue/:taskType',
      handle: async (request) =>
        text(String(await requeueTasks(context, store, request.param('taskType')))),
    },
    {
      method: 'GET',
      pattern: '/api/queue/size',
      handle: async () => json(waitingByName(await allQueueSizes(context))),
    },
    { method: 'GET', pattern: '/api/queue', handle: () => json({ ...updateQueues }) },
    {
      method: 'POST',
      pattern: '/api/queue/update/:workflowId/:taskRefName/:status',
      handle: async (request) => {
        await updateWaitTask(context, {
          workflowId: request.param('workflowId'),
          task: { ref: request.param('taskRefName') },
          status: request.param('status'),
          output: request.jsonMapIfAny() ?? {},
        });
        return empty();
      },
    },
    {
      method: 'POST',
      pattern: '/api/queue/update/:workflowId/task/:taskId/:status',
      handle: async (request) => {
        await updateWaitTask(context, {
          workflowId: request.param('workflowId'),
          task: { taskId: request.param('taskId') },
          status: request.param('status'),
          output: request.jsonMapIfAny() ?? {},
        });
        return empty();
      },
    },
  ];
}

function waitingByName(
  sizes: readonly { name: string; waiting: number }[],
): Record<string, number> {
  return Object.fromEntries(sizes.map((each) => [each.name, each.waiting]));
}
