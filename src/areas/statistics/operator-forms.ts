// Forms of what is told to who runs the server.
import * as form from '../../api/form.js';
import { queueCounts, workflowCounts } from './rate-forms.js';
import { queueEvents, workflowEvents } from '../../telemetry/event-counters.js';

export const nodeReportsForm: form.Form = form.list(
  form.object(
    'NodeReport',
    {
      nodeId: form.text(),
      reportTime: form.time('When the node told this, epoch milliseconds'),
      startTime: form.time('When its process started'),
      processorPercent: form.number('Of one core'),
      residentBytes: form.integer('Memory of the process'),
      heapBytes: form.integer('Heap in use'),
      heapLimitBytes: form.integer('What the heap may grow to'),
      loopLagMs: form.object(
        'LoopLag',
        {
          p50: form.number('Half of the timers came no later; milliseconds'),
          p99: form.number('99 of 100 came no later'),
          max: form.number('The latest one'),
        },
        ['p50', 'p99', 'max'],
      ),
      executions: form.integer('Executions in memory'),
      parkedPolls: form.integer('Polls that wait'),
      storeMs: form.object(
        'StoreTimes',
        {
          p50: form.number('Half of the answers within the last minute took no longer'),
          max: form.number('The longest'),
        },
        ['p50', 'max'],
      ),
      workers: form.integer('Workers that polled it within the last hour'),
    },
    [
      ...(['nodeId', 'reportTime', 'startTime', 'processorPercent', 'residentBytes'] as const),
      ...(['heapBytes', 'heapLimitBytes', 'loopLagMs', 'executions'] as const),
      ...(['parkedPolls', 'workers'] as const),
    ],
  ),
);

export const timesForm = form.object(
  'Times',
  {
    p50: form.integer('Half of them took no longer; milliseconds, to an eighth'),
    p95: form.integer('19 of 20 of them took no longer'),
    count: form.integer('What the times come from'),
  },
  ['p50', 'p95', 'count'],
);
export const trendForm = form.object(
  'Trend',
  {
    completed: form.list(form.integer(), 'In each step'),
    failed: form.list(form.integer(), 'Failed or timed out, in each step'),
  },
  ['completed', 'failed'],
);

export const performanceForm = form.object(
  'Performance',
  {
    countedSince: form.time('Since when events are counted, at most for seven days'),
    times: form.list(form.time(), 'Begins of the steps of trends'),
    workflows: form.list(
      form.object(
        'WorkflowPerformance',
        {
          name: form.text('Name of the definition; empty for further ones'),
          ...workflowCounts,
          tookMs: timesForm,
          trend: trendForm,
        },
        ['name', ...workflowEvents, 'trend'],
      ),
      'Most events first',
    ),
    tasks: form.list(
      form.object(
        'TaskPerformance',
        {
          taskType: form.text('Task type; empty for further queues'),
          domain: form.text('Domain; empty for none'),
          ...queueCounts,
          runMs: timesForm,
          waitMs: timesForm,
          trend: trendForm,
        },
        ['taskType', 'domain', ...queueEvents, 'trend'],
      ),
      'Most events first',
    ),
  },
  ['countedSince', 'times', 'workflows', 'tasks'],
);

export const fleetWorkerForm = form.object(
  'FleetWorker',
  {
    workerId: form.text('Empty for those that give none'),
    addresses: form.list(form.text(), 'Where it polls from; for administrators only'),
    clients: form.list(form.text(), 'What its clients call themselves'),
    queues: form.list(
      form.object(
        'WorkerQueue',
        {
          taskType: form.text('Task type'),
          domain: form.text('Domain; empty for none'),
          lastPollTime: form.time(),
        },
        ['taskType', 'domain', 'lastPollTime'],
      ),
    ),
    lastPollTime: form.time(),
    inFlight: form.integer('Tasks that it holds; absent when too many are held to count'),
    reported: form.integer(
      'Its reports of tasks that ended within the last hour; absent when it polls queues that the caller may not see',
    ),
    failed: form.integer('Those of failures'),
    nodes: form.list(form.text(), 'Nodes that it polls'),
  },
  ['workerId', 'clients', 'queues', 'lastPollTime', 'nodes'],
);
