import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { describeClusterTorture, runClusterTorture } from './cluster-torture.js';

const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['LONG_TESTS'] === '1';

describe('a cluster of three nodes under random faults', () => {
  it.each([
    { redis: 'single', faults: isLong ? 100 : 8 },
    { redis: 'sentinel', faults: isLong ? 100 : 4 },
    { redis: 'cluster', faults: isLong ? 100 : 4 },
  ] as const)(
    'loses nothing, repeats nothing and ends everything over Redis ($redis)',
    async ({ redis, faults }) => {
      const options = { nodes: 3, redis, faults, seed };
      const run = await runClusterTorture(options);
      tell(describeClusterTorture(options, run));
      expect(run.violations).toEqual([]);
      expect(run.journal.acknowledgedReports).toBeGreaterThan(50);
    },
    isLong ? 1_800_000 : 300_000,
  );
});
