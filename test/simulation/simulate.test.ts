import { describe, expect, it } from 'vitest';
import { checkSeeds, checkTelling, telling } from './check-seeds.js';
import { simulate } from './simulate.js';

// The short form; the others are in more-seeds and most-seeds (test/tiers.json).
checkSeeds(1, 150);
checkTelling(telling);

describe('a simulation', () => {
  // One of each kind of seeds (seeds.ts).
  it.each([102, 104])(
    'goes the same way twice from seed %i, and another way from the next one',
    { retry: 0 },
    async (seed) => {
      const first = await simulate({ seed });
      const second = await simulate({ seed });
      const other = await simulate({ seed: seed + 1 });
      expect(first.violations).toEqual([]);
      expect(second.traceHash).toBe(first.traceHash);
      expect(second.events).toBe(first.events);
      expect(other.traceHash).not.toBe(first.traceHash);
    },
  );
});
