import { beforeEach, describe, expect, it } from 'vitest';
import { ExecutionTimers, horizonMs } from '../../src/shard/execution-timers.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { ExecutionStore, Fence } from '../../src/store/execution-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

const id = (n: number): ExecutionId => executionIdOf(0, Buffer.alloc(10, n));

describe('timers of executions', () => {
  let clock: VirtualClock;
  let woken: ExecutionId[];
  let stored: { id: ExecutionId; at: number }[];
  let timers: ExecutionTimers;

  beforeEach(async () => {
    clock = new VirtualClock();
    woken = [];
    stored = [];
    const dueWakeUps: ExecutionStore['dueWakeUps'] = (shard, untilAt) =>
      Promise.resolve(shard === 0 ? stored.filter((due) => due.at <= untilAt) : []);
    const owned = new OwnedShards();
    owned.take([0, 1].map((shard): Fence => ({ shard, epoch: 1, token: 't' })));
    timers = new ExecutionTimers(clock, { dueWakeUps }, owned, {
      failed: (error) => {
        throw error;
      },
    });
    timers.onDue((which) => woken.push(which));
    await timers.start();
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
