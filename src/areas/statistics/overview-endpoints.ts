// Endpoints about what the server does now: for the page, and for anybody who asks the same.
import { isAdministrator } from '../../model/caller.js';
import { endpoint, query, type Endpoint } from '../../api/endpoint.js';
import { readsExecutions } from '../../api/execution-access.js';
import * as schema from '../../model/schema.js';
import { queueWhySchema } from '../../model/why-answers.js';
import { inWindow, windowOf } from '../../api/window.js';
import { overdueTimers } from './overdue.js';
import { overview, type OverviewParts } from './overview.js';
import { overviewSchema, queueStatsSchema } from './overview-schemas.js';
import { queueStats } from './queue-stats.js';
import { whyQueue } from './queue-why.js';
import { overdueSchema, ratesSchema } from './rate-schemas.js';
import { rates } from './rates.js';

export interface OverviewEndpointParts extends OverviewParts {
  readonly storeMemory: () => { readonly usedBytes: number; readonly limitBytes: number };
}

export function overviewEndpoints(parts: OverviewEndpointParts): Endpoint[] {
  const { context } = parts;
  const entry = { method: 'GET' } as const;
  return [
    endpoint({
      ...entry,
      pattern: '/api/stats/overview',
      name: 'getOverview',
      summary: 'Shows what runs and what needs attention.',
      access: readsExecutions,
      parameters: inWindow,
      reply: overviewSchema,
      handle: async (request) => {
        const { caller } = request;
        const asked = { caller, windowMs: windowOf(request) };
        const seen = await overview(parts, asked);
        return isAdministrator(caller) ? { ...seen, store: parts.storeMemory() } : seen;
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/stats/queues',
      name: 'getQueueStats',
      summary: 'Shows what each queue holds, who polls it and what holds it up.',
      access: { rule: 'caller' },
      reply: schema.list(queueStatsSchema),
      handle: (request) => queueStats(context, request.caller),
    }),
    endpoint({
      ...entry,
      pattern: '/api/stats/timers',
      name: 'getOverdueTimers',
      summary: 'Shows timers of executions that are overdue.',
      access: readsExecutions,
      reply: overdueSchema,
      handle: ({ caller }) => overdueTimers(parts, caller),
    }),
    endpoint({
      ...entry,
      pattern: '/api/stats/rates',
      name: 'getRates',
      summary:
        'Shows in steps of time what started and ended, and what queues took in and gave out.',
      access: { rule: 'caller' },
      parameters: {
        ...inWindow,
        workflow: query(schema.text('Of this workflow only')),
        taskType: query(schema.text('Of the queues of this task type only')),
      },
      reply: ratesSchema,
      handle: async (request) => {
        const { caller } = request;
        const workflow = request.query('workflow') || undefined;
        const taskType = request.query('taskType') || undefined;
        const windowMs = windowOf(request);
        return await rates(context, { caller, windowMs, workflow, taskType });
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/tasks/queue/why',
      name: 'whyQueue',
      summary: 'Explains what holds a queue up.',
      access: { rule: 'caller' },
      parameters: {
        taskType: query(schema.text('Task type'), { required: true }),
        domain: query(schema.text('Domain; absent for none')),
      },
      reply: queueWhySchema,
      handle: (request) =>
        whyQueue(context, request.caller, {
          taskType: request.queryRequired('taskType'),
          domain: request.query('domain') ?? '',
        }),
    }),
  ];
}
