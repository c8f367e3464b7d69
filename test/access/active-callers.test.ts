import { expect, it } from 'vitest';
import { ActiveCallers } from '../../src/access/active-callers.js';

it('tells whether somebody else than a caller was here within the last second', () => {
  let now = 0;
  const active = new ActiveCallers(() => now);
  expect(active.othersThan('a')).toBe(false);
  active.note('a');
  active.note('');
  expect(active.othersThan('a')).toBe(false);
  expect(active.othersThan('b')).toBe(true);
  active.note('b');
  for (now = 100; now < 900; now += 100) active.note('a');
  expect(active.othersThan('a')).toBe(true);
  now = 1100;
  active.note('a');
  expect(active.othersThan('a')).toBe(false);
  expect(active.othersThan('b')).toBe(true);
});
