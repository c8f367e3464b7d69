// Schemas of what is told to who runs the server.
import * as schema from '../../model/schema.js';
import { quantiles, queueCounts, workflowCounts } from './rate-schemas.js';
import { queueEvents, workflowEvents } from '../../telemetry/event-counters.js';

export const nodeReportsSchema: schema.Schema = schema.list(
  schema.object(
    'NodeReport',
    {
      nodeId: schema.text(),
      reportTime: schema.time('When the node told this, epoch milliseconds'),
      startTime: schema.time('When its process started'),
      processorPercent: schema.number('Of one core'),
      residentBytes: schema.integer('Memory of the process'),
      heapBytes: schema.integer('Heap in use'),
      heapLimitBytes: schema.integer('What the heap may grow to'),
      loopLagMs: schema.object(
        'LoopLag',
        {
          p50: schema.number('Half of the timers came no later; milliseconds'),
          p99: schema.number('99 of 100 came no later'),
          max: schema.number('The latest one'),
        },
        ['p50', 'p99', 'max'],
      ),
      executions: schema.integer('Executions in memory'),
      parkedPolls: schema.integer('Polls that wait'),
      storeMs: schema.object(
        'StoreTimes',
        {
          p50: schema.number('Half of the answers within the last minute took no longer'),
          max: schema.number('The longest'),
        },
        ['p50', 'max'],
      ),
      workers: schema.integer('Workers that polled it within the last hour'),
    },
    [
      ...(['nodeId', 'reportTime', 'startTime', 'processorPercent', 'residentBytes'] as const),
      ...(['heapBytes', 'heapLimitBytes', 'loopLagMs', 'executions'] as const),
      ...(['parkedPolls', 'workers'] as const),
    ],
  ),
);

export const timesSchema = schema.object(
  'Times',
  {
    ...quantiles,
    count: schema.integer('What the times come from'),
  },
  ['p50', 'p95', 'count'],
);
export const trendSchema = schema.object(
  'Trend',
  {
    completed: schema.list(schema.integer(), 'In each step'),
    failed: schema.list(schema.integer(), 'Failed or timed out, in each step'),
  },
  ['completed', 'failed'],
);

export const performanceSchema = schema.object(
  'Performance',
  {
    countedSince: schema.time('Since when events are counted, at most for seven days'),
    times: schema.list(schema.time(), 'Begins of the steps of trends'),
    workflows: schema.list(
      schema.object(
        'WorkflowPerformance',
        {
          name: schema.text('Name of the definition; empty for further ones'),
          ...workflowCounts,
          tookMs: timesSchema,
          trend: trendSchema,
        },
        ['name', ...workflowEvents, 'trend'],
      ),
      'Most events first',
    ),
    tasks: schema.list(
      schema.object(
        'TaskPerformance',
        {
          taskType: schema.text('Task type; empty for further queues'),
          domain: schema.text('Domain; empty for none'),
          ...queueCounts,
          runMs: timesSchema,
          waitMs: timesSchema,
          trend: trendSchema,
        },
        ['taskType', 'domain', ...queueEvents, 'trend'],
      ),
      'Most events first',
    ),
  },
  ['countedSince', 'times', 'workflows', 'tasks'],
);

export const fleetWorkerSchema = schema.object(
  'FleetWorker',
  {
    workerId: schema.text('Empty for those that give none'),
    addresses: schema.list(schema.text(), 'Where it polls from; for administrators only'),
    clients: schema.list(schema.text(), 'What its clients call themselves'),
    queues: schema.list(
      schema.object(
        'WorkerQueue',
        {
          taskType: schema.text('Task type'),
          domain: schema.text('Domain; empty for none'),
          lastPollTime: schema.time(),
        },
        ['taskType', 'domain', 'lastPollTime'],
      ),
    ),
    lastPollTime: schema.time(),
    inFlight: schema.integer('Tasks that it holds; absent when too many are held to count'),
    reported: schema.integer(
      'Its reports of tasks that ended within the last hour; absent when it polls queues that the caller may not see',
    ),
    failed: schema.integer('Those of failures'),
    nodes: schema.list(schema.text(), 'Nodes that it polls'),
  },
  ['workerId', 'clients', 'queues', 'lastPollTime', 'nodes'],
);
