// Lengths of time: in order, without a gap, and true to an eighth.
import { describe, expect, it } from 'vitest';
import { lengthOf, lengthsMax, middleOf, percentile } from '../../src/telemetry/run-times.js';

describe('lengths of time', () => {
  it('hold every time once, in order, and tell it to an eighth', () => {
    let before = 0;
    for (let ms = 0; ms < 2 ** 31; ms += Math.ceil(ms / 100 + 0.1)) {
      const length = lengthOf(ms);
      expect(length - before).toBeGreaterThanOrEqual(0);
      expect(length - before).toBeLessThanOrEqual(1);
      expect(Math.abs(middleOf(length) - ms)).toBeLessThanOrEqual(ms / 8);
      before = length;
    }
    expect(lengthOf(Number.MAX_SAFE_INTEGER)).toBe(lengthsMax - 1);
    expect([lengthOf(-5), lengthOf(0.4), lengthOf(7)].map(middleOf)).toEqual([0, 0, 7]);
  });

  it('give percentiles', () => {
    const counts: number[] = [];
    for (let ms = 1; ms <= 1000; ms += 1) {
      const length = lengthOf(ms);
      counts[length] = (counts[length] ?? 0) + 1;
    }
    for (const [share, ms] of [
      [0.5, 500],
      [0.95, 950],
      [1, 1000],
    ] as const) {
      expect(Math.abs(percentile(counts, share) - ms)).toBeLessThanOrEqual(ms / 8);
    }
    expect(percentile([], 0.5)).toBe(0);
  });
});
