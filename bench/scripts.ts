// Cost of expressions and user scripts for the server's thread: templates, scripts and jq in place,
// and round trips to a worker process. Run: node bin/tool.mjs bench/scripts
import { checkSyntax } from '../src/sandbox/check-syntax.js';
import type { ExpressionDocument } from '../src/engine/expression/document.js';
import { compileTemplate, evaluateTemplate } from '../src/engine/expression/template.js';
import type { ScriptRequest } from '../src/engine/script.js';
import type { Json, JsonMap } from '../src/model/json.js';
import { createSandbox, defaultSandboxSettings } from '../src/sandbox/script-sandbox.js';

const input: JsonMap = {
  n: 5,
  case: 'big',
  loop: { iteration: 2 },
  list: Array.from({ length: 20 }, (_, i) => ({ id: i, name: `item ${i}` })),
};

const scripts: [name: string, language: ScriptRequest['language'], source: string][] = [
  ['loop condition', 'javascript', "if ($.loop['iteration'] < $.n) { true; } else { false; }"],
  ['case expression', 'javascript', "$.n > 3 ? 'big' : 'small'"],
  [
    'list to list',
    'javascript',
    '$.list.filter(i => i.id > 5).map(i => ({ id: i.id, n: i.name }))',
  ],
  [
    'wrapper function',
    'javascript',
    "(function () { var d = $.list[0]; return { id: d.id, text: 'item ' + d.name }; })()",
  ],
  ['named function', 'javascript', 'function f() { return $.n + 10; } f();'],
  [
    'if and return',
    'javascript',
    "(function () { if ($.n > 3) { return 'big'; } else { return 'small'; } })()",
  ],
  [
    'loop over 20',
    'javascript',
    'var sum = 0; for (var i = 0; i < $.list.length; i++) { sum += $.list[i].id; } sum',
  ],
  ['for of 20', 'javascript', 'let s = 0; for (const row of $.list) { s += row.id; } s'],
  ['while 20', 'javascript', 'var i = 0; while (i < 20) { i++; } i'],
  [
    'switch',
    'javascript',
    "switch ($.case) { case 'small': 1; break; case 'big': 2; break; default: 3; }",
  ],
  ['assignment', 'javascript', 'var r = {}; r.a = $.n; r.b = 2; r'],
  ['named recursion', 'javascript', '(function f(n) { return n < 2 ? 1 : n * f(n - 1); })($.n)'],
  ['try', 'javascript', '(function () { try { return $.n; } catch (e) { return -1; } })()'],
  ['jq field', 'jq', '.list[0].name'],
  ['jq list to list', 'jq', '[.list[] | select(.id > 5) | {id, n: .name}]'],
];

/** Microseconds per call. */
function measure(call: () => void, rounds = 20_000): number {
  for (let i = 0; i < rounds / 4; i++) call();
  const begin = performance.now();
  for (let i = 0; i < rounds; i++) call();
  return ((performance.now() - begin) * 1000) / rounds;
}

function report(name: string, us: number): void {
  process.stdout.write(`${name.padEnd(44)} ${us.toFixed(2).padStart(10)} us\n`);
}

function documentOf(fields: { [field: string]: Json }): ExpressionDocument {
  const view = { field: (name: string) => fields[name] };
  const unknown = (): undefined => undefined;
  const workflow = (name: string): Json | undefined => fields[name];
  return { workflow, task: () => view, environment: unknown, environmentVariable: unknown };
}

const template = compileTemplate({
  a: '${workflow.input.n}',
  b: '${t1.output.list[0].name}',
  c: 'text ${workflow.input.case}',
  d: { e: [1, 2, 3] },
});
const document = documentOf({ input, output: input });
report(
  'template of 3 expressions',
  measure(() => void evaluateTemplate(template, document), 200_000),
);

const sandbox = createSandbox({
  ...defaultSandboxSettings,
  workerUrl: new URL('../../sandbox/script-worker.js', import.meta.url),
});
for (const [name, language, source] of scripts) {
  const request = (): ScriptRequest => ({ language, source, input: () => input });
  if (checkSyntax(language, source) !== undefined) throw new Error(`${name} does not parse`);
  if (sandbox.tryInPlace(request()) !== undefined) {
    report(
      `${name}, in place`,
      measure(() => void sandbox.tryInPlace(request())),
    );
  }
  await sandbox.evaluate(request());
  const rounds = 500;
  const begin = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) await sandbox.evaluate(request());
  const { user, system } = process.cpuUsage(before);
  report(`${name}, in a worker, elapsed`, ((performance.now() - begin) * 1000) / rounds);
  report(`${name}, in a worker, processor of the server`, (user + system) / rounds);
}
await sandbox.stop();
