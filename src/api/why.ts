// Endpoints that explain what an execution or a task waits for.
import type { OperationContext } from '../operation/context.js';
import { whyOfTask, whyWorkflow } from '../operation/why.js';
import { replies, type Endpoint } from './endpoint.js';
import { readsExecutions } from './execution-access.js';
import { waitReasonForm, whyForm } from './forms/why.js';
import { json } from './route.js';

export function whyRoutes(context: OperationContext): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: '/api/workflow/:workflowId/why',
      name: 'whyWorkflow',
      summary: 'Explains what an execution waits for.',
      access: readsExecutions,
      parameters: {},
      body: null,
      replies: replies(whyForm),
      errors: ['not-found'],
      handle: async (request) =>
        json(await whyWorkflow(context, request.caller, request.param('workflowId'))),
    },
    {
      method: 'GET',
      pattern: '/api/tasks/:taskId/why',
      name: 'whyTask',
      summary: 'Explains what a task waits for or how it ended.',
      access: readsExecutions,
      parameters: {},
      body: null,
      replies: replies(waitReasonForm),
      errors: ['not-found'],
      handle: async (request) =>
        json(await whyOfTask(context, request.caller, request.param('taskId'))),
    },
  ];
}
