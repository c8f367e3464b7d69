// Executions on whose load nodes die: what is marked, what a death counts, who is acquitted. A node
// that dies is one that never comes back from a load.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisQuarantineStore } from '../../src/redis/quarantine-store.js';
import { Quarantine } from '../../src/shard/quarantine.js';
import { Quarantined } from '../../src/shard/refusals.js';
import { executionIdOf, shardOf, type ExecutionId } from '../../src/std/ids.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';
import { until } from '../../testkit/until.js';
import { VirtualClock } from '../support/virtual-clock.js';

const shards = 64;
let number = 0;

describe.each(storeKinds)('quarantine on %s', (kind) => {
  let test: TestStore;
  let store: RedisQuarantineStore;
  let clock: VirtualClock;
  let shard: number;
  let bad: ExecutionId;
  let good: ExecutionId;
  beforeAll(async () => {
    test = await startStore(kind);
    store = new RedisQuarantineStore(test.redis, shards);
  });
  afterAll(async () => test.stop());
  beforeEach(() => {
    clock = new VirtualClock();
    shard = number += 1;
    bad = executionIdOf(shard, Buffer.alloc(10, 1));
    good = executionIdOf(shard, Buffer.alloc(10, 2));
  });

  function nodeWithout(): Quarantine {
    return new Quarantine({
      ...{ clock, store, shardOf: (id) => shardOf(id, shards) },
      failed: () => undefined,
    });
  }

  /** A node that has taken the shard from one that died, and the suspects that it found. */
  async function takeOver(): Promise<{ node: Quarantine; suspects: readonly ExecutionId[] }> {
    const node = nodeWithout();
    const suspects = await node.take([shard], [shard]);
    clock.advance(10_000);
    return { node, suspects };
  }

  /** Begins a load from which the node does not come back. */
  async function die(node: Quarantine, id = bad): Promise<void> {
    void node.load(id, shard, () => new Promise(() => undefined));
    await until('the mark', async () => Boolean((await store.find(id))?.loader));
  }

  const load = (node: Quarantine, id: ExecutionId): Promise<string> =>
    node.load(id, shard, () => Promise.resolve('loaded'));

  async function cleared(id: ExecutionId): Promise<void> {
    await until('no mark', async () => (await store.find(id)) === undefined);
  }

  it('marks nothing in a shard that was given back', async () => {
    const node = nodeWithout();
    await node.take([shard], []);
    const seen = await node.load(bad, shard, () => store.find(bad));
    expect(seen).toBeUndefined();
  });

  it('marks a load after a death before it is read, for a minute, and clears the mark', async () => {
    const { node } = await takeOver();
    const seen = await node.load(bad, shard, () => store.find(bad));
    expect(seen).toMatchObject({ id: bad, deaths: 0 });
    await cleared(bad);
    clock.advance(60_000);
    expect(await node.load(bad, shard, () => store.find(bad))).toBeUndefined();
  });

  it('sets an execution aside after three deaths, and no other one', async () => {
    for (let deaths = 0; deaths < 3; deaths += 1) {
      const { node, suspects } = await takeOver();
      expect(suspects).toEqual(deaths === 0 ? [] : [bad]);
      expect(await load(node, good)).toBe('loaded');
      await cleared(good);
      await die(node);
    }
    const { node, suspects } = await takeOver();
    expect(suspects).toEqual([]);
    expect(node.count).toBe(1);
    await expect(load(node, bad)).rejects.toThrow(Quarantined);
    expect(await load(node, good)).toBe('loaded');
    // Also where the shard was handed over in order.
    const next = nodeWithout();
    await next.take([shard], []);
    await expect(load(next, bad)).rejects.toThrow(Quarantined);
  });

  it('acquits a suspect that loads well', async () => {
    await die((await takeOver()).node);
    await die((await takeOver()).node);
    const { node, suspects } = await takeOver();
    expect(suspects).toEqual([bad]);
    expect(await load(node, bad)).toBe('loaded');
    await cleared(bad);
    await die((await takeOver()).node);
    expect((await takeOver()).suspects).toEqual([bad]);
  });

  it('loads suspects one at a time', async () => {
    const { node: first } = await takeOver();
    await die(first, bad);
    await die(first, good);
    const { node, suspects } = await takeOver();
    expect(new Set(suspects)).toEqual(new Set([bad, good]));
    await die(node, bad);
    const waiting = load(node, good);
    expect(await store.find(good)).toMatchObject({ deaths: 1, loader: '' });
    expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits');
  });

  it('waits some seconds before the last chance', async () => {
    await die((await takeOver()).node);
    await die((await takeOver()).node);
    const node = nodeWithout();
    await node.take([shard], [shard]);
    await expect(load(node, bad)).rejects.toMatchObject({ kind: 'unavailable' });
    clock.advance(5000);
    expect(await load(node, bad)).toBe('loaded');
  });

  it('counts no load that failed without a death', async () => {
    await die((await takeOver()).node);
    const { node } = await takeOver();
    const failing = node.load(bad, shard, () => Promise.reject(new Error('no store')));
    await expect(failing).rejects.toThrow('no store');
    await until('the verdict', async () => (await store.find(bad))?.loader === '');
    expect(await store.find(bad)).toMatchObject({ deaths: 1 });
    await expect(node.load(good, shard, () => Promise.reject(new Error('no')))).rejects.toThrow();
    await cleared(good);
  });

  it('is counted once however often the same process takes the shard', async () => {
    const { node } = await takeOver();
    await die(node);
    node.drop(new Set([shard]));
    expect(await node.take([shard], [])).toEqual([bad]);
    expect(await store.find(bad)).toMatchObject({ deaths: 0 });
  });

  it('lets an audit read what has had no death', async () => {
    await die((await takeOver()).node);
    const { node } = await takeOver();
    const inspect = (id: ExecutionId): ReturnType<typeof node.inspect<unknown>> =>
      node.inspect(id, shard, () => store.find(id));
    expect(await inspect(bad)).toBeUndefined();
    expect(await store.find(bad)).toMatchObject({ deaths: 1, loader: '' });
    // A first read that takes the node down is counted.
    expect(await inspect(good)).toMatchObject({ seen: { id: good, deaths: 0 } });
    await cleared(good);
  });

  it('is over with a release', async () => {
    for (let deaths = 0; deaths < 3; deaths += 1) await die((await takeOver()).node);
    const { node } = await takeOver();
    expect(await node.release(good)).toBe(false);
    expect(await node.release(bad)).toBe(true);
    expect(node.count).toBe(0);
    // With care.
    const seen = await node.load(bad, shard, () => store.find(bad));
    expect(seen).toMatchObject({ deaths: 0 });
    await cleared(bad);
  });
});
