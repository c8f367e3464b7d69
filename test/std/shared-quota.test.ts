import { describe, expect, it } from 'vitest';
import { SharedQuota } from '../../src/std/shared-quota.js';

/** Takes one at a time until there is no more quota for the caller; how many it got. */
function fill(quota: SharedQuota, caller: string): number {
  let got = 0;
  for (; quota.allows(caller, 1); got++) quota.take(caller, 1);
  return got;
}

describe('quota that callers share', () => {
  it('gives one caller half, and a second one half of the rest, so that there is always some left', () => {
    const quota = new SharedQuota(1000);
    expect(fill(quota, 'a')).toBe(500);
    expect(fill(quota, 'b')).toBe(250);
    expect(quota.allows('a', 1)).toBe(false);
    expect(fill(quota, 'c')).toBeGreaterThan(100);
    quota.release('a', 500);
    expect(quota.allows('b', 100)).toBe(true);
  });

  it('gives callers without a name all of it', () => {
    const quota = new SharedQuota(10);
    expect(fill(quota, '')).toBe(10);
    quota.release('', 10);
    expect(quota.taken).toBe(0);
  });

  it('lets who holds nothing take one thing that is larger than what is left', () => {
    const quota = new SharedQuota(100);
    expect(quota.allows('a', 90)).toBe(true);
    quota.take('a', 90);
    expect(quota.allows('a', 20)).toBe(false);
    expect(quota.allows('b', 20)).toBe(true);
    quota.take('b', 20);
    expect(quota.allows('c', 1)).toBe(false);
  });
});
