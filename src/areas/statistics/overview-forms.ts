// Forms of the answers about what the server does now.
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import { attentionForm } from './attention.js';
import * as form from '../../api/form.js';
import { usageForm } from '../../api/server-facts.js';
import { statusCountsForm } from '../../api/forms/summaries.js';
import { queueCountsForm, runTimesForm, workflowCountsForm } from './rate-forms.js';

export const overviewForm = form.object(
  'Overview',
  {
    counts: statusCountsForm,
    started: statusCountsForm,
    perMinute: workflowCountsForm,
    attention: form.list(attentionForm, 'What needs attention'),
    store: usageForm,
  },
  ['counts', 'started', 'perMinute', 'attention'],
);

export const queueWorkerForm = form.object(
  'QueueWorker',
  {
    workerId: form.text('Id of the worker'),
    lastPollTime: form.time(),
    leased: form.integer(
      'Tasks of the queue that it holds; absent when workers hold more than are counted',
    ),
  },
  ['workerId', 'lastPollTime'],
);

export const queueStatsForm = form.object(
  'QueueStats',
  {
    taskType: form.text('Task type'),
    domain: form.text('Domain; empty for none'),
    waiting: form.integer('Tasks that wait'),
    leased: form.integer('Tasks that workers hold'),
    oldestReadyTime: form.time(
      'Since when the longest waiting task could be handed out; absent when none can',
    ),
    perMinute: queueCountsForm,
    runMs: runTimesForm,
    workers: form.list(queueWorkerForm),
    hasDefinition: form.flag('Whether the task type has a task definition'),
    limit: form.object(
      'QueueLimit',
      {
        used: form.integer('Tasks of the type that run, over all domains'),
        max: form.integer('How many may run at once'),
      },
      ['used', 'max'],
    ),
    kind: form.oneOf(
      ['no-worker', 'other-domain', 'silent-worker', 'limit-full'],
      'What holds it up',
    ),
    reason: form.text('One sentence over its state'),
    moves: form.text('What would move it on; empty when nothing needs to'),
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

export const workflowStatsForm = form.object(
  'WorkflowStats',
  {
    name: form.text('Name of the definition'),
    counts: { ...statusCountsForm, description: 'Executions that started in the window' },
    p50Ms: form.integer('Half of the sampled executions took no longer; absent without any'),
    p95Ms: form.integer('19 of 20 of the sampled executions took no longer'),
    sampled: form.integer('Newest completed executions that the times come from'),
  },
  ['name', 'counts', 'sampled'],
);

const eachStep = form.list(form.integer('Of one step'));
const startedForm: form.Form<{ readonly [S in WorkflowStatus]?: readonly number[] }> =
  form.objectOf(
    'StartedSeries',
    Object.fromEntries(workflowStatuses.map((status) => [status, eachStep])),
    [],
  );
export const queueSeriesForm = form.object(
  'QueueSeries',
  {
    taskType: form.text('Task type'),
    domain: form.text('Domain; empty for none'),
    waiting: form.list(
      form.nullable(form.integer('The most tasks that waited in a step')),
      'null where no sample was taken',
    ),
  },
  ['taskType', 'domain', 'waiting'],
);

export const seriesForm = form.object(
  'Series',
  {
    stepMs: form.integer('Length of a step, milliseconds; the first one may be shorter'),
    times: form.list(form.time('Begin of a step, epoch milliseconds'), 'Oldest first'),
    started: startedForm,
    omitted: form.integer('Executions that were not looked at, as there are too many'),
    queues: form.list(queueSeriesForm, 'Fullest first'),
  },
  ['stepMs', 'times', 'started', 'omitted', 'queues'],
);
