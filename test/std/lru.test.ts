import { describe, expect, it } from 'vitest';
import { Lru } from '../../src/std/lru.js';

describe('a full map', () => {
  it('forgets what was used longest ago', () => {
    const lru = new Lru<string, number>(3);
    for (const [value, key] of ['a', 'b', 'c'].entries()) lru.set(key, value);
    expect(lru.get('a')).toBe(0);
    lru.set('d', 3);
    expect(lru.get('b')).toBeUndefined();
    expect([lru.get('a'), lru.get('c'), lru.get('d')]).toEqual([0, 2, 3]);
    expect(lru.size).toBe(3);
  });

  it('forgets by uses since it was half full, older ones in the order of their entry', () => {
    const lru = new Lru<string, number>(4);
    lru.set('a', 0);
    expect(lru.get('a')).toBe(0);
    for (const [value, key] of ['b', 'c', 'd', 'e'].entries()) lru.set(key, value);
    expect(lru.get('a')).toBeUndefined();
    expect(lru.get('b')).toBe(0);
  });
});
