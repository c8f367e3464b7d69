// Forms of what is counted per minute, and of timers that are overdue.
import { queueEvents, workflowEvents } from '../../telemetry/event-counters.js';
import * as form from '../../api/form.js';

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

export const workflowCounts = eachOf(workflowEvents, (event) => form.integer(ofWorkflows[event]));
export const queueCounts = eachOf(queueEvents, (event) => form.integer(ofQueues[event]));

/** The rates of a minute now. */
export const workflowCountsForm = form.object('WorkflowCounts', workflowCounts, [
  ...workflowEvents,
]);
export const queueCountsForm = form.object('QueueCounts', queueCounts, [...queueEvents]);

function seriesOf<N extends string>(
  name: string,
  texts: Readonly<Record<N, string>>,
): form.Form<Readonly<Record<N, readonly (number | null)[]>>> {
  const events = Object.keys(texts) as N[];
  const members = eachOf(events, (event) =>
    form.list(form.nullable(form.integer(texts[event])), 'In each step; null: not counted then'),
  );
  return form.objectOf(name, members, events);
}

function eachOf<N extends string, F>(names: readonly N[], of: (name: N) => F): Record<N, F> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<N, F>;
}

/** How long tasks ran that have ended lately. */
export const runTimesForm = form.object(
  'RunTimes',
  {
    p50: form.integer('Half of them took no longer; milliseconds, to an eighth'),
    p95: form.integer('19 of 20 of them took no longer'),
    tasks: form.integer('Tasks that ended in this minute and the nine before'),
  },
  ['p50', 'p95', 'tasks'],
);

export const ratesForm = form.object(
  'Rates',
  {
    stepMs: form.integer('Length of a step'),
    times: form.list(form.time(), 'Begins of the steps, whole minutes; the last one goes on'),
    countedSince: form.time('Since when events are counted, at most for seven days'),
    executions: seriesOf('ExecutionSeries', ofWorkflows),
    workflows: form.list(
      form.object(
        'WorkflowRates',
        { name: form.text('Name of the definition; empty for further ones'), ...workflowCounts },
        ['name', ...workflowEvents],
      ),
      'Over the whole window, most events first',
    ),
    queues: form.list(
      form.object(
        'QueueRates',
        {
          taskType: form.text('Task type; empty for further queues'),
          domain: form.text('Domain; empty for none'),
          total: queueCountsForm,
          series: seriesOf('QueueEventSeries', ofQueues),
        },
        ['taskType', 'domain', 'total', 'series'],
      ),
      'Most events first',
    ),
  },
  ['stepMs', 'times', 'countedSince', 'executions', 'workflows', 'queues'],
);

export const overdueForm = form.object(
  'OverdueTimers',
  {
    count: form.integer('Timers that should have been carried out'),
    timers: form.list(
      form.object(
        'OverdueTimer',
        {
          workflowId: form.text('Id of the execution'),
          workflowName: form.text('Its definition; empty when its record cannot be read'),
          dueTime: form.time('When it was due, epoch milliseconds'),
        },
        ['workflowId', 'workflowName', 'dueTime'],
      ),
      'Those that have been due for longest, at most 100',
    ),
  },
  ['count', 'timers'],
);
