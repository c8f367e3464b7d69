// What the engine knows about user scripts without running them, and what it makes of their
// results.
import { describe, expect, it } from 'vitest';
import { parseScript } from '../../../src/engine/expression/script-syntax.js';
import { scriptReads } from '../../../src/engine/expression/script-reads.js';
import {
  scriptErrorText,
  toCaseText,
  toCondition,
} from '../../../src/engine/expression/script-values.js';
import type { Json } from '../../../src/model/json.js';
import { checkSyntax } from '../../../src/sandbox/check-syntax.js';

describe('members a script reads', () => {
  it.each<[string, string[] | undefined]>([
    ["if ($.loop['iteration'] < $.n) { true; } else { false; }", ['loop.iteration', 'n']],
    ['$.list.get($.i - 1)', ['i', 'list']],
    ['$.list.length', ['list.length']],
    ['$.a.b.c.toFixed()', ['a.b']],
    ['$.a.b(); $.a.c', ['a']],
    ['$.a; $.a.b', ['a']],
    ['$?.a?.b', ['a.b']],
    ['$["odd key"].x', ['odd key.x']],
    ['for (var k in $.map) k', ['map']],
    ['"x" in $.map', ['map']],
    ['$.a.b = 1; $.a.b', ['a.b']],
    ['({ $: 1, a: x.$ })', []],
    ['1 + 1', []],
    ['$', undefined],
    ['var d = $; d.a', undefined],
    ['$[name]', undefined],
    ['$.call()', undefined],
    ['f($)', undefined],
    ['this.$', undefined],
    ['eval("$.a")', undefined],
    ['(() => 1).constructor("return $.a")()', undefined],
    ['(() => 1)["constructor"]("return $.a")()', undefined],
    ['(function ($) { return $.a; })({})', undefined],
    ['var $ = {}; $.a', undefined],
    ['({...$})', undefined],
    ['let { a } = $; a', undefined],
    ['$["a.b"]', undefined],
    ['function( {', undefined],
  ])('%s', (source, expected) => {
    expect(scriptReads(source)).toEqual(expected);
  });
});

describe('results', () => {
  it.each<[Json, boolean]>([
    [true, true],
    [false, false],
    [1, true],
    [0.5, true],
    [0, false],
    [-1, false],
    [5n, true],
    ['true', false],
    [null, false],
    [{}, false],
    [[1], false],
  ])('%s as a condition is %s', (value, expected) => {
    expect(toCondition(value)).toBe(expected);
  });

  it.each<[Json, string]>([
    [null, 'null'],
    [1, '1'],
    [1.5, '1.5'],
    [true, 'true'],
    ['x', 'x'],
    [{ a: [1] }, '{a=[1]}'],
  ])('%j as a case is %s', (value, expected) => {
    expect(toCaseText(value)).toBe(expected);
  });

  it('are worded like the reference when they are errors', () => {
    const text = (message: string): string => scriptErrorText({ kind: 'error', message });
    expect(text('Error: bang')).toBe('Error evaluating the script `Error: bang`');
    expect(text('ReferenceError: nosuch is not defined at line 1')).toBe(
      'Error evaluating the script `ReferenceError: nosuch is not defined` at line 1',
    );
    expect(scriptErrorText({ kind: 'limit', message: 'too long' })).toBe('too long');
    expect(scriptErrorText({ kind: 'error', message: 'm' }, 'jq')).toBe('m');
  });
});

describe('syntax at registration', () => {
  it('refuses scripts that would take long to parse', () => {
    expect(parseScript(`${' '.repeat(65_000)}1`).kind).toBe('program');
    expect(parseScript('1;'.repeat(40_000))).toMatchObject({
      kind: 'malformed',
      message: 'SyntaxError: longer than 65536 characters',
    });
  });

  it('passes what parses, whatever it does', () => {
    expect(checkSyntax('javascript', 'nosuch.thing > 1')).toBeUndefined();
    expect(checkSyntax('javascript', 'let { a } = $; a ?? 1')).toBeUndefined();
    expect(checkSyntax('jq', '.a | map(.b)')).toBeUndefined();
  });

  it('gives the message of what does not', () => {
    expect(checkSyntax('javascript', 'function( {')).toMatch(/^SyntaxError: /);
    expect(checkSyntax('javascript', 'return 1')).toMatch(/^SyntaxError: /);
    expect(checkSyntax('javascript', '('.repeat(100_000))).toMatch(/^SyntaxError: /);
    expect(checkSyntax('jq', '.[[')).toMatch(/syntax error/);
  });
});
