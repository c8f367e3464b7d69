// Forms of requests that start or simulate executions (contract-core 8.1, 14.2).
import { anyObject, integer, list, mapOf, object, oneOf, text, type Form } from '../form.js';
import { reportedStatuses } from '../../model/parse-task-result.js';
import { idempotencyStrategies } from '../../model/parse-workflow-def.js';
import { workflowDefForm } from './workflow-def.js';

const startFields = {
  name: text('Name of the definition'),
  version: integer('Version; absent for the latest'),
  correlationId: text('Correlation id'),
  input: anyObject,
  taskToDomain: mapOf(text(), 'Domains by task type; `*` for all types'),
  workflowDef: workflowDefForm,
  externalInputPayloadStoragePath: text('Where a large input is kept, in place of an input'),
  priority: integer('Priority', { minimum: 0, maximum: 99, default: 0 }),
  createdBy: text('Counts while authentication is off'),
  idempotencyKey: text('Starts with one key are one start'),
  idempotencyStrategy: oneOf(idempotencyStrategies, 'What an execution with that key means'),
};

export const startWorkflowRequestForm = object('StartWorkflowRequest', startFields, ['name']);

const taskMockForm = object('TaskMock', {
  status: oneOf(reportedStatuses, 'How the attempt ends'),
  output: anyObject,
  executionTime: integer('Milliseconds'),
  queueWaitTime: integer('Milliseconds'),
});

export const workflowTestRequestForm: Form = object(
  'WorkflowTestRequest',
  {
    ...startFields,
    taskRefToMockOutput: mapOf(list(taskMockForm), 'Mocked attempts by reference name'),
    get subWorkflowTestRequest(): Form {
      return mapOf(workflowTestRequestForm, 'Mocks of children by reference name');
    },
  },
  ['name'],
);
