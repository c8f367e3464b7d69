// Endpoints that explain what an execution or a task waits for.
import type { OperationContext } from '../operation/context.js';
import { whyOfTask, whyWorkflow } from '../operation/why.js';
import { endpoint, type Endpoint } from './endpoint.js';
import { readsExecutions } from './execution-access.js';
import { waitReasonSchema, whySchema } from '../model/why-answers.js';

export function whyRoutes(context: OperationContext): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/workflow/:workflowId/why',
      name: 'whyWorkflow',
      summary: 'Explains what an execution waits for.',
      access: readsExecutions,
      reply: whySchema,
      errors: ['not-found'],
      handle: (request) => whyWorkflow(context, request.caller, request.param('workflowId')),
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/tasks/:taskId/why',
      name: 'whyTask',
      summary: 'Explains what a task waits for or how it ended.',
      access: readsExecutions,
      reply: waitReasonSchema,
      errors: ['not-found'],
      handle: (request) => whyOfTask(context, request.caller, request.param('taskId')),
    }),
  ];
}
