// Many seeds in portions, each a test of its own. CI's are divided among files, which run side by
// side; more by `npm run simulate`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replacePlatform } from './platform.js';
import { simulate } from './simulate.js';

const seedsPerTest = 250;
/** A seed takes about 30 ms of a core; a busy machine gives a test a small part of one. */
const timeout = 600_000;

/** Declares the tests of the seeds `first` to `last`. */
export function checkSeeds(first: number, last: number): void {
  let restorePlatform: () => void;
  beforeAll(() => {
    restorePlatform = replacePlatform();
  });
  afterAll(() => restorePlatform());

  describe('a simulated cluster', () => {
    for (let from = first; from <= last; from += seedsPerTest) {
      const until = Math.min(last, from + seedsPerTest - 1);
      // What a simulation finds is a broken promise: there is no second try.
      it(`keeps its promises, seeds ${from} to ${until}`, { timeout, retry: 0 }, async () => {
        for (let seed = from; seed <= until; seed++) await checkSeed(seed);
      });
    }
  });
}

/** Seeds that found something once, each as it says in docs/testing.md. */
export const telling = [
  ...[988, 1298, 1977, 14_563, 21_197, 33_430, 34_153, 42_140, 50_704, 70_254],
  ...[76_903, 109_319, 138_284, 149_538, 317_076, 410_663, 633_114],
];

/** The same of seeds that met the world outside because they were told to. */
const tellingOutside = [2487, 5092];

/** Declares a test of these seeds; `checkSeeds` must have been called before. */
export function checkTelling(seeds: readonly number[]): void {
  it('keeps the promises that it broke once', { timeout, retry: 0 }, async () => {
    for (const seed of seeds) await checkSeed(seed);
    for (const seed of tellingOutside) await checkSeed(seed, { meetsOutside: true });
  });
}

async function checkSeed(seed: number, more: { meetsOutside?: true } = {}): Promise<void> {
  const { violations, faults } = await simulate({ seed, ...more });
  const what = `seed ${seed}: ${faults.map(({ name }) => name).join(', ')}`;
  expect(violations, `${what}; see npm run simulate -- --seeds 1 --from ${seed}`).toEqual([]);
}
