// jq programs against recorded answers of jq 1.8 (recorded-answers.jsonl), and what the recording
// cannot show.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { tryJqInPlace } from '../../src/sandbox/run-jq.js';
import { recorded, recordedInput } from './questions.js';

function run(program: string, input: Json = null): unknown {
  const result = tryJqInPlace(program, () => input);
  if (result?.kind === 'value') return result.values;
  return result === undefined ? 'not in place' : result.message;
}

describe('recorded programs', () => {
  it.each(recorded)('$program', ({ program, results, fails }) => {
    const before = structuredClone(recordedInput);
    const outcome = run(program, recordedInput);
    if (fails === true) expect(typeof outcome).toBe('string');
    // A program of the recording that fails after some results shows those only.
    else if (typeof outcome !== 'string' || outcome === 'not in place')
      expect(outcome).toEqual(results);
    else expect(results?.length).toBeGreaterThan(0);
    expect(recordedInput).toEqual(before);
  });
});

describe('beyond the recording', () => {
  it.each<[string, Json, unknown]>([
    [
      '.id, (.id | tostring)',
      { id: 12345678901234567890n },
      [12345678901234567890n, '12345678901234567890'],
    ],
    ['[nan, infinite]', null, [[null, 1.7976931348623157e308]]],
    ['.a.b', { a: null }, [null]],
    ['.a[]', { a: [] }, []],
    ['. + 1', 'x', 'string ("x") and number (1) cannot be added'],
    ['.x', [1], 'Cannot index array with string "x"'],
    ['([1, "x"] | add) // 0', null, 'number (1) and string ("x") cannot be added'],
    ['try error("x") catch -3', null, [-3]],
    ['.[]', null, 'Cannot iterate over null'],
    ['.tags | join(",")', {}, ['']],
    ['.name | split(",")', { name: '' }, [['']]],
    ['error({a: 1})', null, '{"a":1} (not a string)'],
    ['nosuch', null, 'Function nosuch/0 does not exist'],
    ['try nosuch catch "no"', null, 'Function nosuch/0 does not exist'],
    ['$x', null, 'Undefined variable: $x'],
    ['. as $x | $ENV', null, [{}]],
    ['.["__proto__"], (. + {"__proto__": 1} | keys)', {}, [null, ['__proto__']]],
    ['{"constructor": .constructor}', {}, [{ constructor: null }]],
    ['# comment\n.a # more', { a: 1 }, [1]],
    ['"\\(1 + 2) \\("in" + "\\("ner")")"', null, ['3 inner']],
    ['test("^(a+)+$")', `${'a'.repeat(2000)}!`, [false]],
    [
      '{ t: .input.t // ".body", m: .input.m // "GET" }',
      { input: { t: null } },
      [{ t: '.body', m: 'GET' }],
    ],
  ])('%s', (program, input, expected) => {
    expect(run(program, input)).toEqual(expected);
  });

  it.each(['', '   ', '# only a comment'])('takes %j as the identity', (program) => {
    expect(run(program, 5)).toEqual([5]);
  });

  it.each([
    '.[[',
    '{',
    'if',
    '.a |',
    '"x',
    '1 +',
    'reduce . as $x',
    '. as [$a',
    'def f: 1',
    'a b',
    '1 == 2 == 3',
    '.a = 1 = 2',
    '"\\(1"',
    '"\\q"',
    '}',
    '@',
  ])('refuses %j', (program) => {
    expect(run(program)).toMatch(/syntax error/);
  });
});

describe('nesting without end', () => {
  it('is refused by the parser', () => {
    expect(run('('.repeat(50_000))).toMatch(/too deeply/);
    expect(run('-'.repeat(50_000))).toMatch(/too deeply/);
    expect(run('if 1 then 1 elif '.repeat(10_000))).toMatch(/syntax error/);
  });
});
