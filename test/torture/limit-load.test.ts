import { describe, expect, it } from 'vitest';
import { tooManyAtOnce, tooManyInWindow, type LimitedHandOut } from './limit-load.js';

const handOut = (askedAt: number, receivedAt: number, heldUntil: number): LimitedHandOut => ({
  ...{ askedAt, receivedAt, heldUntil },
});

describe('the judge of limits', () => {
  it('finds more leases at once than the limit, and none where one ends as another begins', () => {
    const two = [handOut(0, 10, 100), handOut(0, 20, 90)];
    expect(tooManyAtOnce([...two, handOut(30, 90, 200)], 2)).toEqual([]);
    expect(tooManyAtOnce([...two, handOut(30, 89, 200)], 2)).toEqual([
      '3 leases at once of a type that may have 2',
    ]);
  });

  it('finds more hand-outs in a window than the limit, if all surely lie within it', () => {
    const early = [handOut(0, 10, 20), handOut(100, 110, 120)];
    expect(tooManyInWindow([...early, handOut(900, 1_000, 1_010)], 2, 1_000)).toEqual([]);
    expect(tooManyInWindow([...early, handOut(900, 999, 1_010)], 2, 1_000)).toEqual([
      '3 hand-outs in 1000 ms of a type that may have 2',
    ]);
  });
});
