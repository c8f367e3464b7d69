// Which tests `npm test` runs (docs/testing.md, tiers). What proves a change runs each time: every
// test file that test/tiers.json does not name. What hardens it, a group of that file, runs when a
// path of the group, or a test file of it, has changed since the last landing or whole run. A bound
// on the time of all of them keeps CI short: groups beyond it are left, and named.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

/** Names the commit that the change is compared with. */
const baseVariable = 'DOWNBEAT_TEST_BASE';
/** Sets another bound than `secondsMax` of test/tiers.json. */
const secondsVariable = 'DOWNBEAT_TEST_SECONDS_MAX';
/** Names of the branch that changes land on. */
const landed = ['origin/HEAD', 'origin/main', 'main'];
/** What every test depends on. */
const common = ['package-lock.json', 'vitest.config.ts', 'test/support/kinds.ts'];

/** What test/tiers.json says, with the bound that the environment sets in its place. */
export function readTiers() {
  const file = path.join(projectRoot, 'test', 'tiers.json');
  const tiers = JSON.parse(fs.readFileSync(file, 'utf8'));
  const given = process.env[secondsVariable];
  if (!given) return tiers;
  if (!/^[1-9]\d*$/.test(given)) throw new Error(`${secondsVariable} is no number: ${given}`);
  return { ...tiers, secondsMax: Number(given) };
}

/**
 * For files that have changed since `base`: the groups that run, those beyond the bound, and those
 * that the change does not touch. The groups of which a test file has changed come first, then those
 * whose patterns name the change most closely, and of equal ones those that stand first in the file. A group that does not fit leaves its time to
 * the next one. With no base it cannot be told what has changed: the short form runs, which is no
 * group at all.
 */
export function chooseGroups({ alwaysSeconds, secondsMax, groups }, change) {
  const near = new Map(groups.map((group) => [group, nearnessOf(group, change?.files ?? [])]));
  const touched = groups
    .filter((group) => near.get(group) >= 0)
    .sort((one, other) => near.get(other) - near.get(one));
  const run = [];
  let seconds = alwaysSeconds;
  for (const group of touched) {
    if (seconds + group.seconds > secondsMax) continue;
    run.push(group);
    seconds += group.seconds;
  }
  return {
    ...{ run, seconds },
    beyond: touched.filter((group) => !run.includes(group)),
    untouched: groups.filter((group) => !touched.includes(group)),
  };
}

/**
 * How closely a group names changed files: the folders and names of the closest pattern, or -1. A
 * test file of its own that has changed is closer than any pattern.
 */
function nearnessOf({ files, when }, changed) {
  if (files.some((file) => changed.includes(file))) return Infinity;
  const fitsOne = (glob) => changed.some((file) => fits(glob, file));
  const near = when.filter(fitsOne).map(namesIn);
  return Math.max(...near, common.some(fitsOne) ? 0 : -1);
}

/** How many folders and names a pattern gives before its first star. */
function namesIn(glob) {
  const [named] = glob.split(/\*|\{[^{}]*\*/);
  return named.split('/').length - (named === glob ? 0 : 1);
}

/**
 * Whether a path fits a pattern: `**` stands for folders and names, `*` for a part of a name,
 * `{a,b}` for a or b.
 */
export function fits(glob, file) {
  const known = patterns.get(glob) ?? patternOf(glob);
  patterns.set(glob, known);
  return known.test(file);
}

const patterns = new Map();

function patternOf(glob) {
  const tokens = glob.match(/\*\*|[\s\S]/g) ?? [];
  const stands = { '**': '.*', '*': '[^/]*', '{': '(?:', ',': '|', '}': ')' };
  const parts = tokens.map((token) => stands[token] ?? token.replace(/[.+^$()|[\]\\?]/, '\\$&'));
  return new RegExp(`^${parts.join('')}$`);
}

/**
 * What has changed since the last landing or whole run, committed or not. The base is what the
 * environment names; else where HEAD left the branch that changes land on, or the commit of the
 * last whole run (test/whole-run.json) where that is the newer one; without either the first parent
 * of HEAD. undefined: there is no such commit here (a shallow checkout, no git).
 */
export function changeSinceLanding(folder = projectRoot) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const base = baseOf(git, folder);
  const changed = base && git('diff', '--name-only', '--no-renames', base);
  const added = base && git('ls-files', '--others', '--exclude-standard');
  if (changed === undefined || added === undefined) return undefined;
  return { base: base.slice(0, 12), files: `${changed}\n${added}`.split('\n').filter(Boolean) };
}

function baseOf(git, folder) {
  const head = git('rev-parse', 'HEAD');
  const named = process.env[baseVariable];
  if (named) {
    const base = git('rev-parse', '--verify', `${named}^{commit}`);
    if (base === undefined) throw new Error(`${baseVariable} names no commit here: ${named}`);
    return base;
  }
  const left = landed
    .map((branch) => git('merge-base', 'HEAD', branch))
    .find((commit) => commit !== undefined && commit !== head);
  const whole = wholeRunOf(folder);
  const isAncestor = (commit, of) => git('merge-base', '--is-ancestor', commit, of) !== undefined;
  const isNewer = whole !== undefined && (left === undefined || isAncestor(left, whole));
  if (isNewer && isAncestor(whole, 'HEAD')) return git('rev-parse', whole);
  return left ?? git('rev-parse', '--verify', 'HEAD^1^{commit}');
}

/** Names the commit at which all tests passed last. */
function wholeRunOf(folder) {
  const file = path.join(folder, 'test', 'whole-run.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).commit : undefined;
}

/** Notes that all tests have passed at HEAD; nothing is noted where files differ from it. */
export function noteWholeRun(passed, folder = projectRoot) {
  const git = (...args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const head = git('rev-parse', 'HEAD');
  if (head.status !== 0 || git('status', '--porcelain').stdout !== '') return;
  const run = { commit: head.stdout.trim(), on: new Date().toISOString().slice(0, 10), passed };
  fs.writeFileSync(
    path.join(folder, 'test', 'whole-run.json'),
    `${JSON.stringify(run, null, 2)}\n`,
  );
}

/** Says what runs and what does not, for people. */
export function describeChoice({ run, beyond, untouched, seconds }, change) {
  const names = (groups) => groups.map(({ name }) => name).join(', ') || 'nothing';
  const since =
    change === undefined
      ? 'what has changed cannot be told, so the short form runs'
      : `${change.files.length} files changed since ${change.base}`;
  const left = beyond.map((group) => `${group.name} (${group.seconds} s)`).join(', ');
  return [
    `Tests in tiers (${since}), ${seconds} file-seconds. What hardens, and runs: ${names(run)}.`,
    ...(left === '' ? [] : [`LEFT for npm run test:all, beyond the bound: ${left}.`]),
    `Not touched: ${untouched.length} other groups; npm run test:all runs all.`,
  ].join('\n');
}

/**
 * The file-seconds of a run's report by group, beside those that test/tiers.json states, for people.
 */
export function describeSeconds({ alwaysSeconds, groups }, testResults, folder = projectRoot) {
  const always = { name: 'each time', seconds: alwaysSeconds };
  const taken = new Map();
  for (const { name, startTime, endTime } of testResults) {
    const file = path.relative(folder, name).split(path.sep).join('/');
    const group = groups.find(({ files }) => files.some((glob) => fits(glob, file))) ?? always;
    taken.set(group, (taken.get(group) ?? 0) + (endTime - startTime) / 1000);
  }
  const parts = [...taken].map(
    ([{ name, seconds }, measured]) => `${name} ${Math.round(measured)} (${seconds})`,
  );
  return `File-seconds, measured (stated in test/tiers.json): ${parts.join(', ')}`;
}
