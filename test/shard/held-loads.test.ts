// The count that puts the sums of what executions hold right; the test takes its turns.
import { describe, expect, it } from 'vitest';
import { HeldLoads } from '../../src/shard/held-loads.js';
import { RecountLoads } from '../../src/shard/recount-loads.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { shardOf } from '../../src/std/ids.js';
import type { ExecutionLoad } from '../../src/store/held-store.js';
import { RandomIds } from '../../src/shard/random-ids.js';

const shards = 8;

async function world(executions: number) {
  const at = 0;
  // The test takes the turns: the loop's own timer never fires.
  const clock = {
    now: () => at,
    monotonic: () => at,
    after: () => ({ cancel: () => undefined }),
  };
  const owned = new OwnedShards({ holdsLease: true, holdsLeaseOf: () => false });
  const takes = (...numbers: number[]): void =>
    owned.take(numbers.map((shard) => ({ shard, epoch: 1, token: 't' })));
  const ids = new RandomIds();
  const stored = new Map<ExecutionId, ExecutionLoad>();
  const all = Array.from({ length: shards }, (_, shard) => shard);
  for (let i = 0; i < executions; i++) {
    stored.set(ids.next(all) as ExecutionId, {
      ...{ openTasks: 2, bytes: 1000, caller: 'kim', definition: 'd', createdAt: -1 },
    });
  }
  let reads = 0;
  const loads = new HeldLoads();
  const recount = new RecountLoads({
    ...{ clock, shards, owned, loads },
    cache: { peek: () => undefined },
    isWanted: true,
    store: {
      async *scan() {
        const left = [...stored.keys()];
        while (left.length > 0) yield await Promise.resolve(left.splice(0, 300));
      },
      loads(asked) {
        reads += asked.length;
        return Promise.resolve(asked.map((id) => stored.get(id)));
      },
    },
    failed: (error) => {
      throw error;
    },
  });
  await recount.start();
  const tasksOf = (): number | undefined => loads.sums.caller.get('kim')?.openTasks;
  const inShards = (some: readonly number[]): number =>
    [...stored.keys()].filter((id) => some.includes(shardOf(id, shards))).length;
  return { owned, takes, stored, loads, recount, tasksOf, inShards, reads: () => reads };
}

describe('a count from the records', () => {
  it('reads a bounded number a turn and takes effect when it is whole', async () => {
    const { takes, recount, tasksOf, reads } = await world(5000);
    takes(0, 1, 2, 3, 4, 5, 6, 7);
    let turns = 0;
    while (tasksOf() === undefined) {
      const before = reads();
      await recount.runOnce();
      expect(reads() - before).toBeLessThanOrEqual(1300);
      turns += 1;
    }
    expect(turns).toBeGreaterThan(3);
    expect(tasksOf()).toBe(10_000);
  });

  it('covers the shards of the node only, and follows shards that come and go', async () => {
    const { owned, takes, recount, tasksOf, inShards } = await world(400);
    const counted = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await recount.runOnce();
    };
    takes(0, 1, 2, 3);
    await counted();
    expect(tasksOf()).toBe(2 * inShards([0, 1, 2, 3]));
    takes(4, 5);
    await counted();
    expect(tasksOf()).toBe(2 * inShards([0, 1, 2, 3, 4, 5]));
    owned.drop([0, 1, 2]);
    // Not some minutes later: the part that is taken off at once is a guess.
    await counted();
    expect(tasksOf()).toBe(2 * inShards([3, 4, 5]));
  });

  it('takes off the part of shards that went before the next count is whole', async () => {
    const { owned, takes, recount, tasksOf } = await world(5000);
    takes(0, 1, 2, 3, 4, 5, 6, 7);
    for (let turn = 0; turn < 10; turn++) await recount.runOnce();
    expect(tasksOf()).toBe(10_000);
    owned.drop([0, 1]);
    await recount.runOnce();
    expect(tasksOf()).toBe(7500);
  });

  it('leaves out what started since it began, which commits count', async () => {
    const { takes, stored, recount, tasksOf } = await world(10);
    takes(0, 1, 2, 3, 4, 5, 6, 7);
    for (const [id, load] of [...stored].slice(0, 4)) stored.set(id, { ...load, createdAt: 1e15 });
    await recount.runOnce();
    expect(tasksOf()).toBe(12);
  });
});
