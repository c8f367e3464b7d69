// Schemas of the answers about what the server does now.
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import { attentionSchema } from './attention.js';
import * as schema from '../../model/schema.js';
import { usageSchema } from '../facts/port.js';
import { statusCountsSchema } from '../../api/schemas/summaries.js';
import { queueCountsSchema, runTimesSchema, workflowCountsSchema } from './rate-schemas.js';

export const overviewSchema = schema.object(
  'Overview',
  {
    counts: statusCountsSchema,
    started: statusCountsSchema,
    perMinute: workflowCountsSchema,
    attention: schema.list(attentionSchema, 'What needs attention'),
    store: usageSchema,
  },
  ['counts', 'started', 'perMinute', 'attention'],
);

export const queueWorkerSchema = schema.object(
  'QueueWorker',
  {
    workerId: schema.text('Id of the worker'),
    lastPollTime: schema.time(),
    leased: schema.integer(
      'Tasks of the queue that it holds; absent when workers hold more than are counted',
    ),
  },
  ['workerId', 'lastPollTime'],
);

export const queueStatsSchema = schema.object(
  'QueueStats',
  {
    taskType: schema.text('Task type'),
    domain: schema.text('Domain; empty for none'),
    waiting: schema.integer('Tasks that wait'),
    leased: schema.integer('Tasks that workers hold'),
    oldestReadyTime: schema.time(
      'Since when the longest waiting task could be handed out; absent when none can',
    ),
    perMinute: queueCountsSchema,
    runMs: runTimesSchema,
    workers: schema.list(queueWorkerSchema),
    hasDefinition: schema.flag('Whether the task type has a task definition'),
    limit: schema.object(
      'QueueLimit',
      {
        used: schema.integer('Tasks of the type that run, over all domains'),
        max: schema.integer('How many may run at once'),
      },
      ['used', 'max'],
    ),
    kind: schema.oneOf(
      ['no-worker', 'other-domain', 'silent-worker', 'limit-full'],
      'What holds it up',
    ),
    reason: schema.text('One sentence over its state'),
    moves: schema.text('What would move it on; empty when nothing needs to'),
  },
  [
    ...([
      'taskType',
      'domain',
      'waiting',
      'leased',
      'perMinute',
      'workers',
      'hasDefinition',
    ] as const),
    ...(['reason', 'moves'] as const),
  ],
);

export const workflowStatsSchema = schema.object(
  'WorkflowStats',
  {
    name: schema.text('Name of the definition'),
    counts: { ...statusCountsSchema, description: 'Executions that started in the window' },
    p50Ms: schema.integer('Half of the sampled executions took no longer; absent without any'),
    p95Ms: schema.integer('19 of 20 of the sampled executions took no longer'),
    sampled: schema.integer('Newest completed executions that the times come from'),
  },
  ['name', 'counts', 'sampled'],
);

const eachStep = schema.list(schema.integer('Of one step'));
const startedSchema: schema.Schema<{ readonly [S in WorkflowStatus]?: readonly number[] }> =
  schema.objectOf(
    'StartedSeries',
    Object.fromEntries(workflowStatuses.map((status) => [status, eachStep])),
    [],
  );
export const queueSeriesSchema = schema.object(
  'QueueSeries',
  {
    taskType: schema.text('Task type'),
    domain: schema.text('Domain; empty for none'),
    waiting: schema.list(
      schema.nullable(schema.integer('The most tasks that waited in a step')),
      'null where no sample was taken',
    ),
  },
  ['taskType', 'domain', 'waiting'],
);

export const seriesSchema = schema.object(
  'Series',
  {
    stepMs: schema.integer('Length of a step, milliseconds; the first one may be shorter'),
    times: schema.list(schema.time('Begin of a step, epoch milliseconds'), 'Oldest first'),
    started: startedSchema,
    omitted: schema.integer(
      'Executions that were not looked at, as there are too many; 1 stands for some where the caller may not read all',
    ),
    queues: schema.list(queueSeriesSchema, 'Fullest first'),
  },
  ['stepMs', 'times', 'started', 'omitted', 'queues'],
);
