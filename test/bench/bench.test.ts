import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadSettings, WorkMode } from '../../bench/load-driver.js';
import { describeRun, measure, prepare, type Measurement } from '../../bench/measure.js';
import { chain, dynamicFork, loop, subWorkflows, type Scenario } from '../../bench/scenarios.js';
import { ApiClient } from '../../testkit/api-client.js';
import { tell } from '../support/figures.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

// The short form of the benchmarks: they run, everything they start ends, and cost does not grow
// with the size of an execution. Speed itself is judged by `npm run bench` on a quiet machine.

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

function settings(mode: WorkMode, window: number): LoadSettings {
  return {
    mode,
    window,
    starters: 4,
    pollers: 2,
    pollCount: 20,
    pollTimeoutMs: 500,
    workers: 32,
  };
}

async function run(
  scenario: Scenario,
  executions: number,
  how: LoadSettings,
): Promise<Measurement> {
  await prepare(server, scenario);
  const measured = await measure(server, scenario, executions, how);
  tell(`${scenario.name}: ${describeRun(measured)}`);
  return measured;
}

async function expectAllCompleted(measured: Measurement): Promise<void> {
  const client = new ApiClient(server.url);
  try {
    for (const id of measured.load.workflowIds) {
      const ended = await client.untilEnd(id);
      expect(ended.status).toBe('COMPLETED');
    }
  } finally {
    await client.close();
  }
}

describe('the benchmarks', () => {
  it.each(['batch', 'update-v2', 'in-turn'] as const)('carry out chains by %s', async (mode) => {
    const measured = await run(chain(5), 100, settings(mode, 50));
    expect(measured.tasks).toBe(500);
    expect(measured.load.workflowIds).toHaveLength(100);
    await expectAllCompleted(measured);
  });

  it.each([dynamicFork(50), loop(20, 0), loop(20, 5), subWorkflows(20)])(
    'carry out $name',
    async (scenario) => {
      const measured = await run(scenario, 5, settings('batch', 5));
      expect(measured.tasks).toBe(5 * scenario.tasksPerExecution);
      await expectAllCompleted(measured);
    },
  );

  it('show that a task of 1,000 branches costs about what one of 10 costs', async () => {
    const cpu = (m: Measurement): number => m.nodeUsPerTask + m.redisUsPerTask;
    await run(dynamicFork(10), 200, settings('batch', 100));
    const small = await run(dynamicFork(10), 300, settings('batch', 100));
    const large = await run(dynamicFork(1_000), 3, settings('batch', 1));
    // The aim is 1.5; other tests run beside this one, and a cost that grows with the size shows as
    // 10 or more.
    expect(cpu(large) / cpu(small)).toBeLessThan(3);
  });
});
