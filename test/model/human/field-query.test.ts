// Queries over single fields of human tasks (contract-admin 10.8).
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/model/errors.js';
import { parseFieldQuery } from '../../../src/model/human/field-query.js';

const task = {
  city: 'Paris',
  note: 'salt and pepper or "nothing"',
  num: 3,
  deep: { 'a b': { x: 'y' }, list: [{ k: 'v' }] },
  empty: null,
};

describe('field queries', () => {
  it.each([
    ["city = 'Paris'", true],
    ['city=Paris', true],
    ['city = Par*', true],
    ['city = *ari*', true],
    ['city = paris', false],
    ['num = 3', true],
    ['num IN (1, 2, 3)', true],
    ["num in('4','5')", false],
    ['num = 3 AND city = Rome', false],
    ['num = 4 OR city = Paris', true],
    ['num = 4 or num = 5 or num = 3', true],
    ['num = 4 AND num = 3 OR city = Paris', true],
    ['note = \'salt and pepper or "nothing"\'', true],
    ["note = 'salt and*' AND num = 3", true],
    ["city IN ('Rome, the city', 'Paris')", true],
    ["deep['a b'].x = y", true],
    ['deep.list[0].k = v', true],
    ['$.deep.list.0.k = v', true],
    ['empty = *', false],
    ['inland = x', false],
  ])('%s is %s', (query, fits) => {
    expect(parseFieldQuery(query, 'taskInputQuery')(task)).toBe(fits);
  });

  it.each([
    'num',
    'num === (',
    'num = ',
    'num IN 3',
    "city = 'Paris",
    'AND num = 3',
    'num IN (1,,2)',
  ])('refuses %s', (query) => {
    expect(() => parseFieldQuery(query, 'taskInputQuery')).toThrow(AppError);
  });
});
