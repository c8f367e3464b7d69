// The endpoints for who runs the server: how each node does, how definitions and task types do, and
// who the workers are.
import type { OperationContext } from '../../operation/context.js';
import { reportEveryMs } from '../../operation/recording/node-reporter.js';
import type { StatisticsStore } from '../../store/statistics-store.js';
import { endpoint, type Endpoint } from '../../api/endpoint.js';
import { administrators } from '../../api/execution-access.js';
import { inWindow, windowOf } from '../../api/window.js';
import { nodeReportsSchema, performanceSchema, workersSchema } from './operator-schemas.js';
import { performanceOf } from './performance.js';
import { fleet } from './workers.js';

interface OperatorParts {
  readonly context: OperationContext;
  readonly store: Pick<StatisticsStore, 'reports'>;
}

/** A node that has not told anything for so long has ended. */
const silentMs = 6 * reportEveryMs;

export function operatorRoutes({ context, store }: OperatorParts): Endpoint[] {
  const entry = { method: 'GET' } as const;
  return [
    endpoint({
      ...entry,
      pattern: '/api/stats/nodes',
      name: 'getNodeReports',
      summary: 'Shows how each node does: processor, memory, event loop, store.',
      access: administrators,
      reply: nodeReportsSchema,
      handle: async () => {
        const since = context.clock.now() - silentMs;
        const shown = (await store.reports())
          .map(([, report]) => report)
          .filter(({ at }) => at >= since)
          .map(({ at, startedAt, workers, ...state }) => {
            return { ...state, reportTime: at, startTime: startedAt, workers: workers.length };
          });
        return shown;
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/stats/performance',
      name: 'getPerformance',
      summary: 'Shows how fast definitions and task types are, and how often they fail.',
      access: { rule: 'caller' },
      parameters: inWindow,
      reply: performanceSchema,
      handle: async (request) => {
        const asked = { caller: request.caller, windowMs: windowOf(request) };
        return await performanceOf(context, asked);
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/stats/workers',
      name: 'getWorkers',
      summary: 'Shows the workers that polled within the last hour.',
      access: { rule: 'caller' },
      reply: workersSchema,
      handle: async ({ caller }) => {
        const reports = (await store.reports()).map(([, report]) => report);
        return await fleet(context, caller, reports);
      },
    }),
  ];
}
