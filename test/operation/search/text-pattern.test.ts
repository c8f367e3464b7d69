import { describe, expect, it } from 'vitest';
import { starsMax, TextPattern } from '../../../src/operation/search/text-pattern.js';
import { processorMs } from '../../support/work-meanwhile.js';

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

  it('has a bound on its stars, of which several side by side are one', () => {
    expect(glob('*a'.repeat(starsMax)).matches('a'.repeat(starsMax))).toBe(true);
    expect(() => glob('*a'.repeat(starsMax + 1))).toThrow(/at most 64 stars/);
    const one = glob(`a${'*'.repeat(10_000)}b`);
    expect(one.matches('ab')).toBe(true);
    expect(one.matches('axxb')).toBe(true);
    expect(one.matches('axx')).toBe(false);
    expect(glob('**').matches('')).toBe(true);
  });

  it('finds a plain text anywhere, whatever its characters', () => {
    expect(TextPattern.containing('A*B').matches('xa*by')).toBe(true);
    expect(TextPattern.containing('A*B').matches('xaxby')).toBe(false);
  });

  it('takes time in proportion to the text where a backtracking matcher would not end', () => {
    const pattern = glob('*a'.repeat(40) + '*b');
    expect(pattern.matches('a'.repeat(100_000))).toBe(false);
  });

  it('finds long pieces where they are', () => {
    const piece = 'ab'.repeat(30) + 'c';
    for (const [before, after] of [
      ['', ''],
      ['ab', ''],
      ['x', 'y'],
      ['ab'.repeat(40), 'ab'],
    ] as const) {
      expect(TextPattern.containing(piece).matches(before + piece + after)).toBe(true);
      expect(TextPattern.containing(piece).matches(before + piece.slice(0, -1) + after)).toBe(
        false,
      );
      const open = glob(`*${piece.slice(0, 40)}?${piece.slice(41)}*`);
      expect(open.matches(before + piece + after)).toBe(true);
      expect(open.matches(before + piece.slice(0, -1) + after)).toBe(false);
    }
    expect(glob(`*${'?'.repeat(32)}b*`).matches('a'.repeat(32) + 'b')).toBe(true);
    expect(glob(`*${'?'.repeat(32)}b*`).matches('a'.repeat(31) + 'ba')).toBe(false);
  });

  it('does so in time that does not grow with their length', () => {
    const pieces = [
      'a'.repeat(500) + 'b' + 'a'.repeat(500),
      'a'.repeat(1000) + 'b',
      '?'.repeat(200) + 'b',
    ];
    const text = 'a'.repeat(500_000);
    const msOf = (piece: string): number =>
      processorMs(() => expect(glob(`*${piece}*`).matches(text)).toBe(false));
    // Compared place by place, each of them takes hundreds of times as long as a short one.
    for (const short of ['ab', '?b']) msOf(short);
    const shortMs = msOf('ab') + msOf('?b');
    for (const piece of pieces) expect(msOf(piece)).toBeLessThan(20 * shortMs);
  });
});
