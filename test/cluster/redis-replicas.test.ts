// What replicas of Redis keep: a write that had to be confirmed by them is there after a failover,
// one that had not may be gone, and the level says which it is. Also how calls find their server
// while slots of a Redis Cluster move.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisProcess } from '../../cluster/redis-process.js';
import { startTopology, type Topology } from '../../cluster/redis-topologies.js';
import { TcpProxy } from '../../cluster/tcp-proxy.js';
import { RedisClient } from '../../src/redis/client.js';
import { slotOf } from '../../src/redis/cluster-route.js';
import { openStore } from '../../src/redis/open-store.js';
import { Script } from '../../src/redis/script.js';
import { StopStack } from '../../src/stop-stack.js';
import { createFolder, removeFolder } from '../support/folder.js';
import { freePort } from '../support/process.js';
import { until } from '../support/until.js';

const setOwner = new Script('set-owner');

describe('a primary with one replica', () => {
  const folder = createFolder();
  /** Between the two. */
  const link = new TcpProxy(() => ({ host: '127.0.0.1', port: primary.port }));
  let primary: RedisProcess;
  let replica: RedisProcess;

  const start = async (name: string, config: readonly string[] = []): Promise<RedisProcess> => {
    const port = await freePort();
    const server = new RedisProcess({ name, port, folder: `${folder}/${name}`, args: [], config });
    await server.start();
    return server;
  };

  beforeAll(async () => {
    primary = await start('primary');
    replica = await start('replica', [`replicaof 127.0.0.1 ${await link.listen()}`]);
    await until('the replica', () => replica.ask('INFO', 'replication').includes('status:up'));
  });
  afterAll(async () => {
    await Promise.all([primary.stop(), replica.stop(), link.close()]);
    removeFolder(folder);
  });

  const connect = async (waitReplicas: number): Promise<RedisClient> => {
    const url = `redis://127.0.0.1:${primary.port}`;
    const redis = new RedisClient({ url, prefix: 'w', waitReplicas, waitReplicasMs: 300 });
    await redis.connect();
    return redis;
  };

  it.each([
    [0, 'D0'],
    [1, 'D1; confirmed by 1 replica'],
  ])('with %i replicas to wait for has the level %s', async (waitReplicas, level) => {
    const stops = new StopStack((error) => expect.unreachable(String(error)));
    const { signal: stopping } = new AbortController();
    const url = Promise.resolve(`redis://127.0.0.1:${primary.port}`);
    const place = { redisPrefix: 'w', partitions: 16, redisMemoryPercentMax: 85 };
    const settings = { ...place, waitReplicas, waitReplicasMs: 300 };
    const store = await openStore(settings, { url }, { stops, stopping });
    await stops.stop();
    expect(store.durability).toBe(level);
  });

  it('loses in a failover only what no replica had to confirm', async () => {
    const [careful, quick] = [await connect(1), await connect(0)];
    try {
      await careful.commits.run(setOwner, ['w:kept'], ['1', '', 'fence', 'node']);
      link.cut();
      const unconfirmed = careful.commits.run(setOwner, ['w:unclear'], ['1', '', 'fence', 'node']);
      await expect(unconfirmed).rejects.toMatchObject({ outcome: 'unclear' });
      await expect(careful.commits.call('SET', 'w:text', 'x')).rejects.toMatchObject({
        outcome: 'unclear',
      });
      // Acknowledged by the primary alone.
      expect(await quick.commits.run(setOwner, ['w:lost'], ['1', '', 'fence', 'node'])).toBe(1);
      await primary.stop();
    } finally {
      careful.disconnect();
      quick.disconnect();
      // What was under way is gone with the primary.
      link.heal();
    }
    replica.ask('REPLICAOF', 'NO', 'ONE');
    const kept = ['w:kept', 'w:unclear', 'w:lost'].map((key) => replica.ask('EXISTS', key).trim());
    expect(kept).toEqual(['1', '0', '0']);
  });
});

describe('calls to a Redis Cluster', () => {
  let topology: Topology;
  let redis: RedisClient;

  beforeAll(async () => {
    topology = await startTopology('cluster');
    redis = new RedisClient({ url: topology.url, prefix: 'c', waitReplicas: 1 });
    await redis.connect();
  }, 60_000);
  afterAll(async () => {
    redis.disconnect();
    await topology.stop();
  }, 60_000);

  it('compute the slots that Redis does', () => {
    for (const key of ['foo', 'db:{p3}:state', '{}x', 'a{b}{c}', 'a{b', 'db:{q:ü}:default:ready']) {
      expect(slotOf(key)).toBe(Number(topology.primary().ask('CLUSTER', 'KEYSLOT', key)));
    }
  });

  it('follow a slot that moves, and what its servers say meanwhile', async () => {
    const [key, other] = ['c:{m}:one', 'c:{m}:two'];
    const slot = String(slotOf(key));
    const take = (): Promise<unknown> => redis.commits.run(setOwner, [key], ['1', '', 'f', 'n']);
    expect(await take()).toBe(1);
    const owner = topology
      .primaries()
      .find((server) => !server.ask('EXISTS', key).startsWith('MOVED'));
    const target = topology.primaries().find((server) => server !== owner);
    if (owner === undefined || target === undefined) throw new Error('No such servers');
    const ids = [owner, target].map((server) => server.ask('CLUSTER', 'MYID').trim());
    const [ownerId, targetId] = ids as [string, string];
    target.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ownerId);
    owner.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    // ASK: the key is not at the owner any more.
    owner.ask('MIGRATE', '127.0.0.1', String(target.port), key, '0', '1000');
    expect(await redis.commits.run(setOwner, [key], ['1', 'f', 'g', 'n'])).toBe(1);
    // TRYAGAIN: one key on each side, until the second one has moved too.
    owner.ask('CLUSTER', 'SETSLOT', slot, 'STABLE');
    owner.ask('SET', other, 'x');
    owner.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    const answer = redis.queues.call('TOUCH', key, other);
    owner.ask('MIGRATE', '127.0.0.1', String(target.port), other, '0', '1000');
    expect(await answer).toBe(2);
    // MOVED: for good.
    for (const server of [target, owner, ...topology.primaries()]) {
      server.ask('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
    }
    expect(await redis.commits.run(setOwner, [key], ['1', 'g', 'h', 'n'])).toBe(1);
  });
});
