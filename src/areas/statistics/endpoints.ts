// The endpoints over time: for plots what started when and how full the queues were, and how the
// executions of workflows have fared.
import { series, type SeriesParts } from './series.js';
import { workflowStats } from './workflow-stats.js';
import { endpoint, query, type Endpoint } from '../../api/endpoint.js';
import { readsExecutions } from '../../api/execution-access.js';
import * as schema from '../../model/schema.js';
import { seriesSchema, workflowStatsSchema } from './overview-schemas.js';
import { inWindow, windowOf } from '../../api/window.js';

export function seriesRoutes(parts: SeriesParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/stats/series',
      name: 'getSeries',
      summary: 'Shows in steps of time what started and what became of it, and what queues held.',
      access: readsExecutions,
      parameters: inWindow,
      reply: seriesSchema,
      handle: async (request) => {
        const asked = { caller: request.caller, windowMs: windowOf(request) };
        return await series(parts, asked);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/stats/workflows',
      name: 'getWorkflowStats',
      summary: 'Shows how the executions of workflows have fared, and how long they took.',
      access: readsExecutions,
      parameters: {
        ...inWindow,
        name: query(schema.text('Of a definition; up to 100'), { required: true, repeated: true }),
      },
      reply: schema.list(workflowStatsSchema),
      handle: async (request) => {
        const { caller } = request;
        const asked = { caller, names: request.queryAll('name'), windowMs: windowOf(request) };
        return await workflowStats(parts, asked);
      },
    }),
  ];
}
