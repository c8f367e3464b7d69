import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { numberFrom, parseJson, toJsonText, textFrom } from '../../src/model/json-text.js';

const keep = (text: string): string => toJsonText(parseJson(text));

describe('JSON text', () => {
  it('keeps every digit of integers beyond 64 bits', () => {
    const text = '{"a":12345678901234567890,"b":[-98765432109876543210],"c":1.5}';
    expect(keep(text)).toBe(text);
  });

  it('finds long integers wherever they stand, behind shorter ones too', () => {
    for (let blanks = 0; blanks < 40; blanks++) {
      for (const before of ['', '123456789012345,', '1,12345678,']) {
        const text = `[${' '.repeat(blanks)}${before}9007199254740993]`;
        expect(toJsonText(parseJson(text))).toBe(text.replaceAll(' ', ''));
      }
    }
  });

  it('gives a plain number for a long integer that a double holds exactly', () => {
    expect(parseJson('[1234567890123456]')).toEqual([1234567890123456]);
  });

  it('leaves strings and keys with the private mark as they are', () => {
    const text = '{"\uE0FFn1":"\uE0FFn12","k":"\\ue0Ffs","\uE0FFs":12345678901234567890}';
    expect(parseJson(text)).toEqual({
      '\uE0FFn1': '\uE0FFn12',
      k: '\uE0FFs',
      '\uE0FFs': 12345678901234567890n,
    });
  });

  it('does not touch long digits inside strings and keys', () => {
    const text = '{"12345678901234567890":"12345678901234567890 \\" 12345678901234567890"}';
    expect(keep(text)).toBe(text);
  });

  it.each([
    '{12345678901234567890:1}',
    '[012345678901234567890]',
    '[--12345678901234567890]',
    '["12345678901234567890]',
    '[12345678901234567890x]',
  ])('refuses malformed text with long digits: %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('reads a string of many megabytes beside a long integer', () => {
    const long = 'x'.repeat(5_000_000);
    expect(parseJson(`["${long}",12345678901234567890]`)).toEqual([long, 12345678901234567890n]);
  });

  it('gives back any value it has written', () => {
    const leaf = fc.oneof(
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 90n }),
      fc.bigInt({ min: -(2n ** 90n), max: -(2n ** 53n) }),
      fc.integer(),
      fc.string({ unit: fc.constantFrom('\uE0FF', 's', 'n', '"', '\\', '1', 'é') }),
      fc.constant(null),
      fc.boolean(),
    );
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value')),
        fc.dictionary(fc.string({ unit: fc.constantFrom('\uE0FF', 's', 'n', 'a') }), tie('value')),
      ) as fc.Arbitrary<Json>,
    }));
    fc.assert(
      fc.property(value, (each) => {
        expect(parseJson(toJsonText(each))).toEqual(each);
      }),
    );
  });
});

describe('a value of JSON', () => {
  const odd = { toString: { a: 1 }, valueOf: 'x' };

  it('becomes a number, or none', () => {
    expect([5, '7', 2n, true, null].map(numberFrom)).toEqual([5, 7, 2, 1, 0]);
    for (const value of [odd, [1], 'x', undefined]) expect(numberFrom(value)).toBeNaN();
  });

  it('becomes a text', () => {
    expect([5, 'x', 2n, true, null].map(textFrom)).toEqual(['5', 'x', '2', 'true', 'null']);
    expect([odd, [1, 'x']].map(textFrom)).toEqual([
      '{"toString":{"a":1},"valueOf":"x"}',
      '[1,"x"]',
    ]);
    expect(textFrom(undefined)).toBe('undefined');
  });
});
