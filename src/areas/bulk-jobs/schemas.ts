// Schemas of bulk jobs on the wire.
import { workflowStatuses } from '../../model/status.js';
import {
  flag,
  integer,
  list,
  mapOf,
  namesOf,
  object,
  oneOf,
  text,
  time,
} from '../../model/schema.js';

export const bulkActions = [
  'retry',
  'restart',
  'rerun',
  'pause',
  'resume',
  'terminate',
  'remove',
] as const;
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

const canaryMax = 100;
const canarySecondsDefault = 30;
const rateMax = 1000;

export const plan = {
  action: oneOf(bulkActions, 'What is done with each execution'),
  options: object('BulkJobOptions', {
    useLatestDefinitions: flag('restart: with the latest version', { default: false }),
    triggerFailureWorkflow: flag('terminate: start the failure workflows', { default: false }),
  }),
  reason: text('Why, in the words of the caller; the history of each execution shows it'),
  canary: integer('Executions that go alone first; 0: none', {
    default: 5,
    minimum: 0,
    maximum: canaryMax,
  }),
  canarySeconds: integer('The rest waits so long at most for the canary to end', {
    default: canarySecondsDefault,
    minimum: 0,
    maximum: 600,
  }),
  ratePerSecond: integer('Executions per second', { default: 50, minimum: 1, maximum: rateMax }),
  stopAfterFailures: integer('Stops by itself at so many failures; 0: never', {
    default: 3,
    minimum: 0,
  }),
};

export const bulkJobRequestSchema = object(
  'BulkJobRequest',
  {
    ...plan,
    ids: list(text(), 'Executions; not together with query'),
    query: text('Conditions, as in a search; empty: all executions'),
    freeText: text('Words to look for; `*` or empty for all', { default: '*' }),
    failureGroup: object(
      'BulkFailureGroup',
      {
        fingerprint: text('Of a group that `GET /api/workflow/failures` shows'),
        window: text('Executions that started in it, such as `1h`, `7d`', { default: '1d' }),
      },
      ['fingerprint'],
    ),
  },
  ['action'],
);

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

export const bulkJobSchema = object(
  'BulkJob',
  {
    jobId: text(),
    state: oneOf(bulkJobStates),
    ...plan,
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
  ['jobId', 'state', ...namesOf(plan), ...namesOf(counts), 'excluded', 'sample'],
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
