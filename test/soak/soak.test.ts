// The short form of the soak: two rounds, of which nothing may be left. Memory is judged by
// the long form alone.
import { expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { heapGrowth, runSoak, type SoakRound } from './soak.js';

it('leaves nothing behind of what has ended', { timeout: 240_000 }, async () => {
  const { rounds, findings } = await runSoak({
    ...{ nodes: 1, redis: 'single', rounds: 2, size: 1 },
    ...{ only: [], say: tell },
  });
  expect(findings).toEqual([]);
  expect(rounds.map(({ started }) => started > 500)).toEqual([true, true]);
});

it('tells of a heap that grows round by round, and not of one whose caches have filled', () => {
  const round = (heapBytes: number): SoakRound => ({
    ...{ heapBytes, residentBytes: 0, redisBytes: 0 },
    started: 1000,
  });
  const rounds = Array.from({ length: 40 }, (_, i) => i);
  const leak = rounds.map((i) => round(40e6 + i * 1024 * 1024));
  expect(heapGrowth(leak, 1)).toEqual(['the heap grows by 1024 KB a round']);
  const filling = rounds.map((i) => round(40e6 + Math.min(i, 15) * 1024 * 1024));
  expect(heapGrowth(filling, 1)).toEqual([]);
});
