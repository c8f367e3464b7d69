// Many kills, a store that falls back, and whether the torture finds what is taken out.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTools } from '../support/build.js';
import { tell } from '../support/figures.js';
import { runRollback } from './rollback.js';
import { describeTorture, runTorture, type TortureOptions } from './torture.js';

const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000);

async function run(options: TortureOptions): Promise<readonly string[]> {
  const report = await runTorture(options);
  tell(describeTorture(options, report));
  expect(report.journal.acknowledgedReports).toBeGreaterThan(10);
  expect(report.journal.kills.length).toBe(options.kills);
  return report.violations;
}

describe('a server that is killed again and again', () => {
  it(
    'loses nothing, repeats nothing and ends everything',
    { timeout: 240_000, retry: 0 },
    async () => {
      const violations = await run({ kills: 20, seed, restMs: [200, 900], withSideLoads: true });
      expect(violations).toEqual([]);
    },
  );
});

describe('a store that falls back to an earlier moment under a running node', () => {
  it('leaves histories that are shorter, but whole', { timeout: 120_000, retry: 0 }, async () => {
    expect(await runRollback()).toEqual([]);
  });
});

/**
 * Violations of the first run that finds any: where a kill strikes is chance, so one run may find
 * nothing.
 */
async function firstFound(options: TortureOptions): Promise<readonly string[]> {
  for (let round = 0; round < roundsMax; round++) {
    const violations = await run({ ...options, seed: options.seed + round });
    if (violations.length > 0) return violations;
  }
  return [];
}

const roundsMax = 4;

// The test must be able to fail: with each of these mechanisms taken out it finds something.
describe('the torture test', () => {
  beforeAll(buildTools, 180_000);

  it('finds answers that leave before their commit', { timeout: 240_000 }, async () => {
    // What a Redis that stands still has not carried out is acknowledged, and dies with it.
    const fault = 'reply-before-commit';
    const options = { seed, fault, restMs: [200, 400], inFlightShare: 1, drainMs: 15_000 } as const;
    expect(await firstFound({ ...options, kills: 3, victims: ['redis'] })).not.toEqual([]);
  });

  it('finds queue entries that a crash left out', { timeout: 240_000 }, async () => {
    // Redis carries out what the node sent; the node that would have pushed what it scheduled is
    // gone.
    const fault = 'push-not-repeated';
    const options = { seed, fault, restMs: [200, 400], inFlightShare: 1, drainMs: 10_000 } as const;
    expect(await firstFound({ ...options, kills: 3, victims: ['node'] })).not.toEqual([]);
  });

  it('finds commits on a state that is no longer stored', { timeout: 150_000 }, async () => {
    expect(await runRollback('head-not-checked')).not.toEqual([]);
  });
});
