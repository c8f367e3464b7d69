import { describe, expect, it } from 'vitest';
import { SearchEffort } from '../../../src/operation/search/effort.js';
import { matches } from '../../../src/operation/search/matches.js';
import type { Expression } from '../../../src/operation/search/expression.js';
import { parseFreeText } from '../../../src/operation/search/parse-free-text.js';
import type { SearchedKind } from '../../../src/operation/search/fields.js';

interface Item {
  readonly name: string;
  readonly body: string;
}

const searched: SearchedKind<Item> = {
  fields: new Map([
    ['name', { kind: 'keyword' as const, get: (item: Item) => item.name }],
    ['body', { kind: 'text' as const, get: (item: Item) => item.body }],
  ]),
  texts: ({ name, body }) => [name, body],
};

const item: Item = { name: 'Orders-v1', body: '{"city":"Old Town","url":"http://x/y?z"}' };

function finds(freeText: string): boolean {
  const expression = parseFreeText(freeText, (name) => searched.fields.has(name));
  return (
    expression === undefined || matches(expression, item, searched, new SearchEffort()) === true
  );
}

describe('free text', () => {
  it.each([
    '',
    '*',
    'orders',
    'TOWN',
    '"old town"',
    'name:Orders-v1',
    'name:"Orders-v1"',
    'name:Ord*',
    'body:"Old Town"',
    'nothing town',
    'nothing OR town',
    'old AND town',
    'old && town',
    '+old +town',
    'town NOT nothing',
    'town -nothing',
    'NOT nothing',
    '(nothing OR old) AND town',
    'to?n',
    'c*ty',
    'http://x/y',
    'unknown:field town',
    ')town',
    '"Orders-v1',
    String.raw`\"city\"`,
  ])('finds with %s', (freeText) => {
    expect(finds(freeText)).toBe(true);
  });

  it.each([
    'nothing',
    '"town old"',
    'name:orders',
    'name:"Ord*"',
    'name:Orders',
    'old AND nothing',
    '+nothing town',
    'town -old',
    'NOT town',
    '(nothing OR never) AND town',
    'unknown:field',
  ])('does not find with %s', (freeText) => {
    expect(finds(freeText)).toBe(false);
  });

  it.each(['toString', 'constructor', 'hasOwnProperty'])('takes %s for a word', (word) => {
    expect(finds(word)).toBe(false);
  });

  it('counts signs, however many there are', () => {
    expect(finds(`${'-'.repeat(8000)}town`)).toBe(true);
    expect(finds(`${'-+'.repeat(3001)}town`)).toBe(false);
  });

  it('is refused when it takes too long to look for', () => {
    const effort = new SearchEffort({ charsMax: 1e6, charsPerTurnMax: 1e6 });
    const expression = parseFreeText('a b c d', () => false) as Expression;
    const long = { name: '', body: 'x'.repeat(150_000) };
    expect(matches(expression, long, searched, effort)).toBe(false);
    expect(() => matches(expression, long, searched, effort)).toThrow(/too much text/);
  });
});
