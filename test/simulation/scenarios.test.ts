// Courses of events that a simulation has found, carried out step by step.
import { expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import { executionIdOf } from '../../src/std/ids.js';
import { shards, type SimulatedNode } from './node.js';
import { inPlaceOfPlatform, Scheduler, startOfTime } from './scheduler.js';
import { Cluster } from './simulate.js';
import { definitions } from './workload.js';

const scriptMs = 60_000;
const lookEveryMs = 50;

/** Carries `script` out in a cluster without faults; false: it did not come to its end. */
async function inCluster(
  nodes: number,
  script: (cluster: Cluster) => Promise<void>,
): Promise<boolean> {
  const scheduler = new Scheduler(1);
  return await inPlaceOfPlatform(scheduler, async () => {
    const cluster = new Cluster(scheduler, { seed: 1, nodes });
    for (const nodeId of cluster.nodeIds) cluster.startNode(nodeId);
    let isDone = false;
    let failure: unknown;
    void script(cluster).then(
      () => (isDone = true),
      (error: unknown) => (failure = error),
    );
    await scheduler.run(startOfTime + scriptMs, () => isDone || failure !== undefined);
    if (failure !== undefined) throw failure as Error;
    return isDone;
  });
}

async function until(cluster: Cluster, isSo: () => boolean): Promise<void> {
  while (!isSo()) await cluster.workload.pause(lookEveryMs);
}

it('serves a shard again whose taking was forgotten by the node that took it', async () => {
  const isServed = await inCluster(2, async (cluster) => {
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
    const request = {
      snapshot: definitions.snapshotOf('torture_chain'),
      attributes: { priority: 0, taskToDomain: {} },
      input: Payload.of({ start: 0 }),
    };
    for (let isStarted = false; !isStarted; await cluster.workload.pause(lookEveryMs)) {
      isStarted = await other.executions.startAs(id, request).then(
        () => true,
        () => false,
      );
    }
  });
  expect(isServed).toBe(true);
});

it('believes nothing in memory when a lease ended while its renewal was on its way', async () => {
  const isSafe = await inCluster(2, async (cluster) => {
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
