// Courses of events that a simulation has found, carried out step by step.
import { expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import { shortIdOf } from '../../src/redis/codec/short-id.js';
import type { StartRequest } from '../../src/shard/executions.js';
import { executionIdOf } from '../../src/std/ids.js';
import { inCluster, until } from './in-cluster.js';
import { shards, type SimulatedNode } from './node.js';
import { definitions } from './workload-definitions.js';

const lookEveryMs = 50;

it('serves a shard again whose taking was forgotten by the node that took it', async () => {
  const isServed = await inCluster({ nodes: 2 }, async (cluster) => {
    const [one, other] = [...cluster.nodes.values()] as [SimulatedNode, SimulatedNode];
    const isSpread = (): boolean => one.owned.all.length + other.owned.all.length === shards;
    await until(cluster, () => isSpread() && one.owned.all.length > 0);
    const [shard] = one.owned.all as [number];
    // The other node takes the shard, as if it had found the first one gone, and drops it before it
    // has told anybody: its lease ended meanwhile.
    const { nodeId, bootId } = other;
    const node = { nodeId, bootId, address: '', peerAddress: '' };
    const { fences } = await other.stores.shards.acquire(node, [shard], new Set([one.nodeId]));
    expect(fences).toHaveLength(1);
    other.map.forget(shard, one.nodeId);
    const id = executionIdOf(shard, Buffer.alloc(10, 7));
    for (let isStarted = false; !isStarted; await cluster.workload.pause(lookEveryMs)) {
      isStarted = await other.executions.startAs(id, requestOf('torture_chain')).then(
        () => true,
        () => false,
      );
    }
  });
  expect(isServed).toBe(true);
});

it('keeps the mark of unconfirmed work until a recovery has begun that work anew', async () => {
  const isKept = await inCluster({ nodes: 1 }, async (cluster) => {
    const [first] = [...cluster.nodes.values()] as [SimulatedNode];
    await until(cluster, () => first.owned.all.length === shards);
    const id = executionIdOf(3, Buffer.alloc(10, 7));
    // It dies in the middle of a long transition, with the tasks so far in no queue.
    stopAfterOneCommit(first);
    void first.executions.startAs(id, requestOf('torture_fork')).catch(() => undefined);
    await until(cluster, () => first.clock.isOver);
    cluster.startNode(first.nodeId);
    const next = cluster.nodes.get(first.nodeId) as SimulatedNode;
    next.stores.queues.push = () => new Promise(() => undefined);
    const commits = countCommits(next);
    await until(cluster, () => commits.landed > 0);
    const { redis } = cluster.store;
    const [mark = ''] = redis.keys.filter((key) => key.endsWith(':dirty'));
    expect(redis.call('ZRANGE', mark, 0, -1)).toEqual([shortIdOf(id)]);
  });
  expect(isKept).toBe(true);
});

function stopAfterOneCommit(node: SimulatedNode): void {
  const { executions } = node.stores;
  const commit = executions.commit.bind(executions);
  executions.commit = async (...batch) => {
    const result = await commit(...batch);
    node.die();
    return result;
  };
}

function countCommits(node: SimulatedNode): { landed: number } {
  const { executions } = node.stores;
  const commit = executions.commit.bind(executions);
  const commits = { landed: 0 };
  executions.commit = async (...batch) => {
    const result = await commit(...batch);
    commits.landed += 1;
    return result;
  };
  return commits;
}

function requestOf(name: string): StartRequest {
  return {
    snapshot: definitions.snapshotOf(name),
    attributes: { priority: 0, taskToDomain: {} },
    input: Payload.of({ start: 0, items: [{ start: 0, branch: 0 }] }),
  };
}

it('believes nothing in memory when a lease ended while its renewal was on its way', async () => {
  const isSafe = await inCluster({ nodes: 2 }, async (cluster) => {
    const [one, other] = [...cluster.nodes.values()] as [SimulatedNode, SimulatedNode];
    const isSpread = (): boolean => one.owned.all.length + other.owned.all.length === shards;
    await until(cluster, () => isSpread() && one.owned.all.length > 0);
    const [shard] = one.owned.all as [number];
    // Nobody tells the node that its shards were taken.
    cluster.network.cut(one.nodeId, other.nodeId);
    const store = one.stores.shards;
    const now = store.now.bind(store);
    store.now = async () => {
      await until(cluster, () => other.owned.has(shard));
      store.now = now;
      return await now();
    };
    await until(cluster, () => other.owned.has(shard));
    for (let ms = 0; ms < 1000; ms++) {
      expect(one.owned.accepts(shard)).toBe(false);
      await cluster.workload.pause(1);
    }
  });
  expect(isSafe).toBe(true);
});

it('drops what is in memory when another process answers for the store', async () => {
  const isDropped = await inCluster({ nodes: 1 }, async (cluster) => {
    const [node] = [...cluster.nodes.values()] as [SimulatedNode];
    await until(cluster, () => node.owned.all.length === shards);
    const id = executionIdOf(3, Buffer.alloc(10, 7));
    await node.executions.startAs(id, requestOf('torture_chain'));
    const actor = node.host.cache.live(id);
    expect(actor).toBeDefined();
    await cluster.workload.pause(2000);
    expect(node.host.cache.live(id)).toBe(actor);
    // A replica that has received everything: the lease goes on, the process is another one.
    node.stores.shards.process = () => Promise.resolve('another');
    await until(cluster, () => actor?.isDropped === true);
    expect(node.membership.holdsLease).toBe(true);
    await until(cluster, () => node.owned.all.length === shards);
    expect(await node.executions.read(id, (open) => open.execution.state.status)).toBe('RUNNING');
  });
  expect(isDropped).toBe(true);
});

it('goes on with schedules when a deposed leader has taken a fence late', async () => {
  const isDone = await inCluster({ nodes: 2 }, async (cluster) => {
    const { redis } = cluster.store;
    const nodes = [...cluster.nodes.values()];
    await until(cluster, () => nodes.some(({ leadership }) => leadership.leads));
    await cluster.workload.pause(1500);
    const other = nodes.find(({ leadership }) => !leadership.leads) as SimulatedNode;
    await other.stores.scheduleRuns.takeFence();
    await until(cluster, () => cluster.schedules.isDone(redis));
  });
  expect(isDone).toBe(true);
});

it('runs one process of a node at a time, however often it is started', async () => {
  const isDone = await inCluster({ nodes: 1 }, async (cluster) => {
    const [first] = [...cluster.nodes.values()] as [SimulatedNode];
    // It cannot start without the store, and is tried again; meanwhile it is started by hand.
    cluster.storeWeather.away = true;
    cluster.clients.get(first.nodeId)?.break();
    await until(cluster, () => first.clock.isOver);
    cluster.storeWeather.away = false;
    cluster.startNode(first.nodeId);
    const second = cluster.nodes.get(first.nodeId) as SimulatedNode;
    await until(cluster, () => second.isServing);
    await cluster.workload.pause(1000);
    expect(cluster.nodes.get(first.nodeId)).toBe(second);
    expect(second.clock.isOver).toBe(false);
  });
  expect(isDone).toBe(true);
});
