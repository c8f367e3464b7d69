// Forms of the answers about what the server does now.
import { workflowStatuses } from '../../model/status.js';
import { attentionKinds } from './attention.js';
import * as form from '../../api/form.js';
import { usageForm } from '../../api/server-facts.js';
import { statusCountsForm } from '../../api/forms/summaries.js';
import { queueCountsForm, workflowCountsForm } from './rate-forms.js';

const attentionForm = form.object(
  'Attention',
  {
    kind: form.oneOf(attentionKinds),
    count: form.integer('Tasks of a queue, tasks for people, timers, or executions'),
    sentence: form.text('The cause in one sentence'),
    taskType: form.text('Task type of the queue'),
    domain: form.text('Domain of the queue; empty for none'),
    taskId: form.text('Id of the task for a person'),
    workflowId: form.text('Id of the execution, where it is one'),
    query: form.text('Search that finds the executions'),
  },
  ['kind', 'count', 'sentence'],
);

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

const queueStatsForm = form.object(
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
    runMs: form.object(
      'RunTimes',
      {
        p50: form.integer('Half of them took no longer; milliseconds, to an eighth'),
        p95: form.integer('19 of 20 of them took no longer'),
        tasks: form.integer('Tasks that ended in this minute and the nine before'),
      },
      ['p50', 'p95', 'tasks'],
    ),
    workers: form.list(
      form.object(
        'QueueWorker',
        {
          workerId: form.text('Id of the worker'),
          lastPollTime: form.time(),
          leased: form.integer(
            'Tasks of the queue that it holds; absent when workers hold more than are counted',
          ),
        },
        ['workerId', 'lastPollTime'],
      ),
    ),
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

export const queueStatsListForm = form.list(queueStatsForm);

export const workflowStatsForm = form.list(
  form.object(
    'WorkflowStats',
    {
      name: form.text('Name of the definition'),
      counts: { ...statusCountsForm, description: 'Executions that started in the window' },
      p50Ms: form.integer('Half of the sampled executions took no longer; absent without any'),
      p95Ms: form.integer('19 of 20 of the sampled executions took no longer'),
      sampled: form.integer('Newest completed executions that the times come from'),
    },
    ['name', 'counts', 'sampled'],
  ),
);

const eachStep = form.list(form.integer('Of one step'));

export const seriesForm = form.object(
  'Series',
  {
    stepMs: form.integer('Length of a step, milliseconds; the first one may be shorter'),
    times: form.list(form.time('Begin of a step, epoch milliseconds'), 'Oldest first'),
    started: form.object(
      'StartedSeries',
      Object.fromEntries(workflowStatuses.map((status) => [status, eachStep])),
    ),
    omitted: form.integer('Executions that were not looked at, as there are too many'),
    queues: form.list(
      form.object(
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
      ),
      'Fullest first',
    ),
  },
  ['stepMs', 'times', 'started', 'omitted', 'queues'],
);
