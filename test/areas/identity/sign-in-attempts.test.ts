// Limits of attempts to sign in (docs/access.md, Attempts to sign in).
import { describe, expect, it } from 'vitest';
import {
  networkOf,
  SignInAttempts,
  type Attempt,
} from '../../../src/areas/identity/sign-in/sign-in-attempts.js';

function begun(attempts: SignInAttempts, address: string, account = 'user:kim'): Attempt {
  const attempt = attempts.begin(account, address, 0);
  if (typeof attempt === 'number') throw new Error(`refused for ${attempt} ms`);
  return attempt;
}
/** How many of so many attempts are made. */
function made(attempts: SignInAttempts, address: string, many: number, account?: string): number {
  let count = 0;
  for (let i = 0; i < many; i++) {
    if (typeof attempts.begin(account ?? 'user:kim', address, 0) !== 'number') count++;
  }
  return count;
}

describe('attempts to sign in', () => {
  it('are counted before their password is looked at', () => {
    const attempts = new SignInAttempts(10);
    // None of them has failed yet.
    expect(made(attempts, '192.0.2.1', 95)).toBe(10);
    expect(attempts.begin('user:kim', '192.0.2.1', 0)).toBe(30_000);
    expect(typeof attempts.begin('user:kim', '192.0.2.1', 30_000)).toBe('object');
  });

  it('that succeed, or are not made after all, cost nothing', () => {
    const attempts = new SignInAttempts(2);
    for (let i = 0; i < 50; i++) begun(attempts, '192.0.2.1').succeeded();
    for (let i = 0; i < 50; i++) begun(attempts, '192.0.2.2').untried();
    expect(made(attempts, '192.0.2.1', 9)).toBe(2);
  });

  it('of strangers take nothing from an owner where he has signed in before', () => {
    const attempts = new SignInAttempts(10);
    begun(attempts, '192.0.2.1').succeeded();
    let others = 0;
    for (let i = 0; i < 30; i++) others += made(attempts, `198.51.100.${i}`, 10);
    // All strangers together have ten times what one has.
    expect(others).toBe(100);
    const owner = begun(attempts, '192.0.2.1');
    expect(owner.isKnown).toBe(true);
    owner.succeeded();
    expect(begun(attempts, '192.0.2.1', 'user:lee').isKnown).toBe(false);
  });

  it('of one address are limited over all accounts', () => {
    const attempts = new SignInAttempts(2);
    let count = 0;
    for (let i = 0; i < 30; i++) count += made(attempts, '192.0.2.1', 2, `user:${i}`);
    expect(count).toBe(20);
  });

  it('count a network of IPv6 as one address', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:0db8:0001:0002:0000:0000:0000:0009')).toBe('2001:db8:1:2::/64');
    expect(networkOf('::1')).toBe('0:0:0:0::/64');
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('::ffff:192.0.2.1')).toBe('::ffff:192.0.2.1');
  });
});
