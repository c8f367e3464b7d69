// Schemas of the bodies of controls (contract-core 10.1, 10.2, 14.3, 14.4).
import { anyObject, integer, mapOf, object, text } from '../../model/schema.js';
import { taskResultSchema } from './task.js';

export const rerunWorkflowRequestSchema = object('RerunWorkflowRequest', {
  reRunFromWorkflowId: text('Ignored: the id in the path counts'),
  reRunFromTaskId: text('Task to run again from; absent for the beginning'),
  taskInput: { ...anyObject, description: 'Replaces the input of that task' },
  workflowInput: { ...anyObject, description: 'Replaces the input of the execution' },
  correlationId: text('Replaces the correlation id'),
});

export const retryWorkflowRequestSchema = object('RetryWorkflowRequest', {
  taskInputs: mapOf(
    anyObject,
    'Inputs of new attempts, by reference name as the failed records show it; of a SUB_WORKFLOW the input of its child. Each replaces the whole input; values that were shown masked and come back so stay as they are',
  ),
  reason: text('Why, in the words of the caller; counts more than the query parameter'),
});

export const skipTaskRequestSchema = object('SkipTaskRequest', {
  taskInput: { ...anyObject, description: 'Shown as the input of the skipped task' },
  taskOutput: { ...anyObject, description: 'Shown as the output of the skipped task' },
});

export const upgradeWorkflowRequestSchema = object(
  'UpgradeWorkflowRequest',
  {
    name: text('Name of the definition'),
    version: integer('Version; absent for the latest'),
    taskOutput: mapOf(anyObject, 'Outputs of tasks that count as done, by reference name'),
    workflowInput: { ...anyObject, description: 'Replaces the input of the execution' },
  },
  ['name'],
);

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
