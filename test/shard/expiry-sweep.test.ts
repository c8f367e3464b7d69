import { beforeEach, describe, expect, it } from 'vitest';
import {
  ExpirySweep,
  furtherCallsPerTurnMax,
  quietMs,
  roundMs,
} from '../../src/shard/expiry-sweep.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import { ShardOutlook } from '../../src/shard/shard-outlook.js';
import type { Commit, Fence } from '../../src/store/execution-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

const shards = 40;
const perCall = 200;
const fenceOf = (shard: number): Fence => ({ shard, epoch: 1, token: 't' });

describe('the sweep of what has expired', () => {
  let clock: VirtualClock;
  /** Expired entries by shard. */
  let expired: Map<number, number>;
  let looks: { shard: number; untilAt: number }[];
  let failures: unknown[];
  let fails: boolean;
  let owned: OwnedShards;
  let outlook: ShardOutlook;
  let sweep: ExpirySweep;

  beforeEach(async () => {
    clock = new VirtualClock();
    expired = new Map();
    looks = [];
    failures = [];
    fails = false;
    owned = new OwnedShards({ holdsLease: true, holdsLeaseOf: () => false });
    owned.take(Array.from({ length: shards }, (_, shard) => fenceOf(shard)));
    outlook = new ShardOutlook(owned);
    sweep = new ExpirySweep({
      clock,
      store: {
        async sweepExpired({ shard }, untilAt) {
          looks.push({ shard, untilAt });
          if (fails) throw new Error('the store is away');
          const cleared = Math.min(perCall, expired.get(shard) ?? 0);
          expired.set(shard, (expired.get(shard) ?? 0) - cleared);
          return { removed: cleared, nextAt: cleared > 0 ? 0 : Infinity };
        },
      },
      owned,
      outlook,
      before: undefined,
      failed: (error) => failures.push(error),
    });
    await sweep.start();
  });

  const commitOf = (
    compactUntilAt: number,
  ): Pick<Commit, 'wakeAt' | 'compactUntilAt' | 'remove'> => ({
    ...{ wakeAt: 0, compactUntilAt, remove: false },
  });

  /** Lets `ms` pass; each turn ends before the next one is due. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      for (let i = 0; i < 500; i += 1) await Promise.resolve();
    }
  }

  it('looks at every shard once in a round, at what has expired by then', async () => {
    const startAt = clock.now();
    await pass(roundMs);
    expect(new Set(looks.map(({ shard }) => shard)).size).toBe(shards);
    expect(looks).toHaveLength(shards);
    expect(looks.every(({ untilAt }) => untilAt > startAt && untilAt <= clock.now())).toBe(true);
  });

  it('clears a crowd in portions, and goes on with it at the next turn', async () => {
    expired.set(7, perCall * furtherCallsPerTurnMax * 2 + 1);
    await pass(roundMs);
    const ofCrowd = looks.filter(({ shard }) => shard === 7);
    const perTurn = new Map<number, number>();
    for (const { untilAt } of ofCrowd) perTurn.set(untilAt, (perTurn.get(untilAt) ?? 0) + 1);
    expect(Math.max(...perTurn.values())).toBe(furtherCallsPerTurnMax + 1);
    expect(expired.get(7)).toBe(0);
  });

  it('leaves a shard alone until something expires there, but for a look in reserve', async () => {
    await pass(roundMs + 1000);
    looks = [];
    outlook.landed(5, commitOf(clock.now() + 3 * roundMs));
    await pass(2 * roundMs);
    expect(looks).toEqual([]);
    expired.set(5, 1);
    await pass(roundMs + 1000);
    expect(expired.get(5)).toBe(0);
    expect(new Set(looks.map(({ shard }) => shard))).toEqual(new Set([5]));
    await pass(quietMs);
    expect(new Set(looks.map(({ shard }) => shard)).size).toBe(shards);
    expect(looks.length).toBeLessThan(shards + 5);
  });

  it('goes on after a failure', async () => {
    fails = true;
    await pass(1000);
    expect(failures.length).toBeGreaterThan(0);
    fails = false;
    expired.set(3, 5);
    await pass(roundMs);
    expect(expired.get(3)).toBe(0);
  });

  it('leaves shards of other nodes alone, and does nothing where it owns none', async () => {
    owned.drop(owned.all.filter((shard) => shard !== 1 && shard !== 2));
    await pass(roundMs * 2);
    expect(new Set(looks.map(({ shard }) => shard))).toEqual(new Set([1, 2]));
    owned.drop(owned.all);
    looks = [];
    await pass(roundMs);
    expect(looks).toEqual([]);
  });

  it('ends with stop, which may be called twice', async () => {
    await sweep.stop();
    await sweep.stop();
    await pass(roundMs);
    expect(looks).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});
