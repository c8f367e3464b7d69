// Which tests `npm test` runs (docs/testing.md, tiers). What proves a change runs each time: every
// test file that test/tiers.json does not name. What hardens it, a group of that file, runs when a
// path of the group, or a test file of it, has changed since the last landing or whole run.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

/** Names the commit that the change is compared with. */
const baseVariable = 'DOWNBEAT_TEST_BASE';
/** Names of the branch that changes land on. */
const landed = ['origin/HEAD', 'origin/main', 'main'];
/** What every test depends on. */
const common = ['package-lock.json', 'vitest.config.ts', 'test/support/kinds.ts'];

export function tierGroups() {
  return JSON.parse(fs.readFileSync(path.join(projectRoot, 'test', 'tiers.json'), 'utf8'));
}

/**
 * The groups that run and those that are left out, for files that have changed since `base`. With
 * no base it cannot be told what has changed: the short form runs, which is no group at all.
 */
export function chooseGroups(groups, change) {
  const isRun = ({ files, when }) =>
    change !== undefined &&
    change.files.some((file) => [...when, ...files, ...common].some((glob) => fits(glob, file)));
  return { run: groups.filter(isRun), leftOut: groups.filter((group) => !isRun(group)) };
}

/** Whether a path fits a pattern: `**` stands for folders and names, `*` for a part of a name. */
export function fits(glob, file) {
  const escaped = glob.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const parts = escaped.split('**').map((part) => part.replaceAll('*', '[^/]*'));
  return new RegExp(`^${parts.join('.*')}$`).test(file);
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

/** Says what runs, for people. */
export function describeChoice({ run, leftOut }, change) {
  const names = (groups) => groups.map(({ name }) => name).join(', ') || 'nothing';
  const since =
    change === undefined
      ? 'what has changed cannot be told, so the short form runs'
      : `${change.files.length} files changed since ${change.base}`;
  return (
    `Tests in tiers (${since}). What hardens, and runs: ${names(run)}. ` +
    `Left out: ${names(leftOut)}; npm run test:all runs all.`
  );
}
