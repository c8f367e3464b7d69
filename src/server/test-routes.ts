// Routes that only a test server has.
import type { Endpoint } from '../api/endpoint.js';
import { testClockRoutes } from '../api/test-clock.js';
import { testMockRoutes } from '../api/test-mocks.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { Executions } from '../shard/executions.js';
import type { TestNode } from './test-parts.js';
import { advanceMsMax } from './test-time.js';

export function testRoutes(test: TestNode, executions: Pick<Executions, 'read'>): Endpoint[] {
  const { time, auto, mocks } = test;
  return [
    ...testClockRoutes({
      ...{ time, auto, advanceMsMax },
      statusOf: (id) =>
        executions.read(id, ({ execution: { state } }) => ({
          status: state.status,
          hasEnded: isTerminalWorkflow(state.status),
        })),
    }),
    ...testMockRoutes(mocks),
  ];
}
