// Offsets that the consumer of a partition may commit.
import { describe, expect, it } from 'vitest';
import { OffsetTracker } from '../src/offset-tracker.js';

describe('what may be committed of a partition', () => {
  it('is everything before the first message that is not done', () => {
    const offsets = new OffsetTracker<number>();
    const [one, two, three] = [1, 2, 3].map((message) => offsets.add('p', message));
    const other = offsets.add('q', 9);
    expect(two?.()).toBeUndefined();
    expect(other()).toBe(9);
    expect(one?.()).toBe(2);
    expect(three?.()).toBe(3);
  });
});
