// Scripts in place: what they cover, that they give up on the rest, and that they never differ from
// the engine of the workers.
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { parseJson } from '../../src/model/json-text.js';
import { evaluateInPlace } from '../../src/sandbox/in-place/evaluate.js';
import { JavaScriptRunner } from '../../src/sandbox/run-javascript.js';
import { processorMs } from '../support/work-meanwhile.js';
import { tell } from '../support/figures.js';
import { sharedFolder } from '../../testkit/project.js';
import { randomScript } from './random-scripts.js';

let runner: JavaScriptRunner;

beforeAll(async () => {
  runner = await JavaScriptRunner.load();
});

const input: Json = {
  n: 5, z: 0, neg: -2.5, s: 'Hello', e: '', t: true, f: false, nul: null, list: [3, 1, 2], empty: [], texts: ['b', 'a'],
  map: { a: 1, b: { c: 'deep' } }, loop: { iteration: 2 }, rows: [{ id: 1, tag: 'x' }, { id: 2, tag: 'y' }], big: 90071992547409931n,
}; // prettier-ignore

/** A list of a hundred. */
const many = '"x".repeat(100).split("")';

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
    '(() => $.n * 2)()',
    '(function f() { return $.n * 2; })()',
    "(function() { var d = $.map; return { summary: 'Host ' + d.a + ' responded in ' + d.b.c, host: d.b.c }; })()",
    'function getElement() { return $.list.get($.loop.iteration - 1); } getElement();',
    'function compute() { return $.n+10; } compute();',
    'function scriptFun(){ if ($.n==1){return {testvalue: true}} else{return {testvalue: false}} } scriptFun();',
    'function a() { return b() + 1; } function b() { return $.n; } a()',
    "$.s == 'Hello' ? 'yes' : 'no'",
    '$.rows.map(r => ({ id: r.id, label: `${r.tag}-${r.id}` })).filter(r => r.id > 1)',
    '$.rows.map(r => $.rows.filter(s => s.id > r.id).length)',
    '$.rows.reduce((sum, r) => sum + r.id, 0)',
    "$.missing === undefined && $.map?.b?.c === 'deep' && $.map.x?.y === undefined && ($.nul ?? 'd') === 'd'",
    'Object.keys($.map).join(",") + JSON.stringify($.list) + Math.max(1, $.n) + parseInt("12px")',
    '({...$.map, d: [...$.list, 4]})',
    '$.s.split("").map(c => c).join("|").replace("l", "L").replaceAll("|", "").trim().slice(1, -1).includes("e")',
    '(function () { if ($.n > 3) { var big = "big"; return big; } return "small"; })()',
    '$.n == "5" && $.t == 1 && $.nul == undefined && !($.s == 1)',
  ])('%s', (source) => {
    expect(agree(source)).toBe(true);
  });
});

/** Scripts in the definitions of other people that lie beside the project on some machines. */
function sharedScripts(): string[] {
  const folder = path.join(sharedFolder, 'inputs');
  if (!fs.existsSync(folder)) return [];
  const found: string[] = [];
  for (const name of fs.readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'), collectScripts);
  }
  return found;

  function collectScripts(this: { evaluatorType?: unknown }, key: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    if (key === 'loopCondition' || (key === 'expression' && isJavaScript(this.evaluatorType))) {
      found.push(value);
    }
    if (key === 'scriptExpression') found.push(`(function(){${value}})();`);
    return value;
  }
}

function isJavaScript(evaluatorType: unknown): boolean {
  return evaluatorType === 'javascript' || evaluatorType === 'graaljs';
}

describe.skipIf(sharedScripts().length === 0)('the wrappers of ../shared/inputs', () => {
  const loop = { iteration: 1 };
  const given: Json = {
    loopTask: loop, LoopTask: loop, value: 2, list: ['a', 'b'], iterator: 1, param: 1, number: 5,
    input: { a: 1 }, data: { hostName: 'h', apiRandomDelay: '1 ms', randomInt: 7 },
  }; // prettier-ignore

  it.each(sharedScripts())('%s stays in place', (source) => {
    expect(evaluateInPlace(source, () => given)).toMatchObject({ kind: 'value' });
  });
});

describe('the value of a program', () => {
  it.each([
    '1; if (false) { 2; }', '1; var x = 2;', '1; {}', '1; {2;}', '1; function f() {}', '1; if (true) {}', '',
    '"use strict"; ', 'if ($.n) ; else 3;', 'var f = function() { 5; }; f()', ';', '3; ;', 'if ($.n) { 1; 2 } else 3',
    '1; { let a = 2; a; }', '1; { let a = 2; }', 'if ($.z) 1', '4; if ($.n) { var q = 5; }', '(function () {})()',
  ])('%s', (source) => {
    expect(agree(source)).toBe(true);
  }); // prettier-ignore
});

describe('goes to the worker', () => {
  it.each([
    'var sum = 0; for (var i = 0; i < $.list.length; i++) { sum += $.list[i]; } sum;',
    'let out = []; for (const row of $.rows) { out = [...out, row]; } out',
    'for (var k in $.map) { k }',
    'var i = 0; while (i < 10) i++; i',
    'var i = 0; do { i++; } while (i < 3)',
    "switch ($.s) { case 'x': 1; break; default: 3; }",
    '(() => { try { return $.n; } catch (e) { return -1; } })()',
    '(function f(n) { return n < 2 ? 1 : n * f(n - 1); })(10)',
    'function f(n) { return n < 2 ? 1 : n * f(n - 1); } f(3)',
    'function f(g) { return g(g); } f(f)',
    'function a() { return b(); } function b() { return $.n ? a() : 1; } a()',
    'var r = {}; r.a = 1; r',
    'let a = 1; a += 2',
    'var i = 0; i++',
    '[1].push(2)',
    '(1, 2)',
    'var x = 1; var x = 2; x',
  ])('%s', (source) => {
    expect(inPlace(source)).toBeUndefined();
    expect(inQuickJs(source)).toHaveProperty(
      source.includes('(f)') || source.includes('a() : 1') ? 'failed' : 'value',
    );
  });
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

  it('after as much work as a script may do here', () => {
    const attacks = [
      '$.rows.map(a => $.rows.map(b => $.rows.map(c => $.rows.map(d => 1))))'.replaceAll(
        '$.rows',
        many,
      ),
      `${many}.map(x => ${many}.join(""))`,
      `${many}.map(x => JSON.stringify(${many}))`,
      `${'(x => [x, x])('.repeat(40)}1${')'.repeat(40)}`,
    ];
    const msOf = (source: string): number =>
      Math.min(
        ...Array.from({ length: 10 }, () =>
          processorMs(() => expect(inPlace(source)).toBeUndefined()),
        ),
      );
    // All are given up after the same work, and not when they end.
    const each = attacks.map(msOf);
    expect(Math.max(...each)).toBeLessThan(100 * Math.min(...each));
  });
});

describe('long integers', () => {
  it('are handed through with their digits', () => {
    expect(evaluateInPlace('[$].concat([])', () => 12345678901234567890n)).toBeUndefined();
    expect(inPlace('({ m: [...[1]], all: $ }).all.n')).toEqual({ value: 5 });
    expect(inPlace('({ all: $ })')).toEqual({ value: { all: input } });
  });
});

describe('random scripts', () => {
  it('give in place what the other engine gives', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    tell(`random scripts: seed ${seed}`);
    let ran = 0;
    fc.assert(
      fc.property(randomScript, (source) => {
        if (agree(source)) ran++;
      }),
      { numRuns: 700, seed },
    );
    // A generator that produces only what gives up would show nothing.
    expect(ran).toBeGreaterThan(150);
  });
});
