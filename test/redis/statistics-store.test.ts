// Counts per minute, and overdue timers, come back as processes wrote them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisStatisticsStore } from '../../src/redis/statistics-store.js';
import { executionIdOf } from '../../src/std/ids.js';
import {
  minutesLifeMs,
  type MinuteCounts,
  type NodeReport,
} from '../../src/store/statistics-store.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';

const minuteMs = 60_000;
/** Begins a bucket of ten minutes. */
const start = Math.floor(Date.now() / 600_000) * 600_000;

describe.each(storeKinds)('statistics on %s', (kind) => {
  let test: TestStore;
  let store: RedisStatisticsStore;
  beforeAll(async () => {
    test = await startStore(kind);
    store = new RedisStatisticsStore(test.redis);
  });
  afterAll(() => test?.stop());

  const minute = (number: number, started: number): MinuteCounts => ({
    minuteAt: start + number * minuteMs,
    workflows: [['order ü:{x}', started, 0, 1, 0, 0]],
    queues: [['charge', 'eu', started, 2, 3, 4]],
    runTimes: [['charge', 'eu', 12, started]],
    waitTimes: [['charge', 'eu', 3, started]],
    tookTimes: [['order ü:{x}', 40, started]],
  });

  it('keep what each process wrote last of a minute, over the ends of buckets', async () => {
    await store.save('a', [minute(9, 1), minute(10, 2)]);
    await store.save('b', [minute(10, 5)]);
    await store.save('a', [minute(10, 3)]);
    const found = await store.read(start, start + 20 * minuteMs);
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining([minute(9, 1), minute(10, 3), minute(10, 5)]));
    expect(await store.read(start + 9 * minuteMs, start + 9 * minuteMs)).toEqual([minute(9, 1)]);
    expect(await store.read(start + 11 * minuteMs, start + 60 * minuteMs)).toEqual([]);
    expect(await store.read(start - minutesLifeMs, start - 1)).toEqual([]);
  });

  it('expire when they are older than they are kept', async () => {
    const { keys, reads } = test.redis;
    const left = Number(await reads.call('PTTL', keys.statistics(start)));
    expect(left).toBeLessThanOrEqual(minutesLifeMs + 600_000);
    expect(left).toBeGreaterThan(minutesLifeMs - 600_000);
  });

  it('know since when there is counting, from the first who asked', async () => {
    expect(await store.countedSince(start)).toBe(start);
    expect(await store.countedSince(start + 1)).toBe(start);
  });

  it('hold the overdue timers of each process until it takes them back', async () => {
    const timers = [{ workflowId: executionIdOf(1, Buffer.alloc(10, 7)), dueAt: start }];
    const overdue = { count: 4, timers, lookedAt: start + 1 };
    await store.saveOverdue('a', overdue);
    await store.saveOverdue('b', { ...overdue, count: 1 });
    expect(await store.overdue()).toHaveLength(2);
    await store.saveOverdue('b', undefined);
    expect(await store.overdue()).toEqual([overdue]);
  });

  it('hold what each process told last of itself until it is removed', async () => {
    const report: NodeReport = {
      ...{ nodeId: 'n1', at: start, startedAt: start - 1, processorPercent: 12 },
      ...{ residentBytes: 1, heapBytes: 2, heapLimitBytes: 3, executions: 4, parkedPolls: 5 },
      loopLagMs: { p50: 0.1, p99: 2, max: 7.5 },
      workers: [
        {
          ...{ workerId: 'w', address: 'a', client: 'c', reported: 2, failed: 1 },
          polled: [['charge', 'eu', start]],
        },
      ],
    };
    await store.saveReport('a', { ...report, at: start - 5 });
    await store.saveReport('a', report);
    await store.saveReport('b', { ...report, nodeId: 'n2' });
    expect(await store.reports()).toHaveLength(2);
    await store.removeReports(['b']);
    await store.removeReports([]);
    expect(await store.reports()).toEqual([['a', report]]);
  });
});
