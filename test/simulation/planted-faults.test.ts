// Faults planted in the product: the simulation finds them, and without them finds nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantedFaults } from './planted-faults.js';
import { replacePlatform } from './platform.js';
import { simulate } from './simulate.js';

let restorePlatform: () => void;
beforeAll(() => {
  restorePlatform = replacePlatform();
});
afterAll(() => restorePlatform());

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
