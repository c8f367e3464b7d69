// Which rules of a file hold, and what they say (semantics 4.23).
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { holds, resultOf } from '../src/condition.js';
import type { Cell } from '../src/rule-table.js';

describe('a condition of a rule', () => {
  it.each<[Cell, Json, boolean]>([
    // A plain value.
    ['phone', 'phone', true],
    ['phone', 'laptop', false],
    ['8', 8, true],
    [8, '8', true],
    ['8', '08.0', true],
    [true, 'true', true],
    // Everything.
    [null, 'x', true],
    ['', null, true],
    ['Any', 'x', true],
    // Comparisons of numbers, with and without a blank.
    ['!= 100', '5', true],
    ['!= 100', 100, false],
    ['<10.2', '10.0', true],
    ['>=10.3', 10.3, true],
    ['> 10', 10, false],
    ['= 7', '7.0', true],
    // Texts are equal or not, they have no order.
    ['= "a b"', 'a b', true],
    ['!=John', 'Joe', true],
    ['<m', 'a', false],
    // Dates in their forms.
    ['<=2022-04-22', '2022-04-22', true],
    ['> 2022-mar-12', '2022-04-22', true],
    ['< 2022-03-22 12:20:22', '2022-03-22 12:20:21', true],
    ['< 2022-03-22 12:20:22', '2022-03-22T13:00:00Z', false],
    // Functions of texts.
    ['startsWith("iPhone")', 'iPhone 14', true],
    ['startsWith("Phone")', 'iPhone 14', false],
    ['endsWith(".pdf")', 'a.doc', false],
    ['endsWith(".pdf")', 'a.pdf', true],
    ['endsWith(".pdf")', 'a.pdf.exe', false],
    ['contains("premium")', 'our premium product', true],
    ['matches("^[a-z]+\\\\.[a-z]{2,}$")', 'orkes.io', true],
    ['matches("[a-z]")', 'ab', false],
    ['length >= 8', 'password', true],
    ['length() < 8', 'password', false],
    // Lists.
    ['inList({"phone","laptop"})', 'laptop', true],
    ['inList({1, 2})', 2, true],
    ['!=inList({"phone","laptop"})', 'phone', false],
    ['!=inList({"a, b"})', 'a', true],
    // An absent value equals nothing.
    ['phone', null, false],
    ['< 5', null, false],
  ])('%j for %j: %j', (cell, value, expected) => {
    expect(holds(cell, value)).toBe(expected);
  });

  it('that is no pattern is named', () => {
    expect(() => holds('matches("(")', 'x')).toThrow('( is no pattern');
    const long = (length: number): string => `matches("${'a'.repeat(length)}")`;
    expect(holds(long(1000), 'a')).toBe(false);
    expect(() => holds(long(1001), 'a')).toThrow('more than 1000 characters');
  });
});

it('makes lists and keeps values', () => {
  expect(resultOf('createList({"A", B,"C"})')).toEqual(['A', 'B', 'C']);
  expect([resultOf('11%'), resultOf(5), resultOf(undefined)]).toEqual(['11%', 5, null]);
});
