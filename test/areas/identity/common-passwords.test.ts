import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '../../../src/areas/identity/sign-in/common-passwords.js';

describe('passwords that others try first', () => {
  it.each([
    'password',
    '12345678',
    'QWERTYUIOP',
    '1qaz2wsx',
    'downbeat',
    'Downbeat-2026!',
    '#Conductor123',
    'kim.minji@example.org',
    'KimMinji99',
  ])('refuses %s', async (password) => {
    expect(await isCommonPassword(password, 'Kim.Minji@example.org')).toBe(true);
  });

  it.each([
    'correct horse battery',
    'a downbeat at noon',
    '8350184267310',
    'kim and the others',
    'Tr0ub4dor&3x!',
  ])('takes %s', async (password) => {
    expect(await isCommonPassword(password, 'Kim.Minji@example.org')).toBe(false);
  });
});
