// Tests in tiers (docs/testing.md): no test file is lost, what hardens runs when its paths change,
// and what runs stays below a bound, with what is left named.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changeSinceLanding,
  chooseGroups,
  describeChoice,
  describeSeconds,
  fits,
  noteWholeRun,
  readTiers,
  type Change,
  type FileResult,
  type TierGroup,
} from '../../bin/lib/tiers.mjs';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { committedFiles, filesBelow, readProjectFile } from './source-tree.js';

const boundVariable = 'DOWNBEAT_TEST_SECONDS_MAX';
const given = process.env[boundVariable];
delete process.env[boundVariable];
const tiers = readTiers();
const { groups } = tiers;
const tests = ['test', 'plugins'].flatMap((folder) => filesBelow(folder, ['.test.ts']));

const namesOf = (some: readonly TierGroup[]): string[] => some.map(({ name }) => name).sort();
const of = (files: readonly string[]): Change => ({ base: 'abc', files });

describe('tiers of tests', () => {
  const unbound = { ...tiers, secondsMax: Infinity };
  afterEach(() => void delete process.env[boundVariable]);
  afterAll(() => {
    if (given !== undefined) process.env[boundVariable] = given;
  });

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
    const chosen = (...files: string[]): string[] => namesOf(chooseGroups(unbound, of(files)).run);
    expect(chosen('docs/testing.md', 'README.md')).toEqual([]);
    expect(chosen('packages/jq/src/parse.ts')).toEqual(['hostile scripts', 'languages']);
    expect(chosen('test/server/fuzz.test.ts')).toEqual(['raw requests']);
    expect(chosen('src/shard/owned-shard.ts')).toEqual(
      expect.arrayContaining(['more seeds', 'torture of one node', 'rolling upgrade']),
    );
    expect(chosen('package-lock.json')).toHaveLength(groups.length);
  });

  it('choose what one area can break for a change of it, and what guards rights', () => {
    const { run, beyond } = chooseGroups(tiers, of(['src/areas/statistics/rates.ts']));
    const guards = ['attacks', 'rights of every route'];
    expect(namesOf(run)).toEqual([...guards, 'page: numbers', 'statistics'].sort());
    expect(namesOf(beyond)).toEqual(['odd requests', 'replies of every route']);
  });

  it.each([
    ['a document', ['docs/testing.md'], []],
    [
      'an area',
      ['src/areas/identity/endpoints.ts'],
      ['attacks', 'rights of every route', 'rights that end'],
    ],
    ['the HTTP contract', ['src/api/router.ts'], ['attacks', 'rights of every route']],
    ['executions', ['src/shard/owned-shard.ts'], ['seeds', 'short tortures']],
    ['the engine', ['src/engine/step.ts'], ['seeds', 'short tortures']],
    ['Redis', ['src/redis/client.ts'], ['large stores', 'seeds']],
    ['all of the page', ['ui/src/design/tables.css'], ['page: pictures']],
    ['one page', ['ui/src/pages/inbox/inbox.tsx'], ['page: administration']],
    ['everything', committedFiles(), ['seeds', 'short tortures']],
  ])('keep the bound for a change of %s', (_what, files, expected) => {
    const { run, beyond, untouched, seconds } = chooseGroups(tiers, of(files));
    expect(seconds).toBe(run.reduce((sum, group) => sum + group.seconds, tiers.alwaysSeconds));
    expect(seconds).toBeLessThanOrEqual(tiers.secondsMax);
    expect(namesOf(run)).toEqual(expect.arrayContaining(expected));
    expect(namesOf([...run, ...beyond, ...untouched])).toEqual(namesOf(groups));
  });

  it('leave room for each group alone', () => {
    const room = tiers.secondsMax - tiers.alwaysSeconds;
    expect(groups.filter(({ seconds }) => !(seconds > 0 && seconds <= room))).toEqual([]);
  });

  it('take first what names the change most closely, then what stands first, and name the rest', () => {
    const group = (name: string, seconds: number, ...when: string[]): TierGroup => {
      return { name, why: name, seconds, files: [`test/${name}.test.ts`], when };
    };
    const few = {
      alwaysSeconds: 100,
      secondsMax: 160,
      groups: [
        group('all', 30, 'src/**'),
        group('long', 40, '{src,ui}/*/**'),
        group('some', 30, 'src/{areas,engine}/**'),
        group('one', 20, 'src/areas/live/**', 'ui/**'),
        group('other', 10, 'ui/**'),
      ],
    };
    const choice = chooseGroups(few, of(['src/areas/live/live-hub.ts']));
    expect(choice.run.map(({ name }) => name)).toEqual(['one', 'some']);
    expect(describeChoice(choice, of(['a']))).toBe(
      [
        'Tests in tiers (1 files changed since abc), 150 file-seconds. What hardens, and runs: one, some.',
        'LEFT for npm run test:all, beyond the bound: all (30 s), long (40 s).',
        'Not touched: 1 other groups; npm run test:all runs all.',
      ].join('\n'),
    );
    const own = chooseGroups(few, of(['src/main.ts', 'test/all.test.ts', 'ui/index.html']));
    expect(own.run.map(({ name }) => name)).toEqual(['all', 'one', 'other']);
  });

  it('have a bound that the environment sets', () => {
    process.env[boundVariable] = '5000';
    expect(readTiers()).toEqual({ ...tiers, secondsMax: 5000 });
    process.env[boundVariable] = '20m';
    expect(readTiers).toThrow('DOWNBEAT_TEST_SECONDS_MAX is no number: 20m');
  });

  it('take the short form where a change cannot be told', () => {
    const choice = chooseGroups(tiers, undefined);
    expect([choice.run, choice.beyond]).toEqual([[], []]);
    expect(describeChoice(choice, undefined)).toContain('the short form runs), ');
  });

  it('are measured by what runs, beside what is stated', () => {
    const result = (name: string, endTime: number): FileResult => {
      return { name: path.join('/a', name), startTime: 1000, endTime };
    };
    const results = [
      ...[result('test/server/fuzz.test.ts', 3000), result('test/api/raw-http.test.ts', 2400)],
      result('test/model/a.test.ts', 6000),
    ];
    const stated = groups.find(({ name }) => name === 'raw requests')?.seconds;
    expect(describeSeconds(tiers, results, '/a')).toMatch(
      new RegExp(`: raw requests 3 \\(${stated}\\), each time 5 \\(${tiers.alwaysSeconds}\\)$`),
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
