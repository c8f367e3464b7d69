import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replacePlatform } from './platform.js';
import { plantedFaults } from './planted-faults.js';
import { simulate } from './simulate.js';

/** More by `npm run simulate`. */
const seeds = 300;

let restorePlatform: () => void;
beforeAll(() => {
  restorePlatform = replacePlatform();
});
afterAll(() => restorePlatform());

describe('a simulated cluster', () => {
  it('keeps its promises whatever fails', { timeout: 120_000, retry: 0 }, async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violations, faults } = await simulate({ seed });
      const what = `seed ${seed}: ${faults.map(({ name }) => name).join(', ')}`;
      expect(violations, `${what}; see npm run simulate -- --seeds 1 --from ${seed}`).toEqual([]);
    }
  });

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

describe('a planted fault is found', () => {
  it.each(plantedFaults.filter(({ seedsMax }) => seedsMax !== undefined))(
    '$name',
    { timeout: 120_000 },
    async ({ fault, plant, seedsMax = 0 }) => {
      let found: number | undefined;
      for (let seed = 1; seed <= seedsMax && found === undefined; seed++) {
        const options = { seed, fault, plant: plant(() => undefined) };
        const { violations } = await simulate(options);
        if (violations.length > 0) found = seed;
      }
      if (found === undefined) return expect.unreachable(`not found in ${seedsMax} seeds`);
      // It is the plant that is found: without it nothing is.
      const { violations } = await simulate({ seed: found, fault });
      expect(violations).toEqual([]);
    },
  );
});
