// Outputs leave executions in one place only (invariants M4): what can let one out of the process
// is called in src/shard/output-release.ts and nowhere else.
import { expect, it } from 'vitest';
import { readModules } from './source-tree.js';

const wayOut = 'src/shard/output-release.ts';
/** Calls that let an output out, as they are written. */
const calls = [
  /\bdispatch\.(release|requeue|withdraw|extend)\(/,
  /\bmessages\?*\.deliver\(/,
  /\bdelivery\?*\.deliver\(/,
  /\bsystemTasks\?*\.(run|cancel)\(/i,
];

it('lets outputs out of executions in one place only', () => {
  const inShard = readModules('src/shard');
  for (const call of calls.slice(0, 2).concat(calls.slice(3))) {
    const text = inShard.find(({ path }) => path === wayOut)?.text ?? '';
    expect(text, String(call)).toMatch(call);
  }
  const elsewhere = inShard
    .filter(({ path }) => path !== wayOut)
    .flatMap(({ path, text }) => calls.filter((call) => call.test(text)).map(() => path));
  expect(elsewhere).toEqual([]);
});

it('has one caller of that place, behind the gate', () => {
  const callers = readModules('src')
    .filter(({ text }) => /\boutputs\.release\(/.test(text))
    .map(({ path }) => path);
  expect(callers).toEqual(['src/shard/commit-pipeline.ts']);
});

it('reaches the queues of the store from executions only through the hub', () => {
  const pushing = readModules('src/shard')
    .filter(({ text }) => /\bqueues\s*\.(push|finish)\(/.test(text))
    .map(({ path }) => path);
  expect(pushing).toEqual([]);
});
