// Tests in tiers (docs/testing.md): no test file is lost, and what hardens runs when its paths
// change.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changeSinceLanding,
  chooseGroups,
  describeChoice,
  fits,
  noteWholeRun,
  tierGroups,
} from '../../bin/lib/tiers.mjs';
import { createFolder, removeFolder } from '../support/folder.js';
import { committedFiles, filesBelow, readProjectFile } from './source-tree.js';

const groups = tierGroups();
const tests = filesBelow('test', ['.test.ts']);

describe('tiers of tests', () => {
  it('have each test file in one group at most; the others run each time', () => {
    const groupsOf = (file: string): string[] =>
      groups.filter(({ files }) => files.some((glob) => fits(glob, file))).map(({ name }) => name);
    expect(tests.filter((file) => groupsOf(file).length > 1)).toEqual([]);
    const eachTime = tests.filter((file) => groupsOf(file).length === 0);
    expect(eachTime.length).toBeGreaterThan(300);
    expect(eachTime).toContain('test/structure/test-tiers.test.ts');
  });

  it('name files and paths that there are', () => {
    const sources = committedFiles();
    const nothing = (globs: readonly string[], files: readonly string[]): string[] =>
      globs.filter((glob) => !files.some((file) => fits(glob, file)));
    expect(groups.flatMap(({ files }) => nothing(files, tests))).toEqual([]);
    expect(groups.flatMap(({ when }) => nothing(when, sources))).toEqual([]);
  });

  it('have every group run by npm run test:all, and by a kind or files that are named', () => {
    const { scripts } = JSON.parse(readProjectFile('package.json')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['test:all']).toBe('node bin/test.mjs --all');
    // Only the command leaves files out, and only where nothing is named.
    expect(readProjectFile('bin/test.mjs')).toContain(
      "const isTiered = !isAll && kind === undefined && args.every((arg) => arg.startsWith('-'));",
    );
    expect(readProjectFile('.ci/run')).toMatch(/^timeout .* npm test --silent$/m);
  });

  it('choose a group by a path of it, by its test files and by what all depend on', () => {
    const chosen = (...files: string[]): string[] =>
      chooseGroups(groups, { base: 'abc', files }).run.map(({ name }) => name);
    expect(chosen('docs/testing.md', 'README.md')).toEqual([]);
    // What guards rights and limits runs with every change of the server.
    expect(chosen('src/jq/parser.ts')).toEqual(['hostile input', 'languages', 'every route']);
    expect(chosen('test/server/fuzz.test.ts')).toEqual(['hostile input']);
    expect(chosen('src/shard/owned-shard.ts')).toEqual(
      expect.arrayContaining(['simulation', 'torture', 'clusters', 'upgrades']),
    );
    expect(chosen('package-lock.json')).toHaveLength(groups.length);
  });

  it('say what is left out, and take the short form where a change cannot be told', () => {
    const choice = chooseGroups(groups, undefined);
    expect(choice.leftOut).toHaveLength(groups.length);
    expect(describeChoice(choice, undefined)).toMatch(
      /the short form runs\)\. What hardens, and runs: nothing\. Left out: simulation, .*test:all/,
    );
  });
});

describe('the change since the last landing', () => {
  let folder: string;
  const git = (...args: string[]): string => {
    const as = [
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@example.org',
      '-c',
      'commit.gpgsign=false',
    ];
    return execFileSync('git', [...as, ...args], { cwd: folder, encoding: 'utf8' }).trim();
  };
  const commit = (name: string): string => {
    fs.writeFileSync(path.join(folder, name), name);
    git('add', '.');
    git('commit', '-q', '-m', name);
    return git('rev-parse', 'HEAD');
  };
  const named = process.env['DOWNBEAT_TEST_BASE'];
  beforeEach(() => {
    delete process.env['DOWNBEAT_TEST_BASE'];
    folder = createFolder();
    git('init', '-q', '-b', 'main');
  });
  afterEach(() => {
    delete process.env['DOWNBEAT_TEST_BASE'];
    if (named !== undefined) process.env['DOWNBEAT_TEST_BASE'] = named;
    removeFolder(folder);
  });

  it('is told from the parent on the branch that changes land on, with what is not committed', () => {
    commit('a');
    expect(changeSinceLanding(folder)).toBeUndefined();
    commit('b');
    fs.writeFileSync(path.join(folder, 'a'), 'changed');
    fs.writeFileSync(path.join(folder, 'c'), 'new');
    expect(new Set(changeSinceLanding(folder)?.files)).toEqual(new Set(['a', 'b', 'c']));
  });

  it('is told from the last whole run on that branch, which is noted for what is committed', () => {
    commit('a');
    fs.mkdirSync(path.join(folder, 'test'));
    noteWholeRun(7, folder);
    commit('b');
    commit('c');
    expect(changeSinceLanding(folder)?.files).toEqual(['b', 'c', 'test/whole-run.json']);
    fs.writeFileSync(path.join(folder, 'a'), 'changed');
    const before = fs.readFileSync(path.join(folder, 'test', 'whole-run.json'), 'utf8');
    noteWholeRun(8, folder);
    expect(fs.readFileSync(path.join(folder, 'test', 'whole-run.json'), 'utf8')).toBe(before);
    expect(JSON.parse(before)).toMatchObject({ passed: 7 });
  });

  it('is told from where a branch left it, over all its commits', () => {
    const base = commit('a');
    git('checkout', '-q', '-b', 'topic');
    commit('b');
    commit('c');
    const change = changeSinceLanding(folder);
    expect(change?.files).toEqual(['b', 'c']);
    expect(base.startsWith(change?.base ?? '-')).toBe(true);
  });

  it('is told from a whole run after the branch was left, not from one before', () => {
    commit('a');
    fs.mkdirSync(path.join(folder, 'test'));
    noteWholeRun(7, folder);
    commit('b');
    git('checkout', '-q', '-b', 'topic');
    commit('c');
    expect(changeSinceLanding(folder)?.files).toEqual(['c']);
    noteWholeRun(8, folder);
    commit('d');
    expect(changeSinceLanding(folder)?.files).toEqual(['d', 'test/whole-run.json']);
  });

  it('is told from the first parent of a merge, and from the commit that the environment names', () => {
    const base = commit('a');
    git('checkout', '-q', '-b', 'topic');
    commit('b');
    commit('c');
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', 'merge', 'topic');
    expect(changeSinceLanding(folder)?.files).toEqual(['b', 'c']);
    commit('d');
    process.env['DOWNBEAT_TEST_BASE'] = base;
    expect(changeSinceLanding(folder)?.files).toEqual(['b', 'c', 'd']);
    process.env['DOWNBEAT_TEST_BASE'] = 'nowhere';
    expect(() => changeSinceLanding(folder)).toThrow('DOWNBEAT_TEST_BASE names no commit here');
  });
});
