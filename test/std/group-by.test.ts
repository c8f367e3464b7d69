import { describe, expect, it } from 'vitest';
import { groupBy } from '../../src/std/group-by.js';

describe('groupBy', () => {
  it('keeps the order of keys and of items', () => {
    const groups = groupBy([3, 1, 4, 2, 5], (n) => n % 2);
    expect([...groups]).toEqual([
      [1, [3, 1, 5]],
      [0, [4, 2]],
    ]);
  });

  it('gives no group for no items', () => {
    expect(groupBy([], String).size).toBe(0);
  });
});
