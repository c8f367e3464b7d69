// The JSON path dialect (semantics 3.2.5 to 3.2.7) and its budgets (invariants S4).
import { describe, expect, it } from 'vitest';
import { evaluatePath, rootOf } from '../../packages/json-path/src/evaluate.js';
import { parseJsonPath } from '../../packages/json-path/src/parse.js';
import type { Json } from '../../packages/json-path/src/path.js';
import { answers, store } from './answers.js';
import { growthOf } from '../support/work-meanwhile.js';

function at(path: string, value: Json = store): Json | 'malformed' {
  const parsed = parseJsonPath(path);
  return parsed === undefined ? 'malformed' : evaluatePath(parsed, rootOf(value));
}

describe('paths', () => {
  it.each(answers)('%s', (path, expected) => {
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
    const match = (length: number): void => {
      const value: Json = { l: [`${'a'.repeat(length)}!`] };
      expect(at('l[?(@ =~ /(a+)+$/)]', value)).toEqual([]);
    };
    expect(growthOf(match, 10_000)).toBeLessThan(8);
  });

  it('refuses paths nested without end', () => {
    expect(at('a'.padEnd(20_000, '.b'))).toBe('malformed');
    expect(at(`a[?(${'!'.repeat(5000)}@.x)]`)).toBe('malformed');
    expect(at(`a[?(${'('.repeat(5000)}@.x${')'.repeat(5000)})]`)).toBe('malformed');
  });
});
