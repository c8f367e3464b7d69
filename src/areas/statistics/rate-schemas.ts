// Schemas of what is counted per minute, and of timers that are overdue.
import { queueEvents, workflowEvents } from '../../telemetry/event-counters.js';
import * as schema from '../../model/schema.js';

const ofWorkflows = {
  started: 'Executions that started',
  completed: 'Executions that completed',
  failed: 'Executions that failed',
  timedOut: 'Executions that timed out',
  terminated: 'Executions that were terminated',
} as const;

const ofQueues = {
  scheduled: 'Tasks that went into the queue, again ones included',
  handedOut: 'Tasks that were handed to workers',
  completed: 'Tasks that completed',
  failed: 'Attempts that failed or timed out',
} as const;

export const workflowCounts = eachOf(workflowEvents, (event) => schema.integer(ofWorkflows[event]));
export const queueCounts = eachOf(queueEvents, (event) => schema.integer(ofQueues[event]));

/** The rates of a minute now. */
export const workflowCountsSchema = schema.object('WorkflowCounts', workflowCounts, [
  ...workflowEvents,
]);
export const queueCountsSchema = schema.object('QueueCounts', queueCounts, [...queueEvents]);

function seriesOf<N extends string>(
  name: string,
  texts: Readonly<Record<N, string>>,
): schema.Schema<Readonly<Record<N, readonly (number | null)[]>>> {
  const events = Object.keys(texts) as N[];
  const members = eachOf(events, (event) =>
    schema.list(
      schema.nullable(schema.integer(texts[event])),
      'In each step; null: not counted then',
    ),
  );
  return schema.objectOf(name, members, events);
}

function eachOf<N extends string, F>(names: readonly N[], of: (name: N) => F): Record<N, F> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<N, F>;
}

/** Times that half, and 19 of 20, of some times do not exceed. */
export const quantiles = {
  p50: schema.integer('Half of them took no longer; milliseconds, to an eighth'),
  p95: schema.integer('19 of 20 of them took no longer'),
};

/** How long tasks ran that have ended lately. */
export const runTimesSchema = schema.object(
  'RunTimes',
  {
    ...quantiles,
    tasks: schema.integer('Tasks that ended in this minute and the nine before'),
  },
  ['p50', 'p95', 'tasks'],
);

/** How long tasks of all queues waited for a worker. */
const waitSeries: schema.Schema<Readonly<Record<'p50' | 'p95', readonly (number | null)[]>>> =
  schema.objectOf(
    'QueueWaitSeries',
    eachOf(['p50', 'p95'] as const, (name) =>
      schema.list(
        schema.nullable(quantiles[name]),
        'In each step; null: no task was handed out, or not counted then',
      ),
    ),
    ['p50', 'p95'],
  );

export const ratesSchema = schema.object(
  'Rates',
  {
    stepMs: schema.integer('Length of a step'),
    times: schema.list(schema.time(), 'Begins of the steps, whole minutes; the last one goes on'),
    countedSince: schema.time('Since when events are counted, at most for seven days'),
    executions: seriesOf('ExecutionSeries', ofWorkflows),
    workflows: schema.list(
      schema.object(
        'WorkflowRates',
        { name: schema.text('Name of the definition; empty for further ones'), ...workflowCounts },
        ['name', ...workflowEvents],
      ),
      'Over the whole window, most events first',
    ),
    queues: schema.list(
      schema.object(
        'QueueRates',
        {
          taskType: schema.text('Task type; empty for further queues'),
          domain: schema.text('Domain; empty for none'),
          total: queueCountsSchema,
          series: seriesOf('QueueEventSeries', ofQueues),
        },
        ['taskType', 'domain', 'total', 'series'],
      ),
      'Most events first',
    ),
    waitMs: waitSeries,
  },
  ['stepMs', 'times', 'countedSince', 'executions', 'workflows', 'queues', 'waitMs'],
);

export const overdueSchema = schema.object(
  'OverdueTimers',
  {
    count: schema.integer('Timers that should have been carried out'),
    timers: schema.list(
      schema.object(
        'OverdueTimer',
        {
          workflowId: schema.text('Id of the execution'),
          workflowName: schema.text('Its definition; empty when its record cannot be read'),
          dueTime: schema.time('When it was due, epoch milliseconds'),
        },
        ['workflowId', 'workflowName', 'dueTime'],
      ),
      'Those that have been due for longest, at most 100',
    ),
  },
  ['count', 'timers'],
);
