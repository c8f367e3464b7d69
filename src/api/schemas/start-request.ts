// Schemas of requests that start or simulate executions (contract-core 8.1, 14.2).
import {
  anyObject,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  text,
  type Schema,
} from '../../model/schema.js';
import { reportedStatuses } from '../../model/parse-task-result.js';
import { idempotencyStrategies } from '../../model/parse-workflow-def.js';
import { workflowDefSchema } from './workflow-def.js';

const startFields = {
  name: text('Name of the definition'),
  version: integer('Version; absent for the latest'),
  correlationId: text('Correlation id'),
  input: anyObject,
  taskToDomain: mapOf(text(), 'Domains by task type; `*` for all types'),
  workflowDef: workflowDefSchema,
  externalInputPayloadStoragePath: text('Where a large input is kept, in place of an input'),
  priority: integer('Priority', { minimum: 0, maximum: 99, default: 0 }),
  createdBy: text('Counts while authentication is off'),
  idempotencyKey: text('Starts with one key are one start'),
  idempotencyStrategy: oneOf(idempotencyStrategies, 'What an execution with that key means'),
};

export const startWorkflowRequestSchema = object('StartWorkflowRequest', startFields, ['name']);

const taskMockSchema = object('TaskMock', {
  status: oneOf(reportedStatuses, 'How the attempt ends'),
  output: anyObject,
  executionTime: integer('Milliseconds'),
  queueWaitTime: integer('Milliseconds'),
});

export const workflowTestRequestSchema: Schema = object(
  'WorkflowTestRequest',
  {
    ...startFields,
    taskRefToMockOutput: mapOf(list(taskMockSchema), 'Mocked attempts by reference name'),
    get subWorkflowTestRequest(): Schema {
      return mapOf(workflowTestRequestSchema, 'Mocks of children by reference name');
    },
  },
  ['name'],
);
