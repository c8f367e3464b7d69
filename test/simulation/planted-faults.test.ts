// Each fault of the table in docs/testing.md is found by the seed that it names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replacePlatform } from './platform.js';
import type { PlantedFault } from './plant.js';
import { plantedFaults } from './planted-faults.js';
import { simulate } from './simulate.js';

let restorePlatform: () => void;
beforeAll(() => {
  restorePlatform = replacePlatform();
});
afterAll(() => restorePlatform());

/** A change of the product may send the named seed another way; then others are tried. */
const othersMax = 150;

async function finds(
  { plant, fault, workflow, meetsOutside }: PlantedFault,
  seed: number,
): Promise<boolean> {
  let hasBitten = false;
  const planted = plant(() => void (hasBitten = true));
  const { violations } = await simulate({
    ...{ seed, fault, workflow, meetsOutside, plant: planted },
  });
  return hasBitten && violations.length > 0;
}

async function firstThatFinds(planted: PlantedFault): Promise<number | undefined> {
  if (await finds(planted, planted.foundBy)) return planted.foundBy;
  for (let seed = 1; seed <= othersMax; seed++) if (await finds(planted, seed)) return seed;
  return undefined;
}

describe('a planted fault is found', () => {
  it.each(plantedFaults)('$name', { timeout: 300_000, retry: 0 }, async (planted) => {
    const seed = await firstThatFinds(planted);
    if (seed === undefined) {
      return expect.unreachable(`by seed ${planted.foundBy}, and by none of ${othersMax} others`);
    }
    // It is the plant that is found: without it nothing is.
    const { fault, workflow, meetsOutside } = planted;
    const { violations } = await simulate({ seed, fault, workflow, meetsOutside });
    expect(violations).toEqual([]);
  });
});
