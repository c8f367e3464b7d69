// The short form of the torture; the long one is in long-torture.test.ts (test/tiers.json).
import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
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
      const violations = await run({ kills: 6, seed, restMs: [200, 900], withSideLoads: true });
      expect(violations).toEqual([]);
    },
  );
});
