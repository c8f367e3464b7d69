// The sandbox with real worker processes: results, error texts, limits, and what a script can see
// (invariants S2). Attacks: script-attacks.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptRequest, ScriptResult } from '../../src/engine/script.js';
import type { Json } from '../../src/model/json.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { createSandbox, defaultSandboxSettings } from '../../src/sandbox/script-sandbox.js';
import { type BuiltWorker, buildWorker } from './built-worker.js';

let worker: BuiltWorker;
let sandbox: Sandbox;

beforeAll(() => {
  worker = buildWorker();
  sandbox = createSandbox({
    ...defaultSandboxSettings,
    scriptOutputBytesMax: 100_000,
    scriptWorkersMax: 1,
    workerUrl: worker.url,
  });
});

afterAll(async () => {
  await sandbox.stop();
  worker.remove();
});

function request(source: string, input: Json, language: ScriptRequest['language']): ScriptRequest {
  return { language, source, input: () => input };
}

function javascript(source: string, input: Json = {}): Promise<ScriptResult> {
  return sandbox.evaluate(request(source, input, 'javascript'));
}

function jq(source: string, input: Json = {}): Promise<ScriptResult> {
  return sandbox.evaluate(request(source, input, 'jq'));
}

describe('JavaScript in a worker', () => {
  it.each<[string, Json, Json]>([
    ['$.x + 1', { x: 3 }, 4],
    ['(function(){ return [1, "a", null]; })()', {}, [1, 'a', null]],
    ['if ($.l["iteration"] < $.n) { true; } else { false; }', { l: { iteration: 1 }, n: 3 }, true],
    [
      'var x = {a: undefined, f: function(){}, n: NaN, d: 3.0}; x',
      {},
      { a: null, f: {}, n: 'NaN', d: 3 },
    ],
    ['undefined', {}, null],
    ['(function(){})', {}, {}],
    ['[function(){}, undefined, 1 / 0]', {}, [{}, null, 'Infinity']],
    ['new Map([["a", 1]])', {}, { a: 1 }],
    ['Symbol("s")', {}, {}],
    ['$.list.get($.list.size() - 1)', { list: [1, 2] }, 2],
    ['Object.keys($.list)', { list: [7] }, ['0']],
    ['$.id', { id: 12345678901234567890n }, 12345678901234567890n],
    [
      '({all: [$.id], n: $.id > 5})',
      { id: 12345678901234567890n },
      { all: [12345678901234567890n], n: true },
    ],
    ['2n ** 70n', {}, 1180591620717411303424n],
    ['5n', {}, 5],
    ['new Date(0)', {}, {}],
    ['[new Date(0)]', {}, [{}]],
    ['"\\u00e9\\ud83d\\ude00"', {}, 'é😀'],
    ['/(\\d+)-(\\d+)/.exec($.s)[2]', { s: '10-20' }, '20'],
    ['let {a, ...rest} = $; rest', { a: 1, b: 2 }, { b: 2 }],
  ])('%s', async (source, input, expected) => {
    expect(await javascript(source, input)).toEqual({ kind: 'value', value: expected });
  });

  it.each([
    ['(function(){ throw new Error("bang"); })()', 'Error: bang'],
    ['throw "text"', 'text at line 1'],
    ['throw { a: 1 }', 'Error at line 1'],
    ['nosuch.thing > 1', 'ReferenceError: nosuch is not defined at line 1'],
    ['\n\n$.a.b.c', "TypeError: Cannot read property 'b' of undefined at line 3"],
  ])('%s fails', async (source, message) => {
    expect(await javascript(source)).toEqual({ kind: 'error', message });
  });

  it('names the line of a syntax error', async () => {
    const result = await javascript('1;\nfunction( {');
    expect(result).toMatchObject({
      kind: 'error',
      message: expect.stringMatching(/^SyntaxError: .* at line 2$/s) as string,
    });
  });

  it('hands only the members that are read', async () => {
    const result = await sandbox.evaluate({
      language: 'javascript',
      source: 'JSON.stringify($)',
      input: () => ({ a: 1, b: { c: 2, d: 3 }, l: [1], e: 5 }),
      reads: ['a', 'b.c', 'l.length', 'nosuch', 'x.y'],
    });
    expect(result).toEqual({ kind: 'value', value: '{"a":1,"b":{"c":2},"l":[1]}' });
  });
});

describe('what a script can see', () => {
  it('gives a promise as a map without content: nothing runs after the script', async () => {
    expect(await javascript('Promise.resolve(5)')).toEqual({ kind: 'value', value: {} });
    expect(await javascript('(async () => 5)()')).toEqual({ kind: 'value', value: {} });
  });

  it('lets scripts see the time and random numbers', async () => {
    const before = Date.now();
    const { value: now } = (await javascript('Date.now()')) as { value: number };
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
    const { value: random } = (await javascript('Math.random()')) as { value: number };
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
  });

  it('keeps nothing from one script to the next', async () => {
    await javascript(
      'globalThis.leak = 1; Object.prototype.polluted = 1; JSON.parse = null; Array.prototype.push = null; 1',
    );
    expect(await javascript('[typeof leak, ({}).polluted, typeof JSON.parse, [].push(1)]')).toEqual(
      {
        kind: 'value',
        value: ['undefined', null, 'function', 1],
      },
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('keeps the keys __proto__ and constructor as data', async () => {
    const input = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}') as Json;
    const result = await javascript('$', input);
    expect(result.kind === 'value' && JSON.stringify(result.value)).toBe(
      '{"__proto__":{"polluted":1},"constructor":2}',
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.each([
    'typeof process', 'typeof require', 'typeof fetch', 'typeof setTimeout', 'typeof console', 'typeof print', 'typeof load',
    'typeof std', 'typeof os', 'typeof importScripts', 'typeof WebAssembly', 'typeof Java', 'typeof Polyglot',
    '(() => {}).constructor("return typeof process")()',
    'this.constructor.constructor("return typeof process")()',
  ])('%s is undefined', async (source) => {
    expect(await javascript(source)).toEqual({ kind: 'value', value: 'undefined' });
  }); // prettier-ignore

  it('refuses modules', async () => {
    expect((await javascript('import("node:fs").then(x => x)')).kind).not.toBe('limit');
    expect((await javascript('import fs from "node:fs"; fs')).kind).toBe('error');
  });

  it('cannot disturb how its own result is written', async () => {
    const result = await javascript(
      'JSON.stringify = () => "[1,2"; Object.prototype.toJSON = () => 5; ({a: 1})',
    );
    expect(result).toEqual({ kind: 'value', value: 5 });
  });
});

describe('jq in a worker', () => {
  it.each<[string, Json, Json[]]>([
    ['.a[]', { a: [1, 2] }, [1, 2]],
    ['.a[]', { a: [] }, []],
    ['.a.b', { a: null }, [null]],
    ['.', { id: 12345678901234567890n }, [{ id: 12345678901234567890n }]],
  ])('%s', async (source, input, values) => {
    expect(await jq(source, input)).toEqual({ kind: 'value', value: values[0] ?? null, values });
  });

  it('reports errors and limits', async () => {
    expect(await jq('.a | error("boom")')).toEqual({ kind: 'error', message: 'boom' });
    expect((await jq('.[[')).kind).toBe('error');
    expect(await jq('"x" * 200000')).toMatchObject({ kind: 'limit' });
    expect(await jq('"x" * 1000000000')).toMatchObject({ kind: 'limit' });
    expect(await jq('[limit(100000000; repeat("xxxxxxxxxxxxxxxx"))] | length')).toMatchObject({
      kind: 'limit',
    });
    expect(await jq('env')).toEqual({ kind: 'value', value: {}, values: [{}] });
  });
});

describe('the pool', () => {
  it('answers what waits when it is stopped', async () => {
    const own = createSandbox({
      ...defaultSandboxSettings,
      scriptWorkersMax: 1,
      workerUrl: worker.url,
    });
    const running = [
      own.evaluate(request('for(;;);', {}, 'javascript')),
      own.evaluate(request('1', {}, 'javascript')),
    ];
    await own.stop();
    await own.stop();
    expect((await Promise.all(running)).map((result) => result.kind)).toEqual(['limit', 'limit']);
    expect((await own.evaluate(request('1', {}, 'javascript'))).kind).toBe('limit');
  });

  it('tells instead of trying for ever when its processes do not start', async () => {
    const broken = createSandbox({
      ...defaultSandboxSettings,
      workerUrl: new URL('file:///nonexistent.js'),
    });
    expect(await broken.evaluate(request('1', {}, 'javascript'))).toMatchObject({ kind: 'limit' });
    await broken.stop();
  });

  it('asks for the input once, in place and in the worker together', async () => {
    let asked = 0;
    const once: ScriptRequest = {
      language: 'javascript',
      source: '/x/.test($.s)',
      input: () => {
        asked++;
        return { s: 'x' };
      },
    };
    const both: ScriptRequest = { ...once, source: 'var y = $.s; y.match(/x/)[0]' };
    for (const each of [once, both]) expect(sandbox.tryInPlace(each)).toBeUndefined();
    expect(await sandbox.evaluate(both)).toEqual({ kind: 'value', value: 'x' });
    expect(asked).toBe(1);
  });
});
