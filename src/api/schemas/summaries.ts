// Schemas of search results (contract-core 4.1, 7.4, 7.5).
import { integer, list, mapOf, object, objectOf, oneOf, text, time } from '../../model/schema.js';
import type { Schema } from '../../model/schema.js';
import { taskStatuses, workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import { importedFrom } from './imported-from.js';
import { taskSchema } from './task.js';
import { workflowSchema } from './workflow.js';

/** A moment as text. */
const moment = (description = 'Such as 2025-10-09T08:53:20.000Z; 1970 when unset'): Schema =>
  text(description, { format: 'date-time' });

export const workflowSummarySchema = object(
  'WorkflowSummary',
  {
    workflowType: text('Name of the definition'),
    version: integer('Version of the definition'),
    workflowId: text('Id of the execution'),
    correlationId: text('Correlation id'),
    startTime: moment(),
    updateTime: moment(),
    endTime: moment('Such as 2025-10-09T08:53:20.000Z; absent while it runs'),
    status: oneOf(workflowStatuses),
    input: text('JSON text; absent without payloads'),
    output: text('JSON text; absent without payloads'),
    inputSize: integer('Characters of the input; absent without payloads'),
    outputSize: integer('Characters of the output; absent without payloads'),
    executionTime: integer('Milliseconds; 0 while it runs'),
    reasonForIncompletion: text('Why it did not complete'),
    event: text('Event that started it'),
    createdBy: text('Who started it'),
    idempotencyKey: text('Key of its start'),
    failedReferenceTaskNames: text('Reference names of failed tasks, with commas between'),
    failedTaskNames: list(text(), 'Names of failed tasks'),
    externalInputPayloadStoragePath: text('Where a large input is kept'),
    priority: integer('From 0 to 99'),
    taskToDomain: mapOf(text(), 'Domains of its tasks'),
    parentWorkflowId: text('Execution that started it as a child; empty for none'),
    classifier: oneOf(['workflow', 'agent'], 'What the definition describes'),
    imported: importedFrom,
  },
  ['workflowType', 'version', 'workflowId', 'startTime', 'status'],
);

export const taskSummarySchema = object(
  'TaskSummary',
  {
    workflowId: text('Id of the execution'),
    workflowType: text('Name of the workflow definition'),
    taskId: text('Id of the task'),
    taskDefName: text('Name of the task definition'),
    taskType: text('Task type'),
    referenceTaskName: text('Name within the workflow'),
    taskReferenceName: text('The same under its other name'),
    correlationId: text('Correlation id of the execution'),
    scheduledTime: moment(),
    startTime: moment(),
    updateTime: moment(),
    endTime: moment(),
    status: oneOf(taskStatuses),
    reasonForIncompletion: text('Why it failed'),
    executionTime: integer('Milliseconds; 0 until it has ended'),
    queueWaitTime: integer('Milliseconds between schedule and start'),
    input: text('JSON text'),
    output: text('JSON text'),
    externalOutputPayloadStoragePath: text('Where a large output is kept'),
    workflowPriority: integer('Priority of the execution'),
    domain: text('Domain of its queue'),
  },
  ['workflowId', 'workflowType', 'taskId', 'taskType', 'referenceTaskName', 'status'],
);

const ignoredFields = list(
  text(),
  'Fields of the query that do not exist, whose conditions were ignored; only when there are any',
);

export const workflowSummariesSchema = found('SearchResultWorkflowSummary', workflowSummarySchema);
/** A page that may be followed by another one, found by its cursor. */
export const workflowPageSchema = object(
  'WorkflowSummaryPage',
  {
    totalHits: integer('Records that fit'),
    results: list(workflowSummarySchema),
    nextCursor: text(
      'Where the next page begins; only when `cursor` was given and more executions follow',
    ),
    ignoredFields,
  },
  ['totalHits', 'results'],
);
export const workflowsFoundSchema = found('SearchResultWorkflow', workflowSchema);
export const taskSummariesSchema = found('SearchResultTaskSummary', taskSummarySchema);
export const tasksFoundSchema = found('SearchResultTask', taskSchema);

function found(title: string, results: Schema): Schema {
  return object(
    title,
    { totalHits: integer('Records that fit'), results: list(results), ignoredFields },
    ['totalHits', 'results'],
  );
}

export const statusCountsSchema: Schema<{ readonly [S in WorkflowStatus]?: number }> = objectOf(
  'StatusCounts',
  Object.fromEntries(workflowStatuses.map((status) => [status, integer('Executions')])),
  [],
);

export const facetsSchema: Schema = object(
  'WorkflowFacets',
  {
    total: integer('Executions that fit'),
    status: statusCountsSchema,
    workflowType: list(
      object(
        'WorkflowCount',
        { name: text('Name of the definition'), count: integer('Executions') },
        ['name', 'count'],
      ),
      'Most first, at most 100; only when asked for',
    ),
    otherTypes: integer('Executions of workflows that are not listed; only with the list'),
  },
  ['total', 'status'],
);

const failureGroupSchema = object(
  'FailureGroup',
  {
    fingerprint: text('The same for failures of one cause'),
    workflowType: text('Name of the definition'),
    ref: text('Reference name of the task that failed; empty when none did'),
    sample: text('Reason of the newest one'),
    workflowIds: list(text('Id of an execution'), 'Newest first, at most 500'),
    count: integer('Executions'),
    trend: list(
      integer('Executions'),
      'How many ended in each twelfth of the window, oldest first',
    ),
    firstTime: time('End of the first one, epoch milliseconds'),
    lastTime: time('End of the last one, epoch milliseconds'),
  },
  [
    ...(['fingerprint', 'workflowType', 'ref', 'sample', 'workflowIds', 'count', 'trend'] as const),
    ...(['firstTime', 'lastTime'] as const),
  ],
);

export const failuresSchema: Schema = object(
  'FailureGroups',
  {
    groups: list(failureGroupSchema, 'Largest first'),
    omitted: integer(
      'Failed executions that were not looked at, as there are too many; 1 stands for some where the caller may not read all',
    ),
  },
  ['groups', 'omitted'],
);
