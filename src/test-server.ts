// The process of a test server: a server whose clock can be moved, on a port of its own, with a
// store in a temporary folder that goes with it. It ends when the process that started it ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { retentionSecondsMax } from './model/retention.js';
import { runServer } from './server/run-server.js';
import { testSetupOf } from './server/test-words.js';

const lookAtParentEveryMs = 250;

const given = process.argv.slice(2);
const isQuestion = given.some((word) => ['--help', '-h', '--version'].includes(word));
const { setup, words, refusal } = testSetupOf(given);
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(2);
}
if (!isQuestion) {
  // Before the first await: a parent that ends meanwhile is noticed all the same.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, lookAtParentEveryMs).unref();
  const folder = mkdtempSync(path.join(tmpdir(), 'downbeat-test-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const first = ['--port', '0', '--shards', '4', '--append-fsync', 'everysec'];
  // A test looks at what ended months ago by its clock: with the week that servers keep, it would
  // be gone whenever a sweep, which runs by real time, came before the test had looked.
  first.push('--retention-seconds', String(retentionSecondsMax));
  process.argv.splice(2, given.length, ...withoutGiven(first, words), ...words);
  process.argv.push('--data-dir', folder, '--redis-url', '');
}
export const started = runServer({ test: setup });

/** Pairs of name and value whose name is not among the words given. */
function withoutGiven(pairs: readonly string[], words: readonly string[]): string[] {
  const isGiven = (name: string): boolean =>
    words.some((word) => word === name || word.startsWith(`${name}=`));
  return pairs.filter((_, i) => !isGiven(pairs[i - (i % 2)] as string));
}
