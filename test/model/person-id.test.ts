import { expect, it } from 'vitest';
import { personIdOf } from '../../src/model/person-id.js';

it('an id of a user is the same in any case', () => {
  expect(personIdOf('Kim@X.Co')).toBe('kim@x.co');
  expect(personIdOf('ÄNNE@x.co')).toBe('änne@x.co');
  expect(personIdOf('')).toBe('');
});

it('no other letter becomes one of ASCII', () => {
  const others = Array.from({ length: 0x10f80 }, (_, i) => String.fromCodePoint(i + 0x80)).filter(
    (letter) => /[a-z]/.test(personIdOf(letter)),
  );
  expect(others).toEqual([]);
  expect(personIdOf('\u212AIM@x.co')).toBe('\u212Aim@x.co');
});
