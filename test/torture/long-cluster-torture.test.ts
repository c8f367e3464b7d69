// A cluster of three nodes while processes are killed and stand still (test/tiers.json).
import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import {
  describeClusterTorture,
  runClusterTorture,
  type ClusterTortureOptions,
} from './cluster-torture.js';

const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000);
const isLong = process.env['LONG_TESTS'] === '1';

async function run(options: ClusterTortureOptions): Promise<void> {
  const done = await runClusterTorture(options);
  tell(describeClusterTorture(options, done));
  expect(done.violations).toEqual([]);
  expect(done.journal.acknowledgedReports).toBeGreaterThan(50);
}

describe('a cluster of three nodes', () => {
  it(
    'loses nothing while a node, Redis and both are killed',
    { timeout: 240_000, retry: 0 },
    async () => {
      const names = ['kill', 'redis-kill', 'pause', 'kill-both'];
      await run({ nodes: 3, redis: 'single', faults: names.length, names, seed, openMax: 30 });
    },
  );
});

// Minutes of faults on real processes: with LONG_TESTS=1 only.
describe.skipIf(!isLong)('a cluster of three nodes under random faults', () => {
  it.each([
    { redis: 'single', faults: 100 },
    { redis: 'sentinel', faults: 100 },
    { redis: 'cluster', faults: 100 },
  ] as const)(
    'loses nothing, repeats nothing and ends everything over Redis ($redis)',
    async ({ redis, faults }) => {
      await run({ nodes: 3, redis, faults, seed });
    },
    1_800_000,
  );
});
