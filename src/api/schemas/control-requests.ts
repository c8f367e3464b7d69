// Schemas of bodies that model/control-requests.ts does not declare (contract-core 9, 14.4).
import { anyObject, object, text } from '../../model/schema.js';
import { taskResultSchema } from './task.js';

export const workflowStateUpdateSchema = object('WorkflowStateUpdate', {
  taskReferenceName: text('The task that the result is for'),
  taskResult: { ...taskResultSchema, title: 'StateTaskResult', required: [] },
  variables: { ...anyObject, description: 'Merged into the variables' },
});

export const correlationRequestSchema = object(
  'CorrelationIdsSearchRequest',
  {
    correlationIds: { type: 'array', items: text() },
    workflowNames: { type: 'array', items: text() },
  },
  ['correlationIds', 'workflowNames'],
);
