// What replicas of Redis keep: a write that had to be confirmed by them is there after a failover,
// one that had not may be gone, and the level says which it is. Also how calls find their server
// while slots of a Redis Cluster move.
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisProcess } from '../../cluster/redis-process.js';
import { startTopology, type Topology } from '../../cluster/redis-topologies.js';
import { TcpProxy } from '../../cluster/tcp-proxy.js';
import { readSettings } from '../../src/server/config.js';
import { RedisAuditStore } from '../../src/areas/audit/redis-audit-store.js';
import { RedisClient } from '../../src/redis/client.js';
import { slotOf } from '../../src/redis/cluster-route.js';
import { openStore } from '../../src/redis/open-store.js';
import { readExecutions } from '../../src/redis/read-many.js';
import { Script } from '../../src/redis/script.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import { RedisTaskLogStore } from '../../src/redis/task-log-store.js';
import { StopStack } from '../../src/server/stop-stack.js';
import { executionIdOf, taskIdOf } from '../../src/std/ids.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort } from '../../testkit/process.js';
import { until } from '../../testkit/until.js';
import { findValkey, whyNoValkey } from '../support/valkey.js';

const setOwner = Script.named('set-owner');
const logged = taskIdOf(executionIdOf(1, Buffer.alloc(16, 1)), 1);

const valkey = findValkey();

// Since Redis 7.2, and in Valkey, WAIT speaks of writes alone.
describe('a primary with one replica', () => onePrimary('redis-server'));
describe.skipIf(valkey === undefined)(`a primary with one replica of Valkey${whyNoValkey()}`, () =>
  onePrimary(valkey as string),
);

describe('calls to a Redis Cluster', () => callsToCluster('redis-server'));
describe.skipIf(valkey === undefined)(`calls to a Valkey Cluster${whyNoValkey()}`, () =>
  callsToCluster(valkey as string),
);

function onePrimary(program: string): void {
  const folder = createFolder();
  /** Between the two. */
  const link = new TcpProxy(() => ({ host: '127.0.0.1', port: primary.port }));
  let primary: RedisProcess;
  let replica: RedisProcess;

  const start = async (name: string, config: readonly string[] = []): Promise<RedisProcess> => {
    const port = await freePort();
    const place = { name, port, folder: `${folder}/${name}`, args: [], config };
    const server = new RedisProcess({ ...place, program });
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

  const connect = async (waitReplicas: number, waitReplicasMs = 300): Promise<RedisClient> => {
    const url = `redis://127.0.0.1:${primary.port}`;
    const redis = new RedisClient({ url, prefix: 'w', waitReplicas, waitReplicasMs });
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
    const args = ['--redis-prefix=w', `--wait-replicas=${waitReplicas}`, '--wait-replicas-ms=300'];
    const settings = readSettings(args, {});
    const store = await openStore(
      settings,
      { url },
      { stops, stopping, answered: () => undefined },
    );
    await stops.stop();
    expect(store.durability).toBe(level);
  });

  it('acknowledges no entry of the audit log, and no line of a task, that replicas lack', async () => {
    const redis = await connect(1);
    try {
      const audit = new RedisAuditStore(redis, 100);
      const logs = new RedisTaskLogStore(redis, 16, { linesMax: 10, lifeMs: 60_000 });
      const who = { caller: 'ann', callerKind: 'user', address: '127.0.0.1' };
      const entry = { ...who, at: 1, action: 'putSecret', objects: ['s'], status: 200 };
      const line = { log: 'a line', taskId: logged, createdTime: 1 };
      await audit.append(entry);
      await logs.append(logged, [line]);
      link.cut();
      const unclear = { outcome: 'unclear' };
      await expect(audit.append(entry)).rejects.toMatchObject(unclear);
      await expect(logs.append(logged, [line])).rejects.toMatchObject(unclear);
    } finally {
      link.heal();
      redis.disconnect();
    }
    await until('the replica', () => replica.ask('INFO', 'replication').includes('status:up'));
  });

  it('loses in a failover only what no replica had to confirm', async () => {
    const [patient, careful, quick] = [
      await connect(1, 10_000),
      await connect(1),
      await connect(0),
    ];
    try {
      await patient.commits.run(setOwner, ['w:kept'], ['1', '', 'fence', 'node']);
      link.cut();
      const unconfirmed = careful.commits.run(setOwner, ['w:unclear'], ['1', '', 'fence', 'node']);
      await expect(unconfirmed).rejects.toMatchObject({ outcome: 'unclear' });
      await expect(careful.commits.call('SET', 'w:text', 'x')).rejects.toMatchObject({
        outcome: 'unclear',
      });
      // What is read of it is no better.
      expect(await careful.reads.call('GET', 'w:text')).toBe('x');
      await expect(careful.confirmedReads.call('GET', 'w:text')).rejects.toMatchObject({
        outcome: 'unclear',
      });
      // Acknowledged by the primary alone.
      expect(await quick.commits.run(setOwner, ['w:lost'], ['1', '', 'fence', 'node'])).toBe(1);
      // A script that is refused for what another one wrote rests on that.
      const other = await connect(1);
      await expect(
        other.commits.run(setOwner, ['w:lost'], ['1', 'another', 'fence', 'node']),
      ).rejects.toMatchObject({ outcome: 'unclear' });
      other.disconnect();
      await primary.stop();
    } finally {
      patient.disconnect();
      careful.disconnect();
      quick.disconnect();
      // What was under way is gone with the primary.
      link.heal();
    }
    replica.ask('REPLICAOF', 'NO', 'ONE');
    const kept = ['w:kept', 'w:unclear', 'w:lost'].map((key) => replica.ask('EXISTS', key).trim());
    expect(kept).toEqual(['1', '0', '0']);
  });
}

function callsToCluster(program: string): void {
  let topology: Topology;
  /** Waits for a replica at every write. */
  let careful: RedisClient;
  let quick: RedisClient;

  const connect = async (waitReplicas: number): Promise<RedisClient> => {
    const redis = new RedisClient({ url: topology.url, prefix: 'c', waitReplicas });
    await redis.connect();
    return redis;
  };

  beforeAll(async () => {
    topology = await startTopology('cluster', program);
    [careful, quick] = [await connect(1), await connect(0)];
  }, 60_000);
  afterAll(async () => {
    careful.disconnect();
    quick.disconnect();
    await topology.stop();
  }, 60_000);

  it('compute the slots that Redis does', () => {
    for (const key of ['foo', 'db:{p3}:state', '{}x', 'a{b}{c}', 'a{b', 'db:{q:ü}:default:ready']) {
      expect(slotOf(key)).toBe(Number(topology.primary().ask('CLUSTER', 'KEYSLOT', key)));
    }
  });

  it.each([
    ['with', 'm', () => careful],
    ['without', 'n', () => quick],
  ] as const)('follow a slot that moves, %s WAIT', async (_, tag, clientOf) => {
    const redis = clientOf();
    const [key, other] = [`c:{${tag}}:one`, `c:{${tag}}:two`];
    const take = async (from: string, to: string): Promise<void> => {
      expect(await redis.commits.run(setOwner, [key], ['1', from, to, 'n'])).toBe(1);
      // Reads of several kinds, one of them by a script.
      expect(await redis.reads.call('HGET', key, '1')).toBe(to);
      const [owner, life] = await redis.reads.callAll([
        ['HMGET', key, '1', '1n'],
        ['PTTL', key],
      ]);
      expect(String(owner)).toBe(`${to},n`);
      expect(life).toBe(-1);
      const [fields] = await readExecutions(redis, [{ partition: 0, key }], {
        ...{ keysPerCallMax: 10, fields: ['1'], bytesMax: undefined },
      });
      expect(String(fields)).toBe(to);
    };
    await take('', 'f');
    const move = slotMove(topology, key);
    move.begin();
    // The key is still at the owner, which takes no new one of this slot, such as a mark.
    await take('f', 'e');
    // ASK: the key is not at the owner any more.
    move.carry(key);
    // As where the new owner has no other slot yet.
    const { slots } = redis.commits.client as Cluster;
    for (const owners of slots) if (owners?.[0] === `127.0.0.1:${move.to.port}`) owners.pop();
    await take('e', 'g');
    // TRYAGAIN: one key on each side, until the second one has moved too.
    move.pause();
    move.from.ask('SET', other, 'x');
    move.resume();
    const answer = redis.queues.call('TOUCH', key, other);
    move.carry(other);
    expect(await answer).toBe(2);
    // MOVED: for good.
    move.end();
    await take('g', 'h');
  });

  it('leave no mark behind, and are confirmed where Redis is full', async () => {
    expect(await careful.commits.call('SET', 'c:{full}:text', 'x')).toBe('OK');
    for (const server of topology.primaries()) server.ask('CONFIG', 'SET', 'maxmemory', '1');
    expect(await careful.confirmedReads.call('GET', 'c:{full}:text')).toBe('x');
    for (const server of topology.primaries()) server.ask('CONFIG', 'SET', 'maxmemory', '0');
    for (const server of topology.servers) expect(server.ask('KEYS', '*mark*').trim()).toBe('');
  });

  it('find servers that nobody told of yet', async () => {
    const redis = await connect(0);
    try {
      // As a client whose picture of the cluster is older than a slot.
      (redis.reads.client as Cluster).slots = [];
      expect(await redis.reads.call('EXISTS', 'c:{m}:one')).toBe(1);
    } finally {
      redis.disconnect();
    }
  });

  it('take the lock of shards while its slot moves', async () => {
    const store = new RedisShardStore(quick);
    const node = { nodeId: 'n1', bootId: 'b1', address: 'a', peerAddress: 'p' };
    await store.openKeyspace(16);
    const lock = quick.keys.acquisitionLock();
    const move = slotMove(topology, lock);
    move.begin();
    expect((await store.acquire(node, [1])).fences).toHaveLength(1);
    // The lock is neither left behind nor taken from the wrong server.
    expect(await quick.reads.call('EXISTS', lock)).toBe(0);
    move.end();
    expect((await store.acquire(node, [2])).fences).toHaveLength(1);
  });
}

/** Moves a slot to another primary, step by step, as `redis-cli --cluster reshard` does. */
function slotMove(topology: Topology, keyOfSlot: string): SlotMove {
  const slot = slotOf(keyOfSlot);
  const primaries = topology.primaries();
  const from = primaries.find((server) => !server.ask('EXISTS', keyOfSlot).startsWith('MOVED'));
  const to = primaries.find((server) => server !== from);
  if (from === undefined || to === undefined) throw new Error('No such servers');
  const [fromId, toId] = [from, to].map((server) => server.ask('CLUSTER', 'MYID').trim());
  const set = (server: RedisProcess, ...state: string[]): void =>
    void server.ask('CLUSTER', 'SETSLOT', String(slot), ...state);
  return {
    from,
    to,
    begin: () => {
      set(to, 'IMPORTING', fromId as string);
      set(from, 'MIGRATING', toId as string);
    },
    pause: () => set(from, 'STABLE'),
    resume: () => set(from, 'MIGRATING', toId as string),
    carry: (key) => void from.ask('MIGRATE', '127.0.0.1', String(to.port), key, '0', '1000'),
    end: () => {
      for (const server of [to, from, ...primaries]) set(server, 'NODE', toId as string);
    },
  };
}

interface SlotMove {
  readonly from: RedisProcess;
  readonly to: RedisProcess;
  begin(): void;
  /** The owner takes new keys of the slot again. */
  pause(): void;
  resume(): void;
  carry(key: string): void;
  end(): void;
}
