import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { describeClusterTorture, runClusterTorture } from './cluster-torture.js';

const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['LONG_TESTS'] === '1';

// Minutes of faults on real processes: with LONG_TESTS=1 only.
describe.skipIf(!isLong)('a cluster of three nodes under random faults', () => {
  it.each([
    { redis: 'single', faults: 100 },
    { redis: 'sentinel', faults: 100 },
    { redis: 'cluster', faults: 100 },
  ] as const)(
    'loses nothing, repeats nothing and ends everything over Redis ($redis)',
    async ({ redis, faults }) => {
      const options = { nodes: 3, redis, faults, seed };
      const run = await runClusterTorture(options);
      tell(describeClusterTorture(options, run));
      expect(run.violations).toEqual([]);
      expect(run.journal.acknowledgedReports).toBeGreaterThan(50);
    },
    1_800_000,
  );
});
