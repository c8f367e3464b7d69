// Schemas of the answers about bulk jobs.
import { workflowStatuses } from '../../model/status.js';
import {
  extended,
  integer,
  list,
  mapOf,
  namesOf,
  object,
  oneOf,
  text,
  time,
} from '../../model/schema.js';
import { schemaOf } from '../../model/record.js';
import { planFields, type BulkJobPlan } from './bulk-job-request.js';

export const bulkJobStates = ['PREVIEW', 'RUNNING', 'STOPPED', 'COMPLETED'] as const;
export const bulkOutcomes = [
  'WAITING',
  'REFUSED',
  'FIXED',
  'RUNNING',
  'FAILED_AGAIN',
  'DONE',
  'GONE',
] as const;

const counts = {
  matched: integer('Executions that were found'),
  count: integer('Executions that it acts on, fixed at its creation'),
  done: integer('Executions with an outcome'),
  refused: integer('Executions of these that were not acted on'),
  failedAgain: integer('Executions of the canary that failed again'),
};

export const exclusionSchema = object(
  'BulkJobExclusion',
  { reason: text(), count: integer(), sample: list(text(), 'Ids') },
  ['reason', 'count', 'sample'],
);

const plan = schemaOf<BulkJobPlan>('BulkJobPlan', planFields, ['required', 'always']);

export const bulkJobSchema = extended(
  'BulkJob',
  plan,
  {
    jobId: text(),
    state: oneOf(bulkJobStates),
    ...counts,
    excluded: list(exclusionSchema, 'Executions that were found and are left out'),
    sample: list(text(), 'Ids of the first ones'),
    stoppedBecause: text('Why it was stopped'),
    createdBy: text(),
    createdAt: time(),
    startedAt: time(),
    endedAt: time(),
    errors: list(
      object('BulkJobError', { workflowId: text(), message: text() }, ['workflowId', 'message']),
      'Why executions were refused, the first 1000; only when one job is shown',
    ),
  },
  ['jobId', 'state', ...namesOf(counts), 'excluded', 'sample'],
);

export const bulkOutcomeSchema = object(
  'BulkJobOutcome',
  {
    workflowId: text(),
    outcome: oneOf(bulkOutcomes),
    workflowType: text('Absent: it is not there any more'),
    correlationId: text(),
    status: oneOf(workflowStatuses, 'Now'),
    reason: text('Why it was refused, or failed again'),
    endTime: time(),
  },
  ['workflowId', 'outcome'],
);

export const bulkOutcomesSchema = object(
  'BulkJobOutcomes',
  {
    counts: mapOf(integer(), 'How many there are of each outcome; absent: none'),
    totalHits: integer('Executions with the outcome that was asked for'),
    omitted: integer('Executions of the job that were not looked at'),
    results: list(bulkOutcomeSchema),
  },
  ['counts', 'totalHits', 'omitted', 'results'],
);
