// Scripts that attack the sandbox with real worker processes: each ends with an error or a limit,
// the next script runs, and no process is left behind (invariants S2, S5).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptRequest, ScriptResult } from '../../src/engine/script.js';
import type { Json } from '../../src/model/json.js';
import { isAlive } from '../../src/redis/data-folder.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { createSandbox, defaultSandboxSettings } from '../../src/sandbox/script-sandbox.js';
import { until } from '../../testkit/until.js';
import { type BuiltWorker, buildWorker } from './built-worker.js';

/** For what takes a moment on an idle machine. */
const patienceMs = 30_000;

let worker: BuiltWorker;
/** Its limit is so short that a machine under load may refuse a good script once. */
let hasty: Sandbox;

beforeAll(() => {
  worker = buildWorker();
  hasty = createSandbox({
    ...defaultSandboxSettings,
    scriptTimeMsMax: 250,
    scriptOutputBytesMax: 100_000,
    scriptWorkersMax: 1,
    workerUrl: worker.url,
  });
});

afterAll(async () => {
  await hasty.stop();
  worker.remove();
});

function request(source: string, input: Json, language: ScriptRequest['language']): ScriptRequest {
  return { language, source, input: () => input };
}

function javascript(source: string): Promise<ScriptResult> {
  return hasty.evaluate(request(source, {}, 'javascript'));
}

/** The sandbox runs scripts; under load a good one may need several tries. */
async function expectStillWorks(): Promise<void> {
  const works = async (): Promise<boolean> => (await javascript('1')).kind === 'value';
  await until('the next script', works, { timeoutMs: patienceMs });
}

describe('attacks', { timeout: 2 * patienceMs }, () => {
  it.each([
    ['var a = []; for (;;) a.push(new Array(100000).fill(0))'],
    ['var s = "x"; for (;;) s += s'],
    ['new Array(1e9).fill(1)'],
    ['"x".repeat(1 << 29)'],
    ['(function f() { f(); })()'],
    ['"x".repeat(200000)'],
    ['while (true) { try { for (;;); } catch (e) {} finally { continue; } }'],
    ['var o = {}; o.o = o; o'],
    ['var o = {}; for (var i = 0; i < 100000; i++) o = {o: o}; o'],
    ['new Uint8Array(1 << 30)'],
  ])('%s ends in an error or a limit', async (source) => {
    const result = await javascript(source);
    expect(['error', 'limit']).toContain(result.kind);
    await expectStillWorks();
  });

  it.each([
    ['new Proxy({}, { get() { for (;;); } })', 'limit'],
    ['new Proxy([], { get: (t, k) => (k === "length" ? 1e9 : k) })', 'limit'],
    ['({ get x() { throw new Error("seen") } })', 'error'],
    ['(function f() { return Promise.resolve().then(f); })(); for (;;);', 'limit'],
    ['(async () => { for (;;); })()', 'limit'],
    ['/(x+x+)+y/.test("x".repeat(40))', 'limit'],
    ['"a".repeat(60).match(/^(a|aa)+$(?!.)b/)', 'limit'],
    ['JSON.parse("[".repeat(1e6))', 'error'],
    ['eval("(".repeat(1e5))', 'error'],
    ['Object.defineProperty(globalThis, "$", { get() { for (;;); } }); $', 'limit'],
    ['Object.freeze(Object.prototype); Array.prototype.map = 5; for (;;);', 'limit'],
  ])('%s ends as %s', async (source, kind) => {
    const result = await javascript(source);
    // A script that fails at once may be too slow for the limit under load.
    expect([kind, 'error', 'limit']).toContain(result.kind);
    await expectStillWorks();
  });
});

describe('one worker', () => {
  let single: Sandbox;

  beforeAll(() => {
    single = createSandbox({
      ...defaultSandboxSettings,
      scriptTimeMsMax: 1500,
      scriptWorkersMax: 1,
      workerUrl: worker.url,
    });
  });

  afterAll(() => single.stop());

  function run(source: string): Promise<ScriptResult> {
    return single.evaluate(request(source, {}, 'javascript'));
  }

  it('interrupts an endless loop and goes on with the next script', async () => {
    const results = await Promise.all([run('for(;;);'), run('1 + 1')]);
    expect(results).toEqual([
      { kind: 'limit', message: 'Script not evaluated within 1.5 seconds, interrupted.' },
      { kind: 'value', value: 2 },
    ]);
  });

  it('kills a process that cannot be interrupted and runs the waiting scripts in a new one', async () => {
    const results = await Promise.all([
      run('/^(a+)+$/.test("a".repeat(60) + "!")'),
      single.evaluate(request('def f: f | f; f', {}, 'jq')),
      run('"still here"'),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['limit', 'limit', 'value']);
  });
});

describe('two workers', () => {
  it('does not keep other scripts waiting behind those that use all their time', async () => {
    const own = createSandbox({
      ...defaultSandboxSettings,
      scriptTimeMsMax: 600,
      scriptWorkersMax: 2,
      workerUrl: worker.url,
    });
    const run = (source: string): Promise<ScriptResult> =>
      own.evaluate(request(source, {}, 'javascript'));
    try {
      // The source is known for a long one after its first time.
      expect(await run('for (;;);')).toMatchObject({ kind: 'limit' });
      let attacksEnded = 0;
      const attacks = Array.from({ length: 4 }, () =>
        run('for (;;);').finally(() => attacksEnded++),
      );
      expect(await run('/x/.test("x")')).toEqual({ kind: 'value', value: true });
      expect(attacksEnded).toBeLessThan(3);
      expect(new Set((await Promise.all(attacks)).map(({ kind }) => kind))).toEqual(
        new Set(['limit']),
      );
    } finally {
      await own.stop();
    }
  });
});

describe('a heap that is full', () => {
  let patient: Sandbox;

  beforeAll(() => {
    patient = createSandbox({ ...defaultSandboxSettings, workerUrl: worker.url });
  });

  afterAll(() => patient.stop());

  it.each([
    '[limit(100000000; repeat("xxxxxxxxxxxxxxxx"))] | length',
    '[limit(1000; repeat("x" * 16000000 | ascii_downcase))] | length',
    '[range(100000000)] | map(tostring) | add | length',
  ])('ends %s with the limit and the process of the worker only', async (source) => {
    const [attack, other] = await Promise.all([
      patient.evaluate(request(source, null, 'jq')),
      patient.evaluate(request('.', 'unharmed', 'jq')),
    ]);
    expect(attack.kind).toBe('limit');
    expect(other).toMatchObject({ kind: 'value', value: 'unharmed' });
    expect(await patient.evaluate(request('1', null, 'jq'))).toMatchObject({ kind: 'value' });
  });
});

describe('a worker process', () => {
  /** Starts a parent with a worker that is busy with a pattern that nothing interrupts. */
  async function startParent(): Promise<{ parent: ChildProcess; workerPid: number }> {
    const job = JSON.stringify({
      language: 'javascript',
      source: '/^(a+)+$/.test("a".repeat(64) + "!")',
      inputText: '{}',
      timeMsMax: 60_000,
      memoryBytesMax: 16 * 1024 * 1024,
      outputCharsMax: 1000,
    });
    const program = `
      const child = require('node:child_process').fork(process.argv[1], { serialization: 'advanced' });
      child.once('message', () => child.send(${job}, () => console.log(child.pid)));
    `;
    const args = ['-e', program, fileURLToPath(worker.url)];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    return { parent, workerPid: Number(pid.toString()) };
  }

  it('ends with a server that was killed, whatever it is doing', async () => {
    const { parent, workerPid } = await startParent();
    expect(isAlive(workerPid)).toBe(true);
    parent.kill('SIGKILL');
    await until('the end of the worker', () => !isAlive(workerPid));
  });

  it('leaves signals to the whole group to the server', async () => {
    const { parent, workerPid } = await startParent();
    try {
      process.kill(workerPid, 'SIGINT');
      process.kill(workerPid, 'SIGTERM');
      expect(isAlive(workerPid)).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
    await until('the end of the worker', () => !isAlive(workerPid));
  });
});
