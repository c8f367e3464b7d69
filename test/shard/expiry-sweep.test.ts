import { beforeEach, describe, expect, it } from 'vitest';
import {
  ExpirySweep,
  furtherCallsPerTurnMax,
  idleRoundMs,
  roundMs,
} from '../../src/shard/expiry-sweep.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import type { Fence } from '../../src/store/execution-store.js';
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
  let sweep: ExpirySweep;

  beforeEach(async () => {
    clock = new VirtualClock();
    expired = new Map();
    looks = [];
    failures = [];
    fails = false;
    owned = new OwnedShards();
    owned.take(Array.from({ length: shards }, (_, shard) => fenceOf(shard)));
    sweep = new ExpirySweep({
      clock,
      store: {
        async sweepExpired({ shard }, untilAt) {
          looks.push({ shard, untilAt });
          if (fails) throw new Error('the store is away');
          const cleared = Math.min(perCall, expired.get(shard) ?? 0);
          expired.set(shard, (expired.get(shard) ?? 0) - cleared);
          return cleared;
        },
      },
      owned,
      before: undefined,
      failed: (error) => failures.push(error),
    });
    await sweep.start();
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

  it('takes its time while nothing expires, and no longer once something does', async () => {
    await pass(roundMs + 1000);
    looks = [];
    await pass(idleRoundMs);
    expect(looks.length).toBeLessThanOrEqual(shards + 1);
    expect(new Set(looks.map(({ shard }) => shard)).size).toBe(shards);
    for (let shard = 0; shard < shards; shard += 1) expired.set(shard, 1);
    await pass(roundMs + idleRoundMs / 10);
    expect([...expired.values()].every((left) => left === 0)).toBe(true);
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
