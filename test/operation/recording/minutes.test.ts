// From counters to rates: what is counted is stored in its minute, read back over all processes,
// and shown in steps, to those who may see it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessRules } from '../../../src/access/access-rules.js';
import { systemCaller, type Caller } from '../../../src/model/caller.js';
import { MinuteRecorder } from '../../../src/operation/recording/minute-recorder.js';
import { perMinute, rates, type Rates } from '../../../src/areas/statistics/rates.js';
import type { MinuteCounts, StatisticsStore } from '../../../src/store/statistics-store.js';
import { EventCounters } from '../../../src/telemetry/event-counters.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const minuteMs = 60_000;
/** A whole hour. */
const start = 1_700_002_800_000;

/** Minutes by process, as Redis keeps them. */
class MemoryStatistics implements Pick<StatisticsStore, 'save' | 'read' | 'countedSince'> {
  readonly #minutes = new Map<string, MinuteCounts>();
  isAway = false;
  writes = 0;

  countedSince(now: number): Promise<number> {
    return Promise.resolve(now);
  }

  save(writer: string, minutes: readonly MinuteCounts[]): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.writes += 1;
    for (const minute of minutes) {
      this.#minutes.set(`${writer} ${minute.minuteAt}`, structuredClone(minute));
    }
    return Promise.resolve();
  }

  read(fromAt: number, untilAt: number): Promise<MinuteCounts[]> {
    const all = [...this.#minutes.values()];
    return Promise.resolve(all.filter(({ minuteAt }) => minuteAt >= fromAt && minuteAt <= untilAt));
  }
}

let clock: VirtualClock;
let store: MemoryStatistics;
let counters: EventCounters;
let minutes: MinuteRecorder;

function recorder(writer: string, of: EventCounters): MinuteRecorder {
  return new MinuteRecorder({
    ...{ counters: of, clock, writer, store: store as unknown as StatisticsStore },
    counted: () => undefined,
    failed: () => undefined,
  });
}

beforeEach(async () => {
  clock = new VirtualClock(start + 1000);
  store = new MemoryStatistics();
  counters = new EventCounters();
  minutes = recorder('a', counters);
  await minutes.start();
});

/** May see what starts with `own`. */
const someRights = {
  may: (_caller: Caller, _right: string, { id }: { id?: string }) => id?.startsWith('own') === true,
  heldSince: () => 0,
};

function ask(
  asked: { workflow?: string; taskType?: string; windowMs?: number; caller?: Caller } = {},
): Promise<Rates> {
  const access = someRights as unknown as AccessRules;
  const { workflow, taskType, windowMs = 60 * minuteMs, caller = systemCaller } = asked;
  return rates({ clock, access, minutes }, { caller, windowMs, workflow, taskType });
}

const stranger: Caller = { ...systemCaller, kind: 'user', id: 'u', roles: [] };

describe('counts per minute', () => {
  it('stand in the minute in which they were taken', async () => {
    counters.workflow('own_order', 'started').add();
    counters.workflow('own_order', 'started').add(2);
    counters.queue({ taskType: 'own_charge', domain: 'eu' }, 'scheduled').add(3);
    await minutes.save();
    clock.advance(minuteMs);
    counters.workflow('own_order', 'failed').add();
    const found = await ask();
    const step = found.times.indexOf(start);
    expect(found.executions.started.slice(step)).toEqual([3, 0]);
    expect(found.executions.failed.slice(step)).toEqual([0, 1]);
    const none = { completed: 0, timedOut: 0, terminated: 0 };
    expect(found.workflows).toEqual([{ name: 'own_order', started: 3, failed: 1, ...none }]);
    expect(found.queues).toMatchObject([
      { taskType: 'own_charge', domain: 'eu', total: { scheduled: 3, handedOut: 0 } },
    ]);
    expect(found.queues[0]?.series.scheduled.slice(step)).toEqual([3, 0]);
  });

  it('add up over processes, and outlive the one that counted', async () => {
    counters.workflow('own_order', 'started').add();
    await minutes.stop();
    const others = new EventCounters();
    const second = recorder('b', others);
    await second.start();
    others.workflow('own_order', 'started').add(4);
    await second.save();
    const found = await ask();
    expect(found.workflows).toMatchObject([{ name: 'own_order', started: 5 }]);
  });

  it('are null before there was counting, and for longer than they are kept', async () => {
    clock.advance(30 * minuteMs);
    counters.workflow('own_order', 'started').add();
    const { executions, times, countedSince } = await ask();
    expect(countedSince).toBe(start + 1000);
    const counted = executions.started.filter((each) => each !== null);
    expect(executions.started.indexOf(0)).toBe(times.indexOf(start));
    expect(counted).toHaveLength(31);
    expect(counted.at(-1)).toBe(1);
    clock.advance(8 * 24 * 60 * minuteMs);
    const long = await ask({ windowMs: 14 * 24 * 60 * minuteMs });
    expect(long.countedSince).toBe(clock.now() - 7 * 24 * 60 * minuteMs);
    expect(long.executions.started[0]).toBeNull();
  });

  it('write nothing while nothing happens, and make up for a write that failed', async () => {
    await minutes.save();
    expect(store.writes).toBe(0);
    store.isAway = true;
    counters.workflow('own_order', 'started').add();
    await expect(minutes.save()).rejects.toThrow('away');
    clock.advance(minuteMs);
    store.isAway = false;
    counters.workflow('own_order', 'completed').add();
    await minutes.save();
    await minutes.save();
    expect(store.writes).toBe(1);
    const found = await ask();
    const step = found.times.indexOf(start);
    expect(found.executions.started.slice(step)).toEqual([1, 0]);
    expect(found.executions.completed.slice(step)).toEqual([0, 1]);
  });

  it('tell apart 200 names of a minute and add up the others', async () => {
    for (let i = 0; i < 250; i += 1) counters.workflow(`own_${i}`, 'started').add();
    const { executions, workflows } = await ask();
    expect(executions.started.at(-1)).toBe(250);
    expect(workflows).toHaveLength(100);
    expect(workflows[0]).toMatchObject({ name: '', started: 50 });
  });

  it('show a caller what it may see, and what it asks for', async () => {
    counters.workflow('own_order', 'started').add();
    counters.workflow('hidden', 'started').add();
    counters.queue({ taskType: 'own_charge' }, 'scheduled').add();
    counters.queue({ taskType: 'hidden' }, 'scheduled').add();
    const seen = await ask({ caller: stranger });
    expect(seen.workflows.map(({ name }) => name)).toEqual(['own_order']);
    expect(seen.queues.map(({ taskType }) => taskType)).toEqual(['own_charge']);
    expect(seen.executions.started.at(-1)).toBe(1);
    const asked = await ask({ workflow: 'hidden', taskType: 'none' });
    expect(asked.workflows.map(({ name }) => name)).toEqual(['hidden']);
    expect(asked.queues).toEqual([]);
  });

  it('tell how long tasks ran that ended in the last ten minutes, over all processes', async () => {
    const queue = { taskType: 'own_charge', domain: '' };
    const lately = async (): Promise<unknown> => {
      const access = someRights as unknown as AccessRules;
      return (await perMinute({ clock, access, minutes }, systemCaller)).runMs(queue);
    };
    expect(await lately()).toBeUndefined();
    for (let i = 0; i < 18; i += 1) counters.runTime(queue, 100).add();
    await minutes.save();
    const others = new EventCounters();
    const second = recorder('b', others);
    await second.start();
    others.runTime(queue, 5000).add(2);
    await second.save();
    const within = (ms: number): unknown => expect.closeTo(ms, -Math.log10(ms / 4));
    const both = { p50: within(100), p95: within(5000), tasks: 20 };
    expect(await lately()).toEqual(both);
    clock.advance(9 * minuteMs);
    expect(await lately()).toEqual(both);
    clock.advance(minuteMs);
    expect(await lately()).toBeUndefined();
  });

  it('are a rate now: of the minute before what is less than 60 s ago', async () => {
    counters.queue({ taskType: 'own_charge' }, 'handedOut').add(60);
    counters.workflow('own_order', 'started').add(60);
    await minutes.save();
    clock.advance(minuteMs + 14_000);
    counters.queue({ taskType: 'own_charge' }, 'handedOut').add(5);
    const access = someRights as unknown as AccessRules;
    const now = await perMinute({ clock, access, minutes }, systemCaller);
    expect(now.queue({ taskType: 'own_charge', domain: '' })).toMatchObject({ handedOut: 50 });
    expect(now.queue({ taskType: 'other', domain: '' })).toMatchObject({ handedOut: 0 });
    expect(now.executions).toMatchObject({ started: 45 });
    clock.advance(2 * minuteMs);
    const later = await perMinute({ clock, access, minutes }, systemCaller);
    expect(later.queue({ taskType: 'own_charge', domain: '' })).toMatchObject({ handedOut: 0 });
  });
});
