import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/placement/shard-map.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('the map of shards', () => {
  it('follows the newest epoch, in whatever order news arrives', () => {
    const map = new ShardMap(4, new VirtualClock());
    expect(map.learn(1, 'b', 7)).toBe(true);
    expect(map.learn(1, 'a', 6)).toBe(false);
    expect(map.ownerOf(1)).toEqual({ nodeId: 'b', epoch: 7 });
    expect(map.countOf('b')).toBe(1);
    expect(map.unserved).toEqual([0, 2, 3]);
  });

  it('forgets a node that has gone, but not that its epoch was there', () => {
    const map = new ShardMap(4, new VirtualClock());
    map.learn(0, 'a', 3);
    map.learn(1, 'a', 4);
    map.learn(2, 'b', 9);
    expect(map.forgetNode('a')).toEqual([0, 1]);
    expect(map.ownerOf(0)).toBeUndefined();
    expect(map.learn(1, 'c', 3)).toBe(false);
    expect(map.learn(1, 'c', 5)).toBe(true);
    map.forget(2, 'a');
    map.forget(2, 'b', 8);
    expect(map.ownerOf(2)?.nodeId).toBe('b');
    map.forget(2, 'b', 9);
    expect(map.ownerOf(2)).toBeUndefined();
  });

  it('believes the store, also when it has failed over to an earlier epoch', () => {
    const map = new ShardMap(1, new VirtualClock());
    map.learn(0, 'a', 7);
    map.forgetNode('a');
    expect(map.learn(0, 'b', 5)).toBe(false);
    map.set(0, 'b', 5);
    expect(map.ownerOf(0)).toEqual({ nodeId: 'b', epoch: 5 });
    expect(map.learn(0, 'c', 6)).toBe(true);
  });

  it('wakes those who wait for an owner, or lets them go on after their time', async () => {
    const clock = new VirtualClock();
    const map = new ShardMap(1, clock);
    const heard = map.news(0, 1000);
    map.learn(0, 'a', 1);
    await heard;
    const late = map.news(0, 1000);
    clock.advance(1000);
    await late;
  });
});
