import { describe, expect, it } from 'vitest';
import { TextPattern } from '../../../src/operation/search/text-pattern.js';

const glob = (text: string): TextPattern =>
  TextPattern.parse(text, { questionMark: true, ignoreCase: false });

describe('TextPattern', () => {
  it.each([
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['a*', 'abc', true],
    ['a*', 'a', true],
    ['*c', 'abc', true],
    ['*b*', 'abc', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['*', '', true],
    ['**', 'x', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*?c', 'xxc', true],
    [String.raw`a\*c`, 'a*c', true],
    [String.raw`a\*c`, 'abc', false],
    ['*aab*', 'aaaab', true],
  ])('%s against %s is %s', (pattern, text, fits) => {
    expect(glob(pattern).matches(text)).toBe(fits);
  });

  it('finds a plain text anywhere, whatever its characters', () => {
    expect(TextPattern.containing('A*B').matches('xa*by')).toBe(true);
    expect(TextPattern.containing('A*B').matches('xaxby')).toBe(false);
  });

  it('takes time in proportion to the text where a backtracking matcher would not end', () => {
    const pattern = glob('*a'.repeat(40) + '*b');
    expect(pattern.matches('a'.repeat(100_000))).toBe(false);
  });
});
