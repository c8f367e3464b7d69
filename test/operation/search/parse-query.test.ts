import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/model/errors.js';
import { keepKnownFields, type Expression } from '../../../src/operation/search/expression.js';
import { parseQuery } from '../../../src/operation/search/parse-query.js';

/** A tree as a text with all its parentheses. */
function shown(expression: Expression | undefined): string {
  if (expression === undefined) return 'everything';
  switch (expression.kind) {
    case 'and':
    case 'or':
      return `(${expression.items.map(shown).join(` ${expression.kind} `)})`;
    case 'not':
      return `not ${shown(expression.item)}`;
    case 'word':
      return 'word';
    case 'compare': {
      const { field, test } = expression;
      if (test.op === 'in') return `${field} in [${test.values.map((v) => v.text).join('|')}]`;
      if (test.op === 'between') return `${field} between ${test.low.text} ${test.high.text}`;
      if (!('value' in test)) return `${field} ${test.op}`;
      return `${field} ${test.op} ${test.value.text}${test.value.pattern ? ' (pattern)' : ''}`;
    }
  }
}

const read = (query: string): string => shown(parseQuery(query));

describe('parseQuery', () => {
  it.each([
    ['workflowType IN (A,B)', 'workflowType in [A|B]'],
    ["workflowId IN ('a', 'b')", 'workflowId in [a|b]'],
    ['workflowId="x"', 'workflowId = x'],
    ["workflowId='x'", 'workflowId = x'],
    ['correlationId = "c d" ', 'correlationId = c d'],
    [
      ' status IN (RUNNING) AND correlationId = "c" ',
      '(status in [RUNNING] and correlationId = c)',
    ],
    ['status = RUNNING AND workflowType = "X"', '(status = RUNNING and workflowType = X)'],
    ['workflowType=X', 'workflowType = X'],
    ['status IN (SCHEDULED, IN_PROGRESS)', 'status in [SCHEDULED|IN_PROGRESS]'],
    ['startTime>5', 'startTime > 5'],
    ['startTime>=5 and startTime <= 9', '(startTime >= 5 and startTime <= 9)'],
    ['startTime BETWEEN 5 AND 9 AND a=1', '(startTime between 5 9 and a = 1)'],
    ['a = 1 or b = 2 AND c = 3', '(a = 1 or (b = 2 and c = 3))'],
    ['(a = 1 OR b = 2) AND c != 3', '((a = 1 or b = 2) and c != 3)'],
    ['endTime is null', 'endTime null'],
    ['endTime IS NOT NULL', 'endTime not-null'],
    ["workflowType STARTS_WITH 'ab'", 'workflowType starts-with ab'],
    ["workflowType = 'a*'", 'workflowType = a* (pattern)'],
    [String.raw`a = 'it\'s' AND b = "q\"q"`, `(a = it's and b = q"q)`],
    [String.raw`a = '5\*'`, 'a = 5*'],
    ['workflowType = orders:v1.2-x/y@z', 'workflowType = orders:v1.2-x/y@z'],
    ["a = 'x)(AND'", 'a = x)(AND'],
    ['status IN ()', 'status in []'],
    ['status IN RUNNING', 'status in [RUNNING]'],
    ['status in "RUNNING" AND version = 1', '(status in [RUNNING] and version = 1)'],
    ['status = (RUNNING)', 'status in [RUNNING]'],
    ['', 'everything'],
    ['   ', 'everything'],
  ])('reads %s', (query, tree) => {
    expect(read(query)).toBe(tree);
  });

  it.each([
    '((',
    'workflowType',
    'workflowType =',
    "workflowType = 'x",
    'status IN',
    'status IN A, B',
    'status = (',
    'status IN (RUNNING',
    'a = 1 AND',
    'AND a = 1',
    'a = 1 b = 2',
    'a == 1',
    '"a" = 1',
    'a BETWEEN 1',
    'a IS x',
    'a = 1)',
    '('.repeat(100) + 'a=1' + ')'.repeat(100),
  ])('refuses %s with its text', (query) => {
    let thrown: unknown;
    try {
      parseQuery(query);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect((thrown as AppError).kind).toBe('bad-request');
    expect((thrown as AppError).message).toBe(`Incorrectly formatted query string: ${query}`);
  });

  it('drops clauses on unknown fields and nothing else', () => {
    const keep = (query: string): string => {
      const expression = parseQuery(query);
      return shown(expression && keepKnownFields(expression, (field) => field !== 'zz'));
    };
    expect(keep('zz = 1')).toBe('everything');
    expect(keep('zz = 1 AND a = 2')).toBe('a = 2');
    expect(keep('zz = 1 OR a = 2')).toBe('a = 2');
    expect(keep('(zz = 1 OR a = 2) AND b = 3')).toBe('(a = 2 and b = 3)');
  });
});
