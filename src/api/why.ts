// Routes that explain what an execution or a task waits for.
import type { OperationContext } from '../operation/context.js';
import { whyOfTask, whyWorkflow } from '../operation/why.js';
import { json, type Route } from './route.js';

export function whyRoutes(context: OperationContext): Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/workflow/:workflowId/why',
      handle: async (request) => json(await whyWorkflow(context, request.param('workflowId'))),
    },
    {
      method: 'GET',
      pattern: '/api/tasks/:taskId/why',
      handle: async (request) => json(await whyOfTask(context, request.param('taskId'))),
    },
  ];
}
