import { beforeEach, describe, expect, it } from 'vitest';
import {
  ExecutionTimers,
  horizonMs,
  quietMs,
  unnoticedQuietMs,
} from '../../src/shard/execution-timers.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import { ShardOutlook } from '../../src/shard/shard-outlook.js';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { Commit, Fence } from '../../src/store/execution-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

const id = (n: number): ExecutionId => executionIdOf(0, Buffer.alloc(10, n));

describe('timers of executions', () => {
  let clock: VirtualClock;
  let woken: ExecutionId[];
  /** Of shard 0 unless it says otherwise. */
  let stored: { id: ExecutionId; at: number; shard?: number }[];
  let timers: ExecutionTimers;
  let outlook: ShardOutlook;
  let owned: OwnedShards;
  /** Reads of the store, by shard. */
  let reads: number[];
  let noticesFailovers: boolean;

  beforeEach(async () => {
    clock = new VirtualClock();
    woken = [];
    stored = [];
    noticesFailovers = true;
    owned = new OwnedShards({ holdsLease: true, holdsLeaseOf: () => false });
    owned.take([0, 1].map((shard): Fence => ({ shard, epoch: 1, token: 't' })));
    await startTimers();
  });

  const storedIn = (shard: number): typeof stored =>
    stored.filter((due) => (due.shard ?? 0) === shard);

  async function startTimers(): Promise<void> {
    reads = [];
    outlook = new ShardOutlook(owned);
    timers = new ExecutionTimers({
      ...{ clock, owned, outlook },
      store: {
        noticesFailovers,
        firstOpenAt: (shard) => {
          reads.push(shard);
          const [first] = storedIn(shard).sort((a, b) => a.at - b.at);
          return Promise.resolve(first?.at);
        },
        dueWakeUps: (shard, untilAt) =>
          Promise.resolve(storedIn(shard).filter((due) => due.at <= untilAt)),
      },
      monitor: {
        failed: (error) => {
          throw error;
        },
      },
      due: (which) => void woken.push(which),
    });
    await timers.start();
  }

  /** Lets `ms` pass; each turn ends before the next one is due. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      for (let i = 0; i < 20; i += 1) await Promise.resolve();
    }
  }

  const commitOf = (wakeAt: number): Pick<Commit, 'wakeAt' | 'compactUntilAt' | 'remove'> => ({
    ...{ wakeAt, compactUntilAt: undefined, remove: false },
  });

  it('fire at their time, earliest first, and never early', () => {
    timers.arm(id(1), clock.now() + 500);
    timers.arm(id(2), clock.now() + 200);
    clock.advance(199);
    expect(woken).toEqual([]);
    clock.advance(1);
    expect(woken).toEqual([id(2)]);
    clock.advance(300);
    expect(woken).toEqual([id(2), id(1)]);
  });

  it('fire also when they were armed before the start, as when shards are taken first', async () => {
    await timers.stop();
    const at = clock.now() + 500;
    stored = [{ id: id(1), at }];
    await timers.check([0]);
    await timers.start();
    clock.advance(500);
    expect(woken).toEqual([id(1)]);
  });

  it('are overdue when they stay in the store although they have fired', async () => {
    const at = clock.now() - 10_000;
    stored = [{ id: id(1), at }];
    await timers.check([0]);
    expect(timers.overdue).toEqual([]);
    await timers.check([0]);
    expect(timers.overdue).toEqual([{ id: id(1), at }]);
    stored = [];
    await timers.check([0]);
    expect(timers.overdue).toEqual([]);
  });

  it('fire once when an execution was armed again for an earlier moment', () => {
    timers.arm(id(1), clock.now() + 500);
    timers.arm(id(1), clock.now() + 100);
    clock.advance(1000);
    expect(woken).toEqual([id(1)]);
  });

  it('cost no memory beyond the horizon and come back by a check of the shard', async () => {
    const at = clock.now() + horizonMs + 5000;
    timers.arm(id(1), at);
    expect(timers.armed).toBe(0);
    stored = [{ id: id(1), at }];
    clock.advance(10_000);
    await timers.check([0]);
    expect(timers.armed).toBe(1);
    clock.advance(horizonMs);
    expect(woken).toContain(id(1));
  });

  it('far off are found in time although their shard is not looked at until they come near', async () => {
    await pass(1000);
    const at = clock.now() + 10 * horizonMs;
    stored = [{ id: id(1), at }];
    outlook.landed(0, commitOf(at));
    await pass(10 * horizonMs - 1000);
    expect(woken).toEqual([]);
    await pass(1000);
    expect(woken).toEqual([id(1)]);
    // Once a minute in reserve, and each 15 seconds when it comes near.
    expect(reads.filter((shard) => shard === 0).length).toBeLessThan(16);
  });

  it('put into a quiet shard behind its back are found by the look in reserve', async () => {
    stored = [{ id: id(1), at: clock.now() + 5000 }];
    await pass(5000);
    expect(woken).toEqual([]);
    await pass(quietMs - 4000);
    expect(woken).toEqual([id(1)]);
  });

  it('are found sooner so where failovers go unnoticed', async () => {
    await timers.stop();
    noticesFailovers = false;
    await startTimers();
    stored = [{ id: id(1), at: clock.now() + 5000 }];
    await pass(unnoticedQuietMs + 1000);
    expect(woken).toEqual([id(1)]);
  });

  it('of a shard that was lost and taken again are looked for at once', async () => {
    await pass(2000);
    owned.drop([0]);
    stored = [{ id: id(1), at: clock.now() + 3000 }];
    owned.take([{ shard: 0, epoch: 2, token: 'u' }]);
    await pass(4000);
    expect(woken).toEqual([id(1)]);
  });

  it('cost one read a minute and shard where there are none', async () => {
    await timers.stop();
    owned.take(Array.from({ length: 256 }, (_, shard) => ({ shard, epoch: 1, token: 't' })));
    await startTimers();
    reads = [];
    await pass(5 * quietMs);
    expect(new Set(reads).size).toBe(256);
    expect(reads.length).toBeLessThanOrEqual(256 * 5);
  });

  it('of 256 shards that all come near at once are all armed before they are due', async () => {
    await timers.stop();
    const shards = Array.from({ length: 256 }, (_, shard) => shard);
    owned.take(shards.map((shard) => ({ shard, epoch: 1, token: 't' })));
    await startTimers();
    await pass(quietMs);
    const at = clock.now() + 5 * horizonMs;
    stored = shards.map((shard) => ({ id: executionIdOf(shard, Buffer.alloc(10)), at, shard }));
    for (const shard of shards) outlook.landed(shard, commitOf(at));
    await pass(5 * horizonMs - 5000);
    expect(timers.armed).toBe(256);
    await pass(5000);
    expect(new Set(woken).size).toBe(256);
  });

  it('of 10,000 executions due in one second all fire in it', () => {
    for (let n = 0; n < 10_000; n += 1) {
      const bytes = Buffer.alloc(10);
      bytes.writeUInt32BE(n, 3);
      timers.arm(executionIdOf(n % 256, bytes), clock.now() + (n % 1000));
    }
    clock.advance(1000);
    expect(new Set(woken).size).toBe(10_000);
  });
});
