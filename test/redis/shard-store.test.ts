import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Changes } from '../../src/engine/decision.js';
import { RedisClient } from '../../src/redis/client.js';
import { packRecord } from '../../src/redis/codec/record.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { Fence } from '../../src/store/execution-store.js';
import type { ClusterNode } from '../../src/store/shard-store.js';
import {
  createdChanges,
  sampleCommit,
  sampleExecution,
  sampleSnapshot,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';

function nodeOf(nodeId: string, bootId = 'boot'): ClusterNode {
  const address = '127.0.0.1:1';
  return { nodeId, bootId, address, peerAddress: '', version: '1', state: 'serving' };
}

const ttlMs = 60_000;

describe.each(storeKinds)('on %s', (kind) => {
  let test: TestStore;
  let store: RedisShardStore;
  let shardsUsed = 0;

  beforeAll(async () => {
    test = await startStore(kind);
    store = new RedisShardStore(test.redis);
  });
  afterAll(async () => test.stop());

  const freshShard = (): number => shardsUsed++;

  async function take(node: ClusterNode, shard: number): Promise<Fence | undefined> {
    return (await store.acquire(node, [shard])).fences[0];
  }

  describe('a shard', () => {
    it('is taken when nobody has it, with a new epoch and token each time', async () => {
      const shard = freshShard();
      const a = nodeOf('a');
      await store.renew(a, ttlMs);
      const first = (await take(a, shard)) as Fence;
      const second = (await take(a, shard)) as Fence;
      expect(first.epoch).toBe(1);
      expect(second.epoch).toBe(2);
      expect(second.token).not.toBe(first.token);
      expect(first.token).toMatch(/^[0-9a-f]{32}$/);
    });

    it('is not taken from a node with a lease, but is once the lease has ended', async () => {
      const shard = freshShard();
      const owner = nodeOf('owner');
      await store.renew(owner, ttlMs);
      await take(owner, shard);
      expect(await take(nodeOf('thief'), shard)).toBeUndefined();
      await store.leave(owner);
      expect(await take(nodeOf('thief'), shard)).toMatchObject({ epoch: 2 });
    });

    it('is not taken while its owner keeps a lease beside it, where the store has slots', async () => {
      const [shard, other] = [freshShard(), freshShard()];
      const owner = nodeOf('beside');
      await store.renew(owner, ttlMs);
      for (const one of [shard, other]) await take(owner, one);
      const renewed = await store.renewBeside(owner, [shard], ttlMs);
      await store.leave(owner);
      expect(renewed).toEqual(test.redis.isCluster ? [shard] : []);
      const { fences } = await store.acquire(nodeOf('thief'), [shard, other]);
      const taken = fences.map((fence) => fence.shard);
      expect(taken).toEqual(test.redis.isCluster ? [other] : [shard, other]);
      // Of another process of the node it says nothing.
      await store.renewBeside(nodeOf('beside', 'later'), [shard], ttlMs);
      expect(await take(nodeOf('thief'), shard)).toBeDefined();
    });

    it('is taken from a node that runs under another boot id by now', async () => {
      const shard = freshShard();
      await store.renew(nodeOf('restarted', 'first'), ttlMs);
      await take(nodeOf('restarted', 'first'), shard);
      await store.renew(nodeOf('restarted', 'second'), ttlMs);
      expect(await take(nodeOf('other'), shard)).toMatchObject({ epoch: 2 });
    });

    it('may be taken at once when its owner has given it back', async () => {
      const shard = freshShard();
      const owner = nodeOf('leaving');
      await store.renew(owner, ttlMs);
      const fence = (await take(owner, shard)) as Fence;
      await store.release([{ ...fence, token: 'not mine' }]);
      expect(await take(nodeOf('next'), shard)).toBeUndefined();
      await store.release([fence]);
      expect(await take(nodeOf('next'), shard)).toMatchObject({ epoch: 2 });
    });

    it('refuses commits of an owner that has given it back or lost it', async () => {
      const shard = freshShard();
      const executions = new RedisExecutionStore(test.redis, 64);
      const fence = (await take(nodeOf('x'), shard)) as Fence;
      const execution = sampleExecution(shard, sampleSnapshot('fenced', ['a']));
      const first = { changes: createdChanges(execution), head: '', nextHead: 'h1' };
      await store.release([fence]);
      expect(await executions.commit([sampleCommit(fence, execution, first)])).toMatchObject({
        commits: ['stale-owner'],
      });
      const again = (await take(nodeOf('y'), shard)) as Fence;
      const changes = new Changes();
      const rest = { changes, head: 'h1', nextHead: 'h2' };
      expect(await executions.commit([sampleCommit(again, execution, first)])).toMatchObject({
        commits: ['committed'],
      });
      await take(nodeOf('y'), shard);
      expect(await executions.commit([sampleCommit(again, execution, rest)])).toMatchObject({
        commits: ['stale-owner'],
      });
    });

    it('goes to exactly one of two nodes that try at the same moment', async () => {
      const shards = Array.from({ length: 20 }, freshShard);
      const nodes = [nodeOf('p'), nodeOf('q')];
      for (const node of nodes) await store.renew(node, ttlMs);
      const other = new RedisShardStore(test.redis);
      const taken = await Promise.all([
        store.acquire(nodes[0] as ClusterNode, shards),
        other.acquire(nodes[1] as ClusterNode, shards),
      ]);
      const all = taken.flatMap(({ fences }) => fences.map(({ shard }) => shard));
      expect(all.sort((a, b) => a - b)).toEqual(shards);
    });
  });

  describe('a node', () => {
    it('is a member from its renewal until it leaves or its lease ends', async () => {
      const [a, b] = [nodeOf('member-a'), nodeOf('member-b')];
      await store.renew(a, ttlMs);
      const membersOf = async (): Promise<ClusterNode[]> => (await store.renew(b, ttlMs)).members;
      expect(await membersOf()).toEqual(expect.arrayContaining([a, b]));
      await store.leave({ ...a, bootId: 'another boot' });
      expect(await membersOf()).toContainEqual(a);
      await store.leave(a);
      expect(await membersOf()).not.toContainEqual(a);
    });
  });
});

describe('a keyspace', () => {
  let test: TestStore;
  beforeAll(async () => void (test = await startStore()));
  afterAll(async () => test.stop());

  async function withPrefix<T>(
    prefix: string,
    use: (store: RedisShardStore, redis: RedisClient) => Promise<T>,
  ): Promise<T> {
    const redis = new RedisClient({ url: test.server.url, prefix });
    await redis.connect();
    try {
      return await use(new RedisShardStore(redis), redis);
    } finally {
      redis.disconnect();
    }
  }

  it('is created once: all nodes get the same secret and store id', async () => {
    await withPrefix('once', async (store) => {
      const [one, two] = await Promise.all([store.openKeyspace(16), store.openKeyspace(16)]);
      expect(one).toEqual(two);
      expect(one.secret.length).toBe(32);
    });
  });

  it('is refused with another number of shards', async () => {
    await withPrefix('number', async (store) => {
      await store.openKeyspace(16);
      await expect(store.openKeyspace(32)).rejects.toThrow(/created with 16 shards.*set to 32/);
    });
  });

  it('is refused with another number of partitions, and with too few for its shards', async () => {
    await withPrefix('partitions', async (store, redis) => {
      await store.openKeyspace(16);
      const { url } = test.server;
      const other = new RedisClient({ url, prefix: redis.keys.prefix, partitions: 32 });
      await other.connect();
      const opening = new RedisShardStore(other).openKeyspace(16);
      await expect(opening).rejects.toThrow(/created with 16 partitions.*set to 32/);
      other.disconnect();
      await expect(store.openKeyspace(65_537)).rejects.toThrow(/need at least 33 partitions/);
    });
  });

  it.each([1, 2])('of format %i is refused with what to do', async (format) => {
    await withPrefix(`older-${format}`, async (store, redis) => {
      const record = packRecord([format, 256, 'id', Buffer.alloc(32)]);
      await redis.reads.call('SET', redis.keys.keyspace(), record);
      const sentence = new RegExp(`layout of format ${format}.*another prefix`);
      await expect(store.openKeyspace(256)).rejects.toThrow(sentence);
    });
  });

  it('is refused when it was lost beside its data', async () => {
    await withPrefix('lost', async (store, redis) => {
      await store.acquire(nodeOf('n'), [0]);
      await expect(store.openKeyspace(16)).rejects.toThrow(/part of it was lost/);
      expect(await redis.reads.call('EXISTS', redis.keys.keyspace())).toBe(0);
    });
  });

  it('is refused when a newer version wrote it', async () => {
    await withPrefix('newer', async (store, redis) => {
      // MessagePack of [4].
      await redis.reads.call('SET', redis.keys.keyspace(), Buffer.from([0x91, 4]));
      await expect(store.openKeyspace(16)).rejects.toThrow(/format 4.*newer version/);
    });
  });

  it('is refused on a store that throws keys away', async () => {
    await withPrefix('evicting', async (store, redis) => {
      await redis.reads.call('CONFIG', 'SET', 'maxmemory', '100mb');
      await redis.reads.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await expect(store.openKeyspace(16)).rejects.toThrow(/allkeys-lru.*noeviction/);
      await redis.reads.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await store.openKeyspace(16);
    });
  });
});
