// `npm test [-- KIND] [FILE ...]`: prepares a fresh clone (packages, redis-server, build) and runs
// the tests that prove the change (lib/tiers.mjs), with --all all of them, those of one kind (unit,
// long, redis, broker, server: docs/testing.md), or those of the given files and folders. It ends
// with one line "N passed, N failed" (", N skipped" follows where tests were skipped). With CI=true
// passed tests are not listed, and a failed one gets a second try; the names of those that failed,
// once or for good, come at the end.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { usageOf } from './lib/options.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { buildServer, ensureRedisServer } from './lib/prepare.mjs';
import { projectRoot, runToEnd } from './lib/run.mjs';
import {
  changeSinceLanding,
  chooseGroups,
  describeChoice,
  noteWholeRun,
  tierGroups,
} from './lib/tiers.mjs';

const kinds = ['unit', 'long', 'redis', 'broker', 'server'];
/** Of a failure, as it is listed at the end. */
const messageCharsMax = 1500;
const withoutRedis = ['unit', 'long'];
const args = process.argv.slice(2);
if (args.includes('--help')) {
  const about =
    'Runs the tests that prove the change, all (--all), those of one kind, or those of files.';
  const positional = `[--all] [${kinds.join('|')}] [FILE ...] [options of vitest, such as -t NAME]`;
  console.log(usageOf({ command: 'npm test --', about, options: {}, positional }));
  process.exit(0);
}
const isAll = args.includes('--all');
if (isAll) args.splice(args.indexOf('--all'), 1);
const kind = kinds.includes(args[0]) ? args.shift() : undefined;
// Who names a kind or files gets all of them.
const isTiered = !isAll && kind === undefined && args.every((arg) => arg.startsWith('-'));
const leftOut = isTiered ? groupsLeftOut() : [];

ensurePackages();
if (!withoutRedis.includes(kind)) await ensureRedisServer();
if (kind === undefined || kind === 'server') buildServer();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'downbeat-test-'));
const report = path.join(folder, 'report.json');
// What tests tell of themselves (test/support/figures.ts), for where the output of passed ones is
// not shown.
const figures = path.join(folder, 'figures.txt');
const isListed = process.env.CI !== 'true';
const exitCode = await runToEnd(
  process.execPath,
  [
    path.join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...(isListed ? ['--reporter=default'] : ['--reporter=minimal', '--no-color']),
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(kind === undefined ? [] : ['--project', kind]),
    ...args,
  ],
  {
    env: {
      ...process.env,
      ...(isListed ? {} : { DOWNBEAT_TEST_FIGURES: figures }),
      DOWNBEAT_TEST_LEFT_OUT: leftOut.flatMap(({ files }) => files).join(','),
    },
  },
);
if (fs.existsSync(figures)) console.log(fs.readFileSync(figures, 'utf8'));
const { passed, failed, skipped, failedNames, unsteadyNames } = countsOf(report);
fs.rmSync(folder, { recursive: true, force: true });
// A file that does not load has no tests to fail, and still is a failure; so is a runner that ended
// early.
const failures = failed === 0 && exitCode !== 0 ? 1 : failed;
const skips = skipped > 0 ? `, ${skipped} skipped` : '';
for (const name of unsteadyNames) console.log(`failed once, then passed: ${name}`);
for (const name of failedNames) console.log(`failed: ${name}`);
console.log(`\n${passed} passed, ${failures} failed${skips}`);
if (isAll && failures === 0) noteWholeRun(passed);
process.exitCode = failures === 0 ? 0 : 1;

/** The groups of test/tiers.json that the change does not touch; says which they are. */
function groupsLeftOut() {
  const change = changeSinceLanding();
  const choice = chooseGroups(tierGroups(), change);
  console.log(describeChoice(choice, change));
  return choice.leftOut;
}

/** Numbers of tests; a test file that could not be loaded counts as one failure. */
function countsOf(file) {
  if (!fs.existsSync(file)) {
    return { passed: 0, failed: 1, skipped: 0, failedNames: [], unsteadyNames: [] };
  }
  const { testResults, ...counts } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const unloaded = testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  );
  return {
    passed: counts.numPassedTests,
    failed: counts.numFailedTests + unloaded.length,
    skipped: counts.numPendingTests + counts.numTodoTests,
    failedNames: testResults.flatMap((result) => [
      ...(unloaded.includes(result) ? [result.name] : []),
      ...result.assertionResults
        .filter((test) => test.status === 'failed')
        .map((test) => withReason(result.name, test)),
    ]),
    unsteadyNames: testResults.flatMap((result) =>
      result.assertionResults
        .filter((test) => test.status === 'passed' && test.failureMessages.length > 0)
        .map((test) => withReason(result.name, test)),
    ),
  };
}

function withReason(file, { fullName, failureMessages }) {
  return `${file} > ${fullName}: ${messageOf(failureMessages)}`;
}

/** Without the stack; enough of it for the seed and the example of a property. */
function messageOf(messages) {
  const [message] = String(messages[0]).split(/\n\s+at /);
  return message.replaceAll('\n', ' ').slice(0, messageCharsMax);
}
