import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replacePlatform } from './platform.js';
import { simulate } from './simulate.js';

/** More by `npm run simulate`. */
const seeds = 300;
/** So few that a test ends in time on a machine with much else to do. */
const seedsPerTest = 30;

let restorePlatform: () => void;
beforeAll(() => {
  restorePlatform = replacePlatform();
});
afterAll(() => restorePlatform());

describe('a simulated cluster', () => {
  const firstSeeds = Array.from({ length: seeds / seedsPerTest }, (_, i) => i * seedsPerTest + 1);

  it.each(firstSeeds)(
    'keeps its promises whatever fails: seeds from %i on',
    { timeout: 120_000, retry: 0 },
    async (first) => {
      for (let seed = first; seed < first + seedsPerTest; seed++) {
        const { violations, faults } = await simulate({ seed });
        const what = `seed ${seed}: ${faults.map(({ name }) => name).join(', ')}`;
        expect(violations, `${what}; see npm run simulate -- --seeds 1 --from ${seed}`).toEqual([]);
      }
    },
  );

  it('goes the same way twice from one seed, and another way from another one', async () => {
    const first = await simulate({ seed: 104 });
    const second = await simulate({ seed: 104 });
    const other = await simulate({ seed: 105 });
    // Nodes that do not start go the same way as well.
    expect(first.violations).toEqual([]);
    expect(second.traceHash).toBe(first.traceHash);
    expect(second.events).toBe(first.events);
    expect(other.traceHash).not.toBe(first.traceHash);
  });
});
