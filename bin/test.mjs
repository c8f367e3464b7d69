// `npm test [-- KIND] [FILE ...]`: prepares a fresh clone (packages, redis-server, build) and runs
// the tests that prove the change (lib/tiers.mjs), with --all all of them, those of one kind (unit,
// long, redis, broker, server: docs/testing.md), or those of the given files and folders. It ends
// with one line "N passed, N failed" (", N skipped" follows where tests were skipped). With CI=true
// passed tests are not listed, a failed one gets a second try, and files that still fail a third one
// with nothing beside them; the names of those that failed, once or for good, come at the end.
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
  describeSeconds,
  noteWholeRun,
  readTiers,
} from './lib/tiers.mjs';

const kinds = ['unit', 'long', 'redis', 'broker', 'server'];
/** Of a failure, as it is listed at the end. */
const messageCharsMax = 1500;
/** More files than these fail of the change, not of a busy machine. */
const filesTriedAgainMax = 6;
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
const tiers = readTiers();
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
const exitCode = await runTests(args, report);
if (fs.existsSync(figures)) console.log(fs.readFileSync(figures, 'utf8'));
if (isTiered || isAll) sayHowLong(report);
const counts = countsOf(report);
const unhandled = unhandledIn(report);
const alone = isListed || unhandled.length > 0 ? [] : await passedAlone(counts.failedTests);
fs.rmSync(folder, { recursive: true, force: true });
const passed = counts.passed + alone.length;
const failed = counts.failed - alone.length;
// A file that does not load has no tests to fail, and still is a failure; so is a runner that ended
// early.
const failures = counts.failed === 0 && exitCode !== 0 ? 1 : failed;
const skips = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
for (const { line } of counts.unsteadyTests) console.log(`failed once, then passed: ${line}`);
for (const { line } of alone) console.log(`failed beside others, passed alone: ${line}`);
for (const test of counts.failedTests) {
  if (!alone.includes(test)) console.log(`failed: ${test.line}`);
}
for (const sentence of unhandled)
  console.log(`an error that no test caught: ${messageOf([sentence])}`);
console.log(`\n${passed} passed, ${failures} failed${skips}`);
if (isAll && failures === 0) noteWholeRun(passed);
process.exitCode = failures === 0 ? 0 : 1;

/** Runs vitest with arguments of its own; its counts go into `file`. Resolves with its exit code. */
function runTests(ofVitest, file) {
  return runToEnd(
    process.execPath,
    [
      path.join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...(isListed ? ['--reporter=default'] : ['--reporter=minimal', '--no-color']),
      '--reporter=json',
      `--reporter=${path.join(projectRoot, 'bin', 'lib', 'unhandled-errors.mjs')}`,
      `--outputFile.json=${file}`,
      ...(kind === undefined ? [] : ['--project', kind]),
      ...ofVitest,
    ],
    {
      env: {
        ...process.env,
        ...(isListed ? {} : { DOWNBEAT_TEST_FIGURES: figures }),
        DOWNBEAT_TEST_UNHANDLED: unhandledFileOf(file),
        DOWNBEAT_TEST_LEFT_OUT: leftOut.flatMap(({ files }) => files).join(','),
      },
    },
  );
}

/**
 * The failed tests that pass when their files run once more with nothing beside them: the machine
 * was too busy for them, which is a defect of theirs and no reason to keep others from landing. A
 * torture or the simulation gets no other try, many failed files are no accident, and nobody knows
 * which test an error that none caught belongs to.
 */
async function passedAlone(failedTests) {
  const files = [...new Set(failedTests.map(({ file }) => file))];
  const isFinal = files.some((file) => /[/\\]test[/\\](torture|simulation)[/\\]/.test(file));
  if (files.length === 0 || files.length > filesTriedAgainMax || isFinal) return [];
  console.log(`once more, with nothing beside them: ${files.join(', ')}`);
  const again = path.join(folder, 'again.json');
  await runTests([...args, ...files, '--maxWorkers=1'], again);
  if (unhandledIn(again).length > 0) return [];
  const names = new Set(countsOf(again).passedTests.map(({ file, name }) => `${file} > ${name}`));
  return failedTests.filter(({ file, name }) => names.has(`${file} > ${name}`));
}

function unhandledFileOf(report) {
  return `${report}.unhandled`;
}

/** The errors of the run with this report that no test caught. */
function unhandledIn(report) {
  const file = unhandledFileOf(report);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
}

/** The groups of test/tiers.json that do not run with the change; says which they are. */
function groupsLeftOut() {
  const change = changeSinceLanding();
  const choice = chooseGroups(tiers, change);
  console.log(describeChoice(choice, change));
  return [...choice.beyond, ...choice.untouched];
}

/** Says how long each group took, so that stale figures are seen. */
function sayHowLong(file) {
  if (!fs.existsSync(file)) return;
  console.log(describeSeconds(tiers, JSON.parse(fs.readFileSync(file, 'utf8')).testResults));
}

/**
 * Numbers of tests, and those that passed, failed, or failed once: each with its file, its name and
 * a line that says why it failed. A test file that could not be loaded counts as one failure.
 */
function countsOf(file) {
  const none = { passedTests: [], failedTests: [], unsteadyTests: [] };
  if (!fs.existsSync(file)) return { passed: 0, failed: 1, skipped: 0, ...none };
  const { testResults, ...counts } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const unloaded = testResults
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
    .map(({ name }) => ({ file: name, name: '', line: name }));
  const tests = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => {
      const reason = failureMessages.length > 0 ? messageOf(failureMessages) : '';
      return { file, name: fullName, status, reason, line: `${file} > ${fullName}: ${reason}` };
    }),
  );
  const passedTests = tests.filter(({ status }) => status === 'passed');
  return {
    passed: counts.numPassedTests,
    failed: counts.numFailedTests + unloaded.length,
    skipped: counts.numPendingTests + counts.numTodoTests,
    passedTests,
    failedTests: [...unloaded, ...tests.filter(({ status }) => status === 'failed')],
    unsteadyTests: passedTests.filter(({ reason }) => reason !== ''),
  };
}

/** Without the stack; enough of it for the seed and the example of a property. */
function messageOf(messages) {
  const [message] = String(messages[0]).split(/\n\s+at /);
  return message.replaceAll('\n', ' ').slice(0, messageCharsMax);
}
