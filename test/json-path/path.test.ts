// The JSON path dialect (semantics 3.2.5 to 3.2.7) and its budgets (invariants S4).
import { describe, expect, it } from 'vitest';
import { evaluatePath, rootOf } from '../../src/json-path/evaluate.js';
import { parseJsonPath } from '../../src/json-path/parse.js';
import type { Json } from '../../src/json-path/path.js';

const store: Json = {
  book: [
    { title: 'A', price: 8, tags: ['x', 'y'], isbn: '1' },
    { title: 'B', price: 12.5, tags: [], 'odd key': true },
    { title: 'C', price: 22, tags: ['y'], isbn: null },
  ],
  bicycle: { color: 'red', price: 19 },
  limit: 12.5,
  numbers: [1, 2, 3, 4],
};

function at(path: string, value: Json = store): Json | 'malformed' {
  const parsed = parseJsonPath(path);
  return parsed === undefined ? 'malformed' : evaluatePath(parsed, rootOf(value));
}

describe('paths', () => {
  it.each<[string, Json]>([
    ['bicycle.color', 'red'],
    ['$.bicycle["color"]', 'red'],
    ["$['bicycle'].color", 'red'],
    ['book[-1].title', 'C'],
    ['book[7]', null],
    ['book[0:2].title', ['A', 'B']],
    ['book[-2:].title', ['B', 'C']],
    ['book[:1].title', ['A']],
    ['book[0,2].title', ['A', 'C']],
    ['book[*].isbn', ['1', null]],
    ['book.*.title', ['A', 'B', 'C']],
    ["book[1]['odd key']", true],
    ["bicycle['color','price']", { color: 'red', price: 19 }],
    [
      "book[*]['title','isbn']",
      [{ title: 'A', isbn: '1' }, { title: 'B' }, { title: 'C', isbn: null }],
    ],
    ['$..price', [19, 8, 12.5, 22].sort((a, b) => a - b)],
    ['book..tags[0]', ['x', 'y']],
    ['book[?(@.price > 10)].title', ['B', 'C']],
    ['book[?(@.price>10&&@.price<20)].title', ['B']],
    ['book[?(@.title == \'A\' || @.title == "C")].price', [8, 22]],
    ['book[?(@.isbn)].title', ['A', 'C']],
    ['book[?(!@.isbn)].title', ['B']],
    ['book[?(@.isbn == null)].title', ['C']],
    ["book[?(@['odd key'] == true)].title", ['B']],
    ['book[?(@.price <= $.limit)].title', ['A', 'B']],
    ["book[?(@.title in ['A', 'B'])].price", [8, 12.5]],
    ["book[?(@.title nin ['A', 'B'])].price", [22]],
    ["book[?(@.tags subsetof ['x', 'y'])].title", ['A', 'B', 'C']],
    ["book[?(@.tags anyof ['x'])].title", ['A']],
    ["book[?(@.tags noneof ['x'])].title", ['B', 'C']],
    ['book[?(@.tags size 2)].title', ['A']],
    ['book[?(@.tags empty true)].title', ['B']],
    ["book[?(@.tags contains 'y')].title", ['A', 'C']],
    ['book[?(@.title =~ /[ab]/i)].title', ['A', 'B']],
    ['book[?(@.title =~ /a.*/)].title', []],
    ['book[?(@.tags.length() > 1)].title', ['A']],
    ['book[?((@.price > 20 || @.price < 10) && !(@.isbn == null))].title', ['A']],
    ["numbers[?(@ == '2')]", [2]],
    ['nothing[*].x', []],
    ['nothing.x', null],
    ['bicycle[*]', ['red', 19]],
    ['limit.x', null],
    ['numbers.length()', 4],
    ['bicycle.size()', 2],
    ['limit.length()', null],
    ['numbers.sum()', 10],
    ['numbers.min()', 1],
    ['numbers.max()', 4],
    ['numbers.avg()', 2.5],
    ['numbers.stddev()', Math.sqrt(1.25)],
    ['numbers.first()', 1],
    ['numbers.last()', 4],
    ['numbers.index(-2)', 3],
    ['book.first().title', 'A'],
    // Behind an indefinite path a function is asked of every value found, and numbers have no sum
    // (observed).
    ['book[*].price.sum()', null],
    ['$..price.max()', null],
    ['book[*].price.length()', [null, null, null]],
    ['$..price..length()', []],
    ['nothing[*].length()', []],
    ['bicycle.keys()', ['color', 'price']],
    ['book[0].tags.append("z")', ['x', 'y', 'z']],
    ["book[0].tags.concat('-', $.limit)", 'xy-12.5'],
    ['nothing.sum()', null],
    ['bicycle.sum()', null],
  ])('%s', (path, expected) => {
    const found = at(path);
    const sorted = path === '$..price' ? (found as number[]).toSorted((a, b) => a - b) : found;
    expect(sorted).toEqual(expected);
  });

  it.each([
    '',
    'a.',
    '$..',
    'a..',
    'a[',
    'a[]',
    "a['x",
    'a[?(@.x ==)]',
    'a.nosuch()',
    'a b',
    'a[1 2]',
    '$a',
    'a[?(1)]',
  ])('refuses %j', (path) => {
    expect(at(path)).toBe('malformed');
  });

  it('does not change the list it appends to', () => {
    const value = { l: [1] };
    expect(at('l.append(2)', value)).toEqual([1, 2]);
    expect(value).toEqual({ l: [1] });
  });
});

describe('budgets', () => {
  it('gives null when a path visits too much', () => {
    const wide: Json = { l: Array.from({ length: 2000 }, (_, i) => i) };
    expect(at('l[?(@ in $.l[?(@ in $.l)])]', wide)).toBeNull();
  });

  it('gives null below the depth limit of a deep scan', () => {
    let deep: Json = 1;
    for (let i = 0; i < 5000; i++) deep = [deep];
    expect(at('$..x', deep)).toBeNull();
  });

  it('runs patterns in linear time', () => {
    const value: Json = { l: [`${'a'.repeat(5000)}!`] };
    const begin = performance.now();
    expect(at('l[?(@ =~ /(a+)+$/)]', value)).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(2000);
  });

  it('refuses paths nested without end', () => {
    expect(at('a'.padEnd(20_000, '.b'))).toBe('malformed');
    expect(at(`a[?(${'!'.repeat(5000)}@.x)]`)).toBe('malformed');
    expect(at(`a[?(${'('.repeat(5000)}@.x${')'.repeat(5000)})]`)).toBe('malformed');
  });
});
