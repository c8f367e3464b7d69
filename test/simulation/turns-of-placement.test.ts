// Courses of events in which a node's turns of placement must not go astray. Two were found when
// polls ended at other moments than before, by seeds of the simulation.
import { expect, it } from 'vitest';
import { StoreError } from '../../src/store/execution-store.js';
import { inCluster, until } from './in-cluster.js';
import { shards, type SimulatedNode } from './node.js';
import type { Plant } from './simulate.js';

const secondMs = 1000;

it('takes a shard again that another node took, never served and gave back', async () => {
  const isTaken = await inCluster({ nodes: 2 }, async (cluster) => {
    const [one, other] = [...cluster.nodes.values()] as [SimulatedNode, SimulatedNode];
    await until(cluster, () => one.owned.all.length + other.owned.all.length === shards);
    await until(cluster, () => one.owned.all.length > 0 && other.owned.all.length > 0);
    const [shard] = one.owned.all as [number];
    const former = one.owned.fenceOf(shard)?.token;
    // The taking was lost on its way, so nobody serves what it brought.
    const store = other.stores.shards;
    await store.acquire(other.membership.self, [shard], new Set([one.nodeId]));
    const release = store.release.bind(store);
    store.release = (fences) => {
      // Late news of the former owner, as a new link brings it.
      other.map.set(shard, one.nodeId, 1);
      return release(fences);
    };
    other.map.forget(shard, one.nodeId);
    await cluster.workload.pause(secondMs);
    const token = one.owned.fenceOf(shard)?.token;
    expect(token).not.toBe(former);
    expect(await store.ownerOf(shard)).toMatchObject({ nodeId: one.nodeId, token });
  });
  expect(isTaken).toBe(true);
});

it('lets time pass while a store refuses at once and a taking is under way', async () => {
  const turnsMax = 1000;
  let isStuck = false;
  let isAway = false;
  let turns = 0;
  const plant: Plant = {
    stores: (stores) => {
      const store = stores.shards;
      const refuse = (): Promise<never> => {
        turns += 1;
        // A loop without end would stop this test as well.
        if (turns > turnsMax) return new Promise(() => undefined);
        return Promise.reject(new StoreError('not-applied', 'There is no connection'));
      };
      store.renew = away(store.renew.bind(store));
      store.members = away(store.members.bind(store));
      const acquire = store.acquire.bind(store);
      store.acquire = (...args) => (isStuck ? new Promise(() => undefined) : acquire(...args));
      return stores;

      function away<A extends unknown[], R>(call: (...args: A) => Promise<R>) {
        return (...args: A): Promise<R> => (isAway ? refuse() : call(...args));
      }
    },
  };
  const isOver = await inCluster({ nodes: 1, plant }, async (cluster) => {
    const [node] = [...cluster.nodes.values()] as [SimulatedNode];
    await until(cluster, () => node.owned.all.length === shards);
    isStuck = true;
    node.placement.lost(new Error('for the test'), [0]);
    await cluster.workload.pause(secondMs);
    isAway = true;
    // The lease ends meanwhile.
    await cluster.workload.pause(5 * secondMs);
  });
  expect({ isOver, turns: turns <= turnsMax }).toEqual({ isOver: true, turns: true });
});
