// Scripts in place: what they cover, that they give up on the rest, and that they never differ from
// the engine of the workers.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { parseJson } from '../../src/model/json-text.js';
import { evaluateInPlace } from '../../src/sandbox/in-place/evaluate.js';
import { JavaScriptRunner } from '../../src/sandbox/run-javascript.js';

let runner: JavaScriptRunner;

beforeAll(async () => {
  runner = await JavaScriptRunner.load();
});

const input: Json = {
  n: 5, z: 0, neg: -2.5, s: 'Hello', e: '', t: true, f: false, nul: null, list: [3, 1, 2], empty: [], texts: ['b', 'a'],
  map: { a: 1, b: { c: 'deep' } }, loop: { iteration: 2 }, rows: [{ id: 1, tag: 'x' }, { id: 2, tag: 'y' }], big: 90071992547409931n,
}; // prettier-ignore

function inPlace(source: string): { value: Json } | undefined {
  const result = evaluateInPlace(source, () => input);
  if (result !== undefined && result.kind !== 'value')
    throw new Error('in place there are no errors');
  return result && { value: result.value };
}

function inQuickJs(source: string): { value: Json } | { failed: string } {
  const answer = runner.run({
    language: 'javascript',
    source,
    inputText: JSON.stringify({ ...(input as object), big: 1 }),
    timeMsMax: 5000,
    memoryBytesMax: 32 * 1024 * 1024,
    outputCharsMax: 1_000_000,
  });
  return answer.kind === 'value' ? { value: parseJson(answer.text) } : { failed: answer.message };
}

/** In place or not: if so, the same. */
function agree(source: string): boolean {
  const here = inPlace(source);
  if (here === undefined) return false;
  expect({ source, ...here }).toEqual({ source, ...inQuickJs(source) });
  return true;
}

describe('scripts of real definitions run in place', () => {
  it.each([
    "if ($.loop['iteration'] < $.n) { true; } else { false; }",
    "$.loop['iteration'] < $.list.length",
    '$.n > 0',
    '(function(){ return $.n * 2; })()',
    "(function() { var d = $.map; return { summary: 'Host ' + d.a + ' responded in ' + d.b.c, host: d.b.c }; })()",
    'function getElement() { return $.list.get($.loop.iteration - 1); } getElement();',
    'function compute() { return $.n+10; } compute();',
    'function scriptFun(){ if ($.n==1){return {testvalue: true}} else{return {testvalue: false}} } scriptFun();',
    "$.s == 'Hello' ? 'yes' : 'no'",
    'var sum = 0; for (var i = 0; i < $.list.length; i++) { sum += $.list[i]; } sum;',
    'let out = []; for (const row of $.rows) { if (row.id > 1) out.push(row.tag.toUpperCase()); } out',
    '$.rows.map(r => ({ id: r.id, label: `${r.tag}-${r.id}` })).filter(r => r.id > 1)',
    '$.rows.reduce((sum, r) => sum + r.id, 0)',
    "$.missing === undefined && $.map?.b?.c === 'deep' && $.map.x?.y === undefined && ($.nul ?? 'd') === 'd'",
    "switch ($.s) { case 'x': 1; break; case 'Hello': 2; break; default: 3; }",
    'Object.keys($.map).join(",") + JSON.stringify($.list) + Math.max(1, $.n) + parseInt("12px")',
    'var r = {}; for (var k in $.map) { r[k + "!"] = typeof $.map[k]; } r',
    '(() => { try { return $.n; } catch (e) { return -1; } })()',
    'var i = 0; while (true) { i++; if (i % 2) continue; if (i > 10) break; } i',
    '({...$.map, d: [...$.list, 4]})',
    '$.s.split("").map(c => c).join("|").replace("l", "L").replaceAll("|", "").trim().slice(1, -1).includes("e")',
    'var fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); fs.map(f => f())',
    'var c = (function f(n) { return n < 2 ? 1 : n * f(n - 1); })(10); c',
  ])('%s', (source) => {
    expect(agree(source)).toBe(true);
  });
});

describe('the value of a program', () => {
  it.each([
    '1; if (false) { 2; }', '1; var x = 2;', '1; {}', '1; {2;}', '1; function f() {}', '1; if (true) {}', '1; while (false);', '',
    'var i = 0; do { i++; "x" + i; } while (i < 3)', 'for (var i = 0; i < 2; i++) { i; }', '5; for (const a of []) { 6; }',
    '1; switch (2) { case 2: }', '1; try { 2; } catch (e) {}', '"use strict"; ', '1; for (var i = 0; i < 3; i++) { if (i == 1) break; i; }',
    'if ($.n) ; else 3;', 'var f = function() { 5; }; f()', ';', '3; ;', '(1, 2)', 'let a = 1; a += 2', 'var a = [1]; a[1] = 2; a',
  ])('%s', (source) => {
    expect(agree(source)).toBe(true);
  }); // prettier-ignore
});

describe('gives up', () => {
  it.each([
    '/x/.test($.s)', 'new Date()', 'Math.random()', 'Date.now()', 'eval("1")', 'globalThis', 'this', '$.constructor', '$.__proto__',
    '$["__proto__"]', '({__proto__: null})', '$.list.constructor', '"".constructor', '(function(){}).constructor("return 1")()', '$.n = 6',
    '$.list.push(4)', '$.map.b.c = 1', 'for(;;);', 'var s = "x"; for (;;) s += s', '(function f() { return f(); })()', 'throw 1', 'nosuch',
    'x; let x = 1', 'const c = 1; c = 2', '$.missing.x', '[3, 1].sort()', '2 ** 0.5', 'async () => 1', 'function* g() {} g()', 'class A {}',
    'undeclared = 1', '[1] + 2', '({}) + ""', '$.map > 1', 'var a = {}; a.a = a; a', '"x".repeat(1000000)', '$.n()', 'JSON.parse("{")', '$.big + 1',
    'var toString = 1; $.map.toString', '"é".toUpperCase()', '[].reduce((a, b) => a)', 'label: for (;;) break label', 'new Function("return 1")()',
    '`${$.map}`', 'var undefined = 1', 'function $() {}', 'arguments', '[..."ab"]', 'delete $.n', '$.n instanceof Object', 'with ($) n', '1n',
    'import("fs")', 'Number("123456789012345678")', '[].concat.apply([], [])', '$.list.length = 0', 'var a = []; a[5] = 1', 'get', 'let [a] = $.list; a',
    '[$.big].pop() + 1', '$.rows.forEach(r => { r.id = 2 })', 'JSON.stringify($)',
  ])('%s', (source) => {
    expect(inPlace(source)).toBeUndefined();
  }); // prettier-ignore

  it('and has not changed the input', () => {
    const before = structuredClone(input);
    for (const source of [
      '$.list.push(1)',
      '$.map.a = 2',
      'Object.assign($.map, {x: 1})',
      '$.list.reverse()',
      '$.n++',
    ]) {
      expect(inPlace(source)).toBeUndefined();
    }
    expect(input).toEqual(before);
  });

  it('within about a millisecond', () => {
    const attacks = [
      'for(;;);',
      'var s = "x"; for (;;) s += "x"',
      'var a = []; for (;;) a.push(a.slice())',
      'var a = [1]; for (;;) a = a.concat(a)',
    ];
    for (const source of attacks) inPlace(source);
    const begin = performance.now();
    for (const source of attacks) expect(inPlace(source)).toBeUndefined();
    expect(performance.now() - begin).toBeLessThan(200);
  });
});

describe('long integers', () => {
  it('are handed through with their digits', () => {
    expect(evaluateInPlace('[$].concat([])', () => 12345678901234567890n)).toBeUndefined();
    expect(inPlace('({ m: [...[1]], all: $ }).all.n')).toEqual({ value: 5 });
    expect(inPlace('({ all: $ })')).toEqual({ value: { all: input } });
  });
});

// Programs at random over the grammar in place, with what commonly goes wrong: coercions, missing
// members, truthiness. Kinds are mostly kept apart, because most programs would otherwise end in
// errors, which go to the other engine anyway.
const pick = (...items: string[]): fc.Arbitrary<string> => fc.constantFrom(...items);
const rarely = (common: fc.Arbitrary<string>, rare: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: rare });

interface Grammar {
  primitive: string;
  text: string;
  list: string;
  map: string;
  any: string;
}

const grammar = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => ({
  primitive: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    pick(
      '$.n',
      '$.z',
      '$.neg',
      '$.s',
      '$.e',
      '$.t',
      '$.f',
      '$.nul',
      '$.missing',
      'v',
      'w',
      '1',
      '0',
      '-1.5',
      '"10"',
      '"a"',
      'undefined',
      'NaN',
    ),
    fc
      .tuple(
        tie('primitive'),
        pick(
          '+',
          '-',
          '*',
          '/',
          '%',
          '<',
          '>',
          '<=',
          '>=',
          '==',
          '!=',
          '===',
          '!==',
          '&&',
          '||',
          '??',
          '&',
          '|',
          '^',
          '<<',
          '>>',
          '>>>',
        ),
        rarely(tie('primitive'), tie('any')),
      )
      .map(([a, operator, b]) => `((${a}) ${operator} (${b}))`),
    fc
      .tuple(tie('any'), pick('==', '!=', '===', '!=='), tie('any'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(pick('!', '-', '+', '~', 'typeof ', 'void '), rarely(tie('primitive'), tie('any')))
      .map(([operator, a]) => `(${operator}(${a}))`),
    fc
      .tuple(tie('any'), tie('primitive'), tie('primitive'))
      .map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    fc
      .tuple(tie('list'), rarely(pick('length', '[0]', '[1]', '[9]'), pick('x', '[-1]', '["1"]')))
      .map(([a, name]) => (name.startsWith('[') ? `${a}${name}` : `${a}.${name}`)),
    fc
      .tuple(tie('map'), rarely(pick('a', 'b', 'c', 'id'), pick('x', 'toString')))
      .map(([a, name]) => `${a}?.${name}`),
    fc.tuple(tie('primitive'), tie('text')).map(([a, b]) => `\`\${${a}}-\${${b}}\``),
    fc
      .tuple(
        pick(
          'Number',
          'String',
          'Boolean',
          'isNaN',
          'Math.round',
          'Math.floor',
          'Math.sign',
          'Number.isInteger',
        ),
        tie('primitive'),
      )
      .map(([name, a]) => `${name}(${a})`),
    fc.tuple(pick('parseInt', 'parseFloat'), tie('text')).map(([name, a]) => `${name}(${a})`),
    fc
      .tuple(pick('Math.max', 'Math.min'), tie('primitive'), tie('primitive'))
      .map(([name, a, b]) => `${name}(${a}, ${b})`),
    fc
      .tuple(
        tie('list'),
        pick(
          'join()',
          'indexOf(1)',
          'includes(2)',
          'size()',
          'isEmpty()',
          'contains("a")',
          'pop()',
          'get(0)',
        ),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc
      .tuple(tie('list'), pick('some', 'every', 'find', 'findIndex'), tie('primitive'))
      .map(([a, name, body]) => `${a}.${name}((v, w) => ${body})`),
    fc
      .tuple(tie('list'), tie('primitive'), tie('primitive'))
      .map(([a, body, start]) => `${a}.reduce((v, w) => ${body}, ${start})`),
    fc
      .tuple(tie('any'), tie('primitive'), tie('primitive'))
      .map(([a, b, c]) => `(function (v, w) { if (v) { return ${b}; } return ${c}; })(${a}, 2)`),
    fc
      .tuple(tie('primitive'), pick('=', '+=', '-=', '*='))
      .map(([a, operator]) => `(v ${operator} ${a})`),
    pick('v++', '--v', 'w++'),
    tie('text'),
  ),
  text: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('$.s', '$.e', '"abcabc"', '" 12px "', '"a,b"'),
    fc
      .tuple(
        tie('text'),
        pick(
          'slice(1)',
          'slice(-2, 4)',
          'trim()',
          'toUpperCase()',
          'toLowerCase()',
          'charAt(1)',
          'substring(3, 1)',
          'substr(-3, 2)',
          'repeat(2)',
          'padStart(8, "xy")',
          'padEnd(3)',
          'replace("a", "z")',
          'replaceAll("b", "")',
          'concat("q")',
        ),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc.tuple(tie('list'), tie('text')).map(([a, b]) => `${a}.join(${b})`),
    tie('any').map((a) => `(typeof ${a})`),
    tie('map').map((a) => `JSON.stringify(${a})`),
  ),
  list: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('$.list', '$.empty', '$.texts', '$.rows'),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.tuple(tie('list'), tie('any')).map(([a, b]) => `[...${a}, ${b}]`),
    fc
      .tuple(
        tie('list'),
        pick('slice(1)', 'slice(-1)', 'concat([1], 2)', 'filter(x => x)', 'map(x => [x])'),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc
      .tuple(tie('list'), pick('map', 'filter'), tie('any'))
      .map(([a, name, body]) => `${a}.${name}((v, w) => (${body}))`),
    fc.tuple(tie('text'), pick('","', '""', '"b"')).map(([a, b]) => `${a}.split(${b})`),
    fc
      .tuple(pick('Object.keys', 'Object.values', 'Object.entries'), tie('map'))
      .map(([name, a]) => `${name}(${a})`),
  ),
  map: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('$.map', '$.map.b', '$.loop', '$.rows[0]'),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `({ a: ${a}, "b": ${b} })`),
    fc
      .tuple(tie('map'), tie('text'), tie('any'))
      .map(([a, key, b]) => `({ ...${a}, [${key}]: ${b} })`),
    fc.tuple(tie('map'), tie('map')).map(([a, b]) => `Object.assign({}, ${a}, ${b})`),
    tie('map').map((a) => `JSON.parse(JSON.stringify(${a}))`),
  ),
  any: fc.oneof(tie('primitive'), tie('list'), tie('map'), fc.constant('(x => x)')),
}));
const { any, primitive, list, map } = grammar;
const statement = fc.oneof(
  any,
  fc.tuple(any, any, any).map(([a, b, c]) => `if (${a}) { ${b}; } else { ${c}; }`),
  fc
    .tuple(any, primitive)
    .map(([a, b]) => `for (let i = 0; i < 3; i++) { v = i; if (${b}) { break; } ${a}; }`),
  fc
    .tuple(primitive, primitive)
    .map(([a, b]) => `switch (${a}) { case ${b}: v; break; case 1: 5; default: w; }`),
  fc.tuple(list, primitive).map(([a, b]) => `for (const x of ${a}) { w = ${b}; }`),
  fc.tuple(primitive, any).map(([a, b]) => `var o = {}; o[${a}] = ${b}; o`),
  fc.tuple(list, any).map(([a, b]) => `var l = ${a}.slice(); l[0] = ${b}; l.push(1); l.reverse()`),
  map.map((a) => `var k = []; for (var key in ${a}) { k.push(key); } k`),
);
const program = fc
  .tuple(
    pick('1', '"x"', '$.n', '$.nul', '"7"'),
    pick('2', '$.s', 'undefined'),
    fc.array(statement, { minLength: 1, maxLength: 3 }),
  )
  .map(([v, w, statements]) => `var v = ${v}; let w = ${w}; ${statements.join('; ')}`);

describe('random programs', () => {
  it('give in place what the other engine gives', () => {
    let ran = 0;
    fc.assert(
      fc.property(program, (source) => {
        if (agree(source)) ran++;
      }),
      { numRuns: 500 },
    );
    // A generator that produces only what gives up would show nothing.
    expect(ran).toBeGreaterThan(80);
  });
});
