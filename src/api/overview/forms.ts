// Forms of the answers that sum up what the server does.
import { workflowStatuses } from '../../model/status.js';
import { attentionKinds } from '../../operation/overview/attention.js';
import { outlineColumns } from '../../operation/overview/outline.js';
import * as form from '../form.js';
import { usageForm } from '../server-facts.js';
import { workflowDefForm } from '../forms/workflow-def.js';
import { queueCountsForm, workflowCountsForm } from './rate-forms.js';

const statusCounts = form.object(
  'StatusCounts',
  Object.fromEntries(workflowStatuses.map((status) => [status, form.integer('Executions')])),
);

export const facetsForm = form.object(
  'WorkflowFacets',
  {
    total: form.integer('Executions that fit'),
    status: statusCounts,
    workflowType: form.list(
      form.object(
        'WorkflowCount',
        { name: form.text('Name of the definition'), count: form.integer('Executions') },
        ['name', 'count'],
      ),
      'Most first, at most 100; only when asked for',
    ),
    otherTypes: form.integer('Executions of workflows that are not listed; only with the list'),
  },
  ['total', 'status'],
);

const chars = (of: string): form.Form => form.integer(`Characters of its ${of}, as JSON`);

/** An execution without payloads. */
const headForm = form.object(
  'WorkflowHead',
  {
    workflowId: form.text(),
    workflowName: form.text(),
    workflowVersion: form.integer(),
    status: form.oneOf(workflowStatuses),
    startTime: form.time(),
    updateTime: form.time(),
    endTime: form.time('Epoch milliseconds; 0 while it runs'),
    priority: form.integer(),
    inputChars: chars('input'),
    outputChars: chars('output'),
    variablesChars: chars('variables'),
    failedReferenceTaskNames: form.list(form.text()),
    correlationId: form.text(),
    parentWorkflowId: form.text(),
    createdBy: form.text(),
    event: form.text(),
    reasonForIncompletion: form.text(),
    traceId: form.text('Of the trace it belongs to: 32 hexadecimal digits'),
    failureWorkflowId: form.text('The failure workflow that it started'),
    failedWorkflowId: form.text('The execution whose failure started this one'),
  },
  [
    ...(['workflowId', 'workflowName', 'workflowVersion', 'status', 'startTime'] as const),
    ...(['updateTime', 'endTime', 'priority', 'inputChars', 'outputChars'] as const),
    'variablesChars',
    'failedReferenceTaskNames',
  ],
);

export const outlineForm = form.object(
  'WorkflowOutline',
  {
    head: headForm,
    workflowDefinition: workflowDefForm,
    revision: form.integer('Rises with every change'),
    tasks: form.object(
      'OutlineTasks',
      {
        columns: form.list(form.oneOf(outlineColumns), 'Names of the values of a row, in order'),
        rows: form.list(form.list({ type: ['string', 'integer', 'boolean', 'null'] })),
      },
      ['columns', 'rows'],
    ),
  },
  ['head', 'workflowDefinition', 'revision', 'tasks'],
);

const historyEntryForm = form.object(
  'HistoryEntry',
  {
    revision: form.integer('Number of the entry, from 1; a gap at the begin: older ones are gone'),
    time: form.time('Epoch milliseconds'),
    actor: form.text('Id of who did it; empty while authentication is off'),
    actorKind: form.text('What kind of identity that is: local, user, application or system'),
    action: form.text(
      'What was done, such as `pause`, `retry`, `skip-task`; `event-refused`: a sink got no event',
    ),
    taskId: form.text('The task that it was about'),
    reason: form.text("In the actor's words"),
    changes: {
      ...form.anyObject,
      description: 'What was given: flags and names; of payloads the names of their members only',
    },
  },
  ['revision', 'time', 'actor', 'actorKind', 'action'],
);

export const historyForm = form.list(historyEntryForm, 'Oldest first');

const failureGroupForm = form.object(
  'FailureGroup',
  {
    fingerprint: form.text('The same for failures of one cause'),
    workflowType: form.text('Name of the definition'),
    ref: form.text('Reference name of the task that failed; empty when none did'),
    sample: form.text('Reason of the newest one'),
    workflowIds: form.list(form.text('Id of an execution'), 'Newest first, at most 500'),
    count: form.integer('Executions'),
    trend: form.list(
      form.integer('Executions'),
      'How many ended in each twelfth of the window, oldest first',
    ),
    firstTime: form.time('End of the first one, epoch milliseconds'),
    lastTime: form.time('End of the last one, epoch milliseconds'),
  },
  [
    ...(['fingerprint', 'workflowType', 'ref', 'sample', 'workflowIds', 'count'] as const),
    ...(['trend', 'firstTime', 'lastTime'] as const),
  ],
);

export const failuresForm = form.object(
  'FailureGroups',
  {
    groups: form.list(failureGroupForm, 'Largest first'),
    omitted: form.integer('Failed executions that were not looked at, as there are too many'),
  },
  ['groups', 'omitted'],
);

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
    counts: statusCounts,
    started: statusCounts,
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
    ...(['taskType', 'domain', 'waiting', 'leased', 'perMinute', 'workers'] as const),
    ...(['hasDefinition', 'reason', 'moves'] as const),
  ],
);

export const queueStatsListForm = form.list(queueStatsForm);

export const workflowStatsForm = form.list(
  form.object(
    'WorkflowStats',
    {
      name: form.text('Name of the definition'),
      counts: { ...statusCounts, description: 'Executions that started in the window' },
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

/** A user with a password, an access key, or a user of the identity provider. */
export const signInKinds = ['password', 'key', 'provider'] as const;

export const featuresForm = form.object(
  'Features',
  {
    version: form.text('Version of the server'),
    durability: form.text('Durability level in force (invariants section 2)'),
    basePath: form.text('Path below which everything is served too; empty for none'),
    environment: form.text('What the operator calls this environment; empty for nothing'),
    signIn: form.list(form.oneOf(signInKinds), 'How one may sign in; none without authentication'),
    areas: form.list(form.text('One or two first segments of paths below /api that are served')),
    user: form.object(
      'FeaturesUser',
      {
        id: form.text('Who asks; empty without authentication'),
        administrator: form.flag('Whether this caller may do everything'),
        closed: form.list(
          form.text(),
          'Routes that no role of this caller opens, such as `GET /api/users/:id`',
        ),
      },
      ['id', 'administrator', 'closed'],
    ),
  },
  ['version', 'durability', 'basePath', 'environment', 'signIn', 'areas', 'user'],
);
