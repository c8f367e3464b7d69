import { describe, expect, it } from 'vitest';
import { matches } from '../../../src/operation/search/matches.js';
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
  return expression === undefined || matches(expression, item, searched) === true;
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
});
