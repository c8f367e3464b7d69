// One-time codes against the values that RFC 6238 prints.
import { describe, expect, it } from 'vitest';
import {
  drawCodeSecret,
  drawRecoveryCodes,
  otpauthUri,
  stepOfCode,
} from '../../../src/areas/identity/account/one-time-codes.js';
import { oneTimeCode } from '../../support/one-time-code.js';

/** `12345678901234567890` of RFC 6238 appendix B, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a one-time code', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('of second %i is the one of RFC 6238', (second, code) => {
    const step = Math.floor(second / 30);
    expect(stepOfCode(code, secret, second * 1000, 0)).toBe(step);
    expect(oneTimeCode(secret, second * 1000)).toBe(code);
  });

  it('counts for its step and its neighbours, and once', () => {
    const at = 1234567890_000;
    const step = Math.floor(at / 30_000);
    const code = oneTimeCode(secret, at);
    for (const drift of [-30_000, 0, 30_000]) {
      expect(stepOfCode(code, secret, at + drift, 0)).toBe(step);
    }
    for (const drift of [-60_000, 60_000]) {
      expect(stepOfCode(code, secret, at + drift, 0)).toBeUndefined();
    }
    expect(stepOfCode(code, secret, at, step)).toBeUndefined();
    expect(stepOfCode(code, secret, at, step - 1)).toBe(step);
    for (const wrong of ['', '12345', 'abcdef', `${code} `, `${code}0`]) {
      expect(stepOfCode(wrong, secret, at, 0)).toBeUndefined();
    }
  });

  it('has a secret that an application can read', () => {
    const drawn = drawCodeSecret();
    expect(drawn).toMatch(/^[A-Z2-7]{32}$/);
    expect(drawn).not.toBe(drawCodeSecret());
    const uri = new URL(otpauthUri('kim@x.org', drawn));
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      '/Downbeat:kim@x.org',
    ]);
    expect(uri.searchParams.get('secret')).toBe(drawn);
    const codes = drawRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{16}$/);
  });
});
