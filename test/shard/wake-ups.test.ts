import { beforeEach, describe, expect, it } from 'vitest';
import { WakeUps, horizonMs } from '../../src/shard/wake-ups.js';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { ExecutionStore } from '../../src/store/execution-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

const id = (n: number): ExecutionId => executionIdOf(0, Buffer.alloc(10, n));

describe('wake-ups', () => {
  let clock: VirtualClock;
  let woken: ExecutionId[];
  let stored: { id: ExecutionId; at: number }[];
  let wakeUps: WakeUps;

  beforeEach(async () => {
    clock = new VirtualClock();
    woken = [];
    stored = [];
    const dueWakeUps: ExecutionStore['dueWakeUps'] = (shard, untilAt) =>
      Promise.resolve(shard === 0 ? stored.filter((due) => due.at <= untilAt) : []);
    wakeUps = new WakeUps({
      clock,
      store: { dueWakeUps } as ExecutionStore,
      shards: () => [0, 1],
      wake: (which) => woken.push(which),
      failed: (error) => {
        throw error;
      },
    });
    await wakeUps.start();
  });

  it('fire at their time, earliest first, and never early', () => {
    wakeUps.arm(id(1), clock.now() + 500);
    wakeUps.arm(id(2), clock.now() + 200);
    clock.advance(199);
    expect(woken).toEqual([]);
    clock.advance(1);
    expect(woken).toEqual([id(2)]);
    clock.advance(300);
    expect(woken).toEqual([id(2), id(1)]);
  });

  it('fire also when they were armed before the start, as when shards are taken first', async () => {
    await wakeUps.stop();
    const at = clock.now() + 500;
    stored = [{ id: id(1), at }];
    await wakeUps.lookAt([0]);
    await wakeUps.start();
    clock.advance(500);
    expect(woken).toEqual([id(1)]);
  });

  it('fire once when an execution was armed again for an earlier moment', () => {
    wakeUps.arm(id(1), clock.now() + 500);
    wakeUps.arm(id(1), clock.now() + 100);
    clock.advance(1000);
    expect(woken).toEqual([id(1)]);
  });

  it('cost no memory beyond the horizon and come back by a look at the shard', async () => {
    const at = clock.now() + horizonMs + 5000;
    wakeUps.arm(id(1), at);
    expect(wakeUps.armed).toBe(0);
    stored = [{ id: id(1), at }];
    clock.advance(10_000);
    await wakeUps.lookAt([0]);
    expect(wakeUps.armed).toBe(1);
    clock.advance(horizonMs);
    expect(woken).toContain(id(1));
  });

  it('of 10,000 executions due in one second all fire in it', () => {
    for (let n = 0; n < 10_000; n += 1) {
      const bytes = Buffer.alloc(10);
      bytes.writeUInt32BE(n, 3);
      wakeUps.arm(executionIdOf(n % 256, bytes), clock.now() + (n % 1000));
    }
    clock.advance(1000);
    expect(new Set(woken).size).toBe(10_000);
  });
});
