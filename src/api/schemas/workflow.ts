// Schemas of an execution and of the answers that are made of it (contract-core 7.1, 7.3, 16.3).
import {
  anyObject,
  flag,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  text,
  time,
} from '../../model/schema.js';
import { returnStrategies } from '../../model/signal-response-json.js';
import { workflowStatuses } from '../../model/status.js';
import { importedFrom } from '../../model/imported-id.js';
import { taskSchema } from './task.js';
import { workflowDefSchema } from '../../model/workflow-def.js';

export const workflowSchema = object(
  'Workflow',
  {
    workflowId: text('Id of the execution'),
    workflowName: text('Name of its definition'),
    workflowVersion: integer('Version of its definition'),
    status: oneOf(workflowStatuses),
    createTime: time(),
    startTime: time(),
    updateTime: time(),
    endTime: time('Epoch milliseconds; 0 while it runs'),
    lastRetriedTime: time('Epoch milliseconds; 0 when it never was'),
    priority: integer('From 0 to 99'),
    correlationId: text('Correlation id'),
    reasonForIncompletion: text('Why it did not complete'),
    parentWorkflowId: text('Execution that started it as a child'),
    parentWorkflowTaskId: text('Task of the parent that started it'),
    reRunFromWorkflowId: text('Set when it was run again'),
    event: text('Event that started it'),
    externalInputPayloadStoragePath: text('Where a large input is kept'),
    externalOutputPayloadStoragePath: text('Where a large output is kept'),
    idempotencyKey: text('Key of its start'),
    createdBy: text('Who started it'),
    imported: importedFrom,
    ownerApp: text('Always empty'),
    rateLimited: flag('Whether it waits for a rate limit'),
    history: list(anyObject, 'Always empty'),
    taskToDomain: mapOf(text(), 'Domains of its tasks'),
    failedReferenceTaskNames: list(text(), 'Reference names of failed tasks'),
    failedTaskNames: list(text(), 'Names of failed tasks'),
    input: anyObject,
    output: anyObject,
    variables: anyObject,
    tasks: list(taskSchema, 'Empty when the tasks were not asked for'),
    workflowDefinition: workflowDefSchema,
  },
  [
    'workflowId',
    'workflowName',
    'workflowVersion',
    'status',
    'createTime',
    'startTime',
    'updateTime',
    'endTime',
    'input',
    'output',
    'variables',
    'tasks',
    'workflowDefinition',
  ],
);

export const workflowListSchema = list(workflowSchema);

/** Executions by correlation id; an id without any has an empty list. */
export const workflowsByCorrelationSchema = mapOf(
  list(workflowSchema),
  'Executions by correlation id',
);

export const workflowStatusSchema = object(
  'WorkflowStatus',
  {
    workflowId: text('Id of the execution'),
    correlationId: text('Correlation id'),
    status: oneOf(workflowStatuses),
    output: anyObject,
    variables: anyObject,
  },
  ['workflowId', 'status'],
);

const runFields = {
  workflowId: text('Id of the execution that is shown'),
  correlationId: text('Correlation id'),
  input: anyObject,
  output: anyObject,
  priority: integer('From 0 to 99'),
  variables: anyObject,
  tasks: list(taskSchema),
  createdBy: text('Who started it'),
  createTime: time(),
  updateTime: time(),
};

/** The workflow schema has the members of a run, the task schema those of the blocking task. */
export const signalResponseSchema = object(
  'SignalResponse',
  {
    responseType: oneOf(returnStrategies),
    targetWorkflowId: text('Execution that was started or signalled'),
    targetWorkflowStatus: oneOf(workflowStatuses),
    requestId: text('Id of the call'),
    signalTimeout: flag('Whether the time was over before anything was reached'),
    ...runFields,
    status: text('Status of the execution or of the blocking task'),
    taskType: text('Task form: task type'),
    taskId: text('Task form: id'),
    referenceTaskName: text('Task form: name within the workflow'),
    taskDefName: text('Task form: name of the task definition'),
    workflowType: text('Task form: name of the workflow definition'),
    retryCount: integer('Task form: number of the attempt'),
    retriedTaskId: text('Task form: id of the attempt before'),
    reasonForIncompletion: text('Task form: why it failed'),
  },
  ['responseType', 'targetWorkflowId', 'targetWorkflowStatus', 'requestId', 'workflowId', 'status'],
);
