// What grows with the number of nodes, and how (docs/scaling.md): a cluster of 30 on the virtual
// clock. `node bin/tool.mjs bench/many-nodes` prints the same up to 100.
import { describe, expect, it } from 'vitest';
import { placeShards } from '../../src/placement/hash-ring.js';
import { controlTraffic } from './many-nodes.js';
import { shards } from './node.js';
import { rackFailover } from './rack-failover.js';
import type { Plant } from './simulate.js';

describe('a cluster of many nodes', () => {
  it('announces a queue once to each other, is silent while nothing happens, and takes over within the lease', async () => {
    const traffic = await controlTraffic(30);
    const { nodes, announcements, messagesPerSecond, storeCallsPerSecond, takeoverMs } = traffic;
    const directions = nodes * (nodes - 1);
    expect(announcements).toBeGreaterThanOrEqual(directions);
    expect(announcements).toBeLessThan(1.2 * directions);
    expect(messagesPerSecond).toBeLessThan(nodes);
    // A node reads the record of each member twice a second, and nothing else more often.
    const few = await controlTraffic(3);
    const more = storeCallsPerSecond / nodes - few.storeCallsPerSecond / few.nodes;
    expect(more / (nodes - few.nodes)).toBeLessThan(2.5);
    // A node whose process has gone is found by its refused link, before its lease ends.
    expect(takeoverMs).toBeLessThan(3_000);
  });

  it('moves only the shards of 30 nodes that go at once, to all others alike', () => {
    const members = Array.from({ length: 100 }, (_, i) => `node-${i}`);
    const left = members.slice(30);
    const [before, after] = [placeShards(members, 4096), placeShards(left, 4096)];
    const moved = after.filter((member, shard) => member !== before[shard]);
    const lost = before.filter((member) => !left.includes(member));
    expect(moved.length).toBe(lost.length);
    const of = (member: string): number => after.filter((each) => each === member).length;
    expect(Math.max(...left.map(of)) / (4096 / left.length)).toBeLessThan(1.6);
  });

  it.each([
    { rack: 'refuses', silentMs: 0 },
    { rack: 'is silent', silentMs: 3_000 },
  ])(
    'goes on beside a rack of primaries that $rack, and serves it when it is back',
    async (how) => {
      const found = await rackFailover({ nodes: 20, primaries: 12, silentMs: how.silentMs });
      expect(found.gone).toBe(4);
      expect(found.shardsGone).toBeGreaterThan(0);
      expect(found.shardsGone).toBeLessThan(shards);
      expect(found.startsBeside).toBeGreaterThan(0);
      // Also those that were sent when the leases of the beginning had ended.
      expect(found.refusedBeside).toBe(0);
      expect(found.servedAfterMs).toBeLessThan(10_000);
      expect(found.sharedShards).toEqual([]);
    },
  );

  const disturbed = { nodes: 8, primaries: 6, silentMs: 3_000, isDisturbed: true };

  it('never has two owners of a shard, while nodes of the rack stand still or start anew', async () => {
    const found = await rackFailover(disturbed);
    expect(found.sharedShards).toEqual([]);
    expect(found.refusedBeside).toBe(0);
  });

  it('would be seen to have, if a lease beside a shard counted when it has ended', async () => {
    const spoil: Plant['spoil'] = ({ membership }) => {
      membership.holdsLeaseOf = () => true;
    };
    const found = await rackFailover({ ...disturbed, plant: { spoil } });
    expect(found.sharedShards).not.toEqual([]);
  });
});
