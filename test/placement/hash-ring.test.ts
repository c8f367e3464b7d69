import { describe, expect, it } from 'vitest';
import { placeShards } from '../../src/placement/hash-ring.js';

const shards = 256;
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `node-${i}`);

describe('the placement of shards', () => {
  it('does not depend on the order of the members', () => {
    expect(placeShards(['c', 'a', 'b'], shards)).toEqual(placeShards(['a', 'b', 'c'], shards));
  });

  it('places nothing where there is no member', () => {
    expect(placeShards([], shards)).toEqual([]);
  });

  it.each([2, 3, 5, 12])('spreads the shards over %d members', (count) => {
    const placed = placeShards(names(count), shards);
    for (const name of names(count)) {
      const own = placed.filter((each) => each === name).length;
      expect(own).toBeGreaterThan((shards / count) * 0.6);
      expect(own).toBeLessThan((shards / count) * 1.5);
    }
  });

  it('moves only what a member that joins takes, and gives back just that when it leaves', () => {
    const before = placeShards(names(4), shards);
    const after = placeShards(names(5), shards);
    const moved = after.filter((node, shard) => node !== before[shard]);
    expect(new Set(moved)).toEqual(new Set(['node-4']));
    expect(moved.length).toBeLessThan((shards / 5) * 1.5);
  });
});
