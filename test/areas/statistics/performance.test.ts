// How definitions and task types did, out of the counts of minutes, for those who may see them.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessRules } from '../../../src/access/access-rules.js';
import { performanceOf, type Performance } from '../../../src/areas/statistics/performance.js';
import { rates } from '../../../src/areas/statistics/rates.js';
import { systemCaller, type Caller } from '../../../src/model/caller.js';
import { MinuteRecorder } from '../../../src/operation/recording/minute-recorder.js';
import type { MinuteCounts, StatisticsStore } from '../../../src/store/statistics-store.js';
import { EventCounters } from '../../../src/telemetry/event-counters.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const minuteMs = 60_000;
/** A whole hour. */
const start = 1_700_002_800_000;
const charge = { taskType: 'own_charge', domain: 'eu' };

const accessToOwn = {
  may: (_caller: Caller, _right: string, { id }: { id?: string }) => id?.startsWith('own'),
  heldSince: () => 0,
} as unknown as AccessRules;

describe('performance', () => {
  let clock: VirtualClock;
  let counters: EventCounters;
  let minutes: MinuteRecorder;
  beforeEach(async () => {
    clock = new VirtualClock(start);
    counters = new EventCounters();
    const stored = new Map<number, MinuteCounts>();
    const store = {
      countedSince: (now: number) => Promise.resolve(now - 10 * minuteMs),
      save: (_writer: string, saved: readonly MinuteCounts[]) => {
        for (const minute of saved) stored.set(minute.minuteAt, minute);
        return Promise.resolve();
      },
      read: (fromAt: number, untilAt: number) =>
        Promise.resolve(
          [...stored.values()].filter(({ minuteAt: at }) => at >= fromAt && at <= untilAt),
        ),
    };
    minutes = new MinuteRecorder({
      ...{ counters, clock, writer: 'a', store: store as unknown as StatisticsStore },
      counted: () => undefined,
      failed: () => undefined,
    });
    await minutes.start();
  });

  const ask = (caller: Caller = systemCaller): Promise<Performance> => {
    const asked = { caller, windowMs: 12 * minuteMs };
    return performanceOf({ clock, access: accessToOwn, minutes }, asked);
  };

  it('tells how long executions took, and what became of them step by step', async () => {
    counters.workflow('own_order', 'failed').add();
    counters.took('own_order', 5000).add();
    await minutes.save();
    clock.advance(minuteMs);
    counters.workflow('own_order', 'started').add(2);
    counters.workflow('own_order', 'completed').add(19);
    counters.took('own_order', 4).add(19);
    const { workflows, times } = await ask();
    expect(times).toHaveLength(12);
    expect(workflows).toMatchObject([
      { name: 'own_order', started: 2, completed: 19, failed: 1, tookMs: { p50: 4, count: 20 } },
    ]);
    expect(workflows[0]?.trend.failed.slice(-2)).toEqual([1, 0]);
    expect(workflows[0]?.trend.completed.slice(-2)).toEqual([0, 19]);
  });

  it('tells how long tasks waited and ran, to an eighth', async () => {
    counters.queue(charge, 'completed').add(4);
    counters.runTime(charge, 1000).add(4);
    counters.waitTime(charge, 3).add(3);
    counters.waitTime(charge, 60_000).add();
    const { tasks } = await ask();
    expect(tasks).toMatchObject([{ ...charge, completed: 4, waitMs: { p50: 3, count: 4 } }]);
    expect(tasks[0]?.runMs?.p95).toBeGreaterThan(875);
    expect(tasks[0]?.runMs?.p95).toBeLessThan(1125);
    expect(tasks[0]?.waitMs?.p95).toBeGreaterThan(52_000);
  });

  it('keeps how long tasks waited over time, of all queues that the caller may see', async () => {
    counters.waitTime(charge, 60_000).add();
    await minutes.save();
    clock.advance(minuteMs);
    counters.waitTime(charge, 3).add(99);
    counters.waitTime({ taskType: 'own_ship', domain: '' }, 4000).add(20);
    counters.waitTime({ taskType: 'other', domain: '' }, 90_000).add(500);
    await minutes.save();
    clock.advance(minuteMs);
    const caller: Caller = { ...systemCaller, kind: 'user', id: 'u', roles: [] };
    const asked = { caller, windowMs: 12 * minuteMs, workflow: undefined, taskType: undefined };
    const { waitMs } = await rates({ clock, access: accessToOwn, minutes }, asked);
    const known = waitMs.p95.flatMap((each) => each ?? []);
    expect(known).toHaveLength(2);
    const [first = 0, second = 0] = known;
    expect(first).toBeGreaterThan(52_000);
    expect(first).toBeLessThan(68_000);
    expect(second).toBeGreaterThan(3500);
    expect(second).toBeLessThan(4500);
    expect(waitMs.p50.flatMap((each) => each ?? [])).toEqual([first, 3]);
    expect(waitMs.p50).toHaveLength(waitMs.p95.length);
  });

  it('leaves out what the caller may not see, and times of what never ended', async () => {
    counters.workflow('own_order', 'started').add();
    counters.workflow('other', 'started').add();
    counters.took('other', 1).add();
    counters.queue({ taskType: 'other' }, 'scheduled').add();
    const { workflows, tasks } = await ask({
      ...systemCaller,
      ...{ kind: 'user', id: 'u', roles: [] },
    });
    expect(workflows.map(({ name }) => name)).toEqual(['own_order']);
    expect(workflows[0]).not.toHaveProperty('tookMs');
    expect(tasks).toEqual([]);
  });
});
