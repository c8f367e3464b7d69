// Schemas of a task, of what workers report about it and of its log (contract-core 7.2, 15.1,
// 15.4).
import {
  anyObject,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from '../../model/schema.js';
import { reportedStatuses } from '../../model/parse-task-result.js';
import { taskStatuses } from '../../model/status.js';
import { taskDefSchema } from '../../model/task-def.js';
import { workflowTaskSchema } from '../../model/workflow-def.js';

const taskMembers = {
  taskId: text('Id of this attempt'),
  taskType: text('Task type'),
  taskDefName: text('Name of the task definition'),
  referenceTaskName: text('Name within the workflow'),
  status: oneOf(taskStatuses),
  workflowInstanceId: text('Id of the execution'),
  workflowType: text('Name of the workflow definition'),
  workflowPriority: integer('Priority of the execution'),
  correlationId: text('Correlation id of the execution'),
  inputData: anyObject,
  outputData: anyObject,
  retryCount: integer('Number of this attempt, from 0'),
  retried: flag('Whether a newer attempt exists'),
  retriedTaskId: text('Id of the attempt before this one'),
  seq: integer('Position in the execution'),
  pollCount: integer('How often it was polled'),
  scheduledTime: time('Epoch milliseconds; 0 when unset, as for all times here'),
  startTime: time(),
  endTime: time(),
  updateTime: time(),
  firstStartTime: time(),
  startDelayInSeconds: integer('Delay before it could be polled'),
  executed: flag('Whether the decision has taken note of its end'),
  callbackFromWorker: flag('Always true'),
  callbackAfterSeconds: integer('Seconds before it can be polled again'),
  responseTimeoutSeconds: integer('Lease of a poll'),
  rateLimitPerFrequency: integer('Most starts per window; 0 for no limit'),
  rateLimitFrequencyInSeconds: integer('Length of the window'),
  iteration: integer('Iteration of the loop, from 1; 0 outside of loops'),
  loopOverTask: flag('Whether it belongs to a loop'),
  queueWaitTime: integer('Milliseconds between schedule and start'),
  subworkflowChanged: flag('Whether its child was changed'),
  executionMetadata: anyObject,
  workerId: text('Worker that has it or had it last'),
  domain: text('Domain of its queue'),
  reasonForIncompletion: text('Why it failed'),
  subWorkflowId: text('Id of its child'),
  externalInputPayloadStoragePath: text('Where a large input is kept'),
  externalOutputPayloadStoragePath: text('Where a large output is kept'),
  runtimeMetadata: mapOf(text(), 'Values that its definition names, in answers to polls'),
  executionNameSpace: text('Namespace of its queue'),
  isolationGroupId: text('Group of its queue'),
  workflowTask: workflowTaskSchema,
  taskDefinition: nullable(taskDefSchema),
};

const taskNeeds = [
  ...(['taskId', 'taskType', 'referenceTaskName', 'status', 'workflowInstanceId'] as const),
];

export const taskSchema = object('Task', taskMembers, [...taskNeeds, 'taskDefinition']);

const cutSchema = object(
  'CutMember',
  {
    bytes: integer('Bytes of its JSON'),
    text: text('The first bytes of it, as many as were asked for; no whole JSON'),
  },
  ['bytes', 'text'],
);

/** A task of which large members may be cut, if that was asked for. */
export const shownTaskSchema = object(
  'ShownTask',
  {
    ...taskMembers,
    cut: mapOf(
      cutSchema,
      'Members that are absent because they are larger than `bytes`: inputData, outputData, workflowTask, taskDefinition, executionMetadata',
    ),
  },
  taskNeeds,
);

export const taskExecLogSchema = object('TaskExecLog', {
  log: text('The line'),
  taskId: text('Id of the task'),
  createdTime: time(),
});

/** The report of a worker. */
export const taskResultSchema = object(
  'TaskResult',
  {
    workflowInstanceId: text('Id of the execution'),
    taskId: text('Id of the task'),
    status: oneOf(reportedStatuses, 'Needed unless only the lease is extended'),
    outputData: anyObject,
    reasonForIncompletion: text('Why it failed; 500 characters are kept'),
    callbackAfterSeconds: integer('With IN_PROGRESS: when it can be polled again'),
    workerId: text('Who reports'),
    logs: list(taskExecLogSchema, 'Lines for the log; 10 are kept'),
    extendLease: flag('Only extend the lease of the poll'),
    subWorkflowId: text('Id of a child that the worker started'),
    externalOutputPayloadStoragePath: text('Where a large output is kept'),
    executionMetadata: anyObject,
  },
  ['workflowInstanceId', 'taskId'],
);

export const taskListSchema = object(
  'TaskListSearchResult',
  {
    totalHits: integer('Tasks that fit'),
    results: list(taskSchema),
    summary: mapOf(integer(), 'Tasks that fit by status'),
  },
  ['totalHits', 'results'],
);
