// What a process tells of itself: with how long the store took, gone when it stops, and that of
// others that were killed removed when it is an hour old.
import { expect, it } from 'vitest';
import { NodeReporter } from '../../../src/operation/recording/node-reporter.js';
import type { NodeReport } from '../../../src/store/statistics-store.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const hourMs = 3_600_000;

it('reports of processes stand as long as they or their workers are of use', async () => {
  const clock = new VirtualClock(1_700_000_000_000);
  const stored = new Map<string, NodeReport>();
  const state = {
    ...{ processorPercent: 3, residentBytes: 1, heapBytes: 2, heapLimitBytes: 3 },
    ...{ executions: 4, parkedPolls: 5, loopLagMs: { p50: 0, p99: 1, max: 2 } },
  };
  const reporter = new NodeReporter({
    ...{ nodeId: 'n1', writer: 'own', clock, state: () => state, workers: () => [] },
    store: {
      saveReport: (writer, report) => Promise.resolve(void stored.set(writer, report)),
      reports: () => Promise.resolve([...stored]),
      removeReports: (writers) => Promise.resolve(writers.forEach((each) => stored.delete(each))),
    },
    failed: (error) => expect(error).toBeUndefined(),
  });
  const other = { ...state, nodeId: 'n2', startedAt: 0, workers: [] };
  stored.set('killed', { ...other, at: clock.now() - hourMs - 1 });
  stored.set('killed lately', { ...other, at: clock.now() - hourMs + 1000 });
  await reporter.start();
  expect([...stored.keys()].sort()).toEqual(['killed lately', 'own']);
  expect(stored.get('own')).not.toHaveProperty('storeMs');
  expect(stored.get('own')).toMatchObject({ nodeId: 'n1', at: clock.now(), executions: 4 });
  await reporter.runOnce();
  expect(stored.get('own')?.storeMs?.max).toBeGreaterThanOrEqual(0);
  await reporter.stop();
  expect(stored.has('own')).toBe(false);
});
