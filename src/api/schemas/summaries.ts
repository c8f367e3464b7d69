// Schemas of search results (contract-core 4.1, 7.4, 7.5).
import { integer, list, object, objectOf, text, time, type Schema } from '../../model/schema.js';
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import { taskSummarySchema, workflowSummarySchema } from '../../model/summaries.js';
import { taskSchema } from './task.js';
import { workflowSchema } from './workflow.js';

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
