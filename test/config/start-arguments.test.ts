// What `npm start` refuses before anything is installed or built.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingKinds, whyRefused, whyVariableRefused } from '../../bin/lib/start-arguments.mjs';
import { readSettings, toVariable } from '../../src/server/config.js';
import { settingsGroups, settingsTable } from '../../src/server/settings-table.js';
import { movedSettings } from '../../src/settings/moved-settings.js';
import { settingsUsage } from '../../src/server/settings-usage.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

let folder: string;
/** A clone in which nothing is installed or built: whatever installs or compiles fails in it. */
beforeAll(() => {
  folder = createFolder();
  const parts = [
    'bin',
    'src/settings',
    'src/areas',
    'package.json',
    'cli/main.ts',
    'cluster',
    'bench',
  ];
  for (const part of [...parts, 'test/torture', 'test/simulation', 'test/attack']) {
    fs.cpSync(path.join(projectRoot, part), path.join(folder, part), { recursive: true });
  }
});
afterAll(() => removeFolder(folder));

function startInFreshClone(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  programme = 'start.mjs',
  argv0?: string,
): { code: number | null; said: string } {
  const start = path.join(folder, 'bin', programme);
  const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    argv0,
  });
  return { code: status, said: `${stdout}${stderr}` };
}

describe('npm start in a fresh clone', () => {
  it.each([
    [
      ['--prot', '80'],
      /^There is no setting --prot: npm start -- --help lists them\. Did you mean --port\?$/,
    ],
    [['--data-dirs', 'x'], /Did you mean --data-dir\?$/],
    [['--nothing-like-it'], /--help lists them\.$/],
    [['--port', 'many'], /^--port must be a whole number, not 'many'\.$/],
    [['--port'], /not 'true'/],
    [['port=80'], /'port=80' is not a setting/],
  ])('refuses %j with exit code 2 and does nothing else', (args, sentence) => {
    const { code, said } = startInFreshClone(args);
    expect(said.trim()).toMatch(sentence);
    expect(code).toBe(2);
  });

  it('refuses a misspelt variable in the same way, in the words of the server', () => {
    const { code, said } = startInFreshClone([], { DOWNBEAT_PROT: '1' });
    const sentence =
      'There is no setting DOWNBEAT_PROT (in the environment). Did you mean DOWNBEAT_PORT?';
    expect(said.trim()).toBe(sentence);
    expect(() => readSettings([], { DOWNBEAT_PROT: '1' })).toThrow(sentence);
    expect(code).toBe(2);
  });

  it('tells its version at once', () => {
    const { code, said } = startInFreshClone(['--version']);
    expect(said).toMatch(/^downbeat \d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  });
});

it('names the command that was typed where that starts it', () => {
  const { code, said } = startInFreshClone(['--serverr'], {}, 'start.mjs', 'downbeat');
  expect(said.trim()).toBe('There is no setting --serverr: downbeat start --help lists them.');
  expect(code).toBe(2);
});

describe('what stands beside the server in a fresh clone', () => {
  it.each([
    ['tool.mjs', ['bench/load', '--rnus', '3'], /^There is no option --rnus: --help lists them\.$/],
    ['tool.mjs', ['bench/load', '--mode', 'x'], /^--mode must be one of batch, crews, update-v2/],
    ['tool.mjs', ['test/torture/main', '--kills', 'x'], /^--kills must be a whole number/],
    ['tool.mjs', ['cluster/main', '--nodes', '0'], /^--nodes must be a whole number from 1 to 20/],
    ['tool.mjs', ['cluster/main', '--redis', 'x'], /^--redis must be one of single, sentinel,/],
    [
      'tool.mjs',
      ['bench/peers', '--only', 'x'],
      /^--only must name some of conductor, restate, bul/,
    ],
    ['tool.mjs', ['bench/peers', '--runs', '-'], /^--runs must be a whole number/],
    ['tool.mjs', ['test/simulation/main', '--fault', 'x'], /^--fault must be one of .*crash-call/],
    ['tool.mjs', ['test/simulation/main', '--sedes', '3'], /^There is no option --sedes/],
    ['tool.mjs', ['test/attack/main', '--only', 'routes,x'], /task-types.* commas .*, not 'x'\.$/],
    ['tool.mjs', ['test/attack/main', '--http-server', 'x'], /^--http-server must be one of both,/],
    ['tool.mjs', ['no/such'], /^There is no programme no\/such: node bin\/tool\.mjs/],
    ['tool.mjs', [], /^Say which programme to run/],
    ['test-server.mjs', ['--clok', 'auto'], /Did you mean --clock\?$/],
    ['test-server.mjs', ['--seed', 'x'], /^--seed must be a whole number, not 'x'\.$/],
    ['fsck.mjs', ['--repiar'], /: downbeat fsck --help lists them\. Did you mean --repair\?$/],
    ['admin.mjs', ['create-user', 'a@b.c', '--prot', '1'], /Did you mean --port\?$/],
    ['downbeat.mjs', ['test-server', '--clok', 'auto'], /Did you mean --clock\?$/],
    ['downbeat.mjs', ['start', '--opne'], /Did you mean --open\?$/],
    ['downbeat.mjs', ['--json', 'start', '--prot'], /: downbeat start --help lists them\. Did you/],
    [
      'downbeat.mjs',
      ['--server', 'x', 'fsck', '--prot'],
      /: downbeat fsck --help lists them\. Did/,
    ],
  ])('%s refuses %j with exit code 2 and does nothing else', (programme, args, sentence) => {
    const { code, said } = startInFreshClone(args, {}, programme);
    expect(said.trim()).toMatch(sentence);
    expect(code).toBe(2);
  });

  it.each([
    ...['bench/load', 'cluster/main', 'test/torture/main', 'bench/peers', 'test/attack/main'],
    'test/simulation/main',
  ])('%s tells its usage', (tool) => {
    const { code, said } = startInFreshClone([tool, '--help'], {}, 'tool.mjs');
    expect(said).toMatch(/^usage: npm run [\w:]+ -- \[options\]$/m);
    expect(code).toBe(0);
  });
});

it('the kinds of settings read as text are those of the tables', () => {
  const kinds = Object.entries(settingsTable).map(([name, { kind }]) => [
    name,
    kind === 'boolean' ? 'flag' : kind,
  ]);
  const moved = Object.keys(movedSettings).map((earlier) => [earlier, 'text']);
  expect(Object.fromEntries(settingKinds())).toEqual(Object.fromEntries([...kinds, ...moved]));
});

it.each([
  ['--data-dir', '/x', '--auth', '--port=0', '--config', 'file'],
  ['--service.scheduler.enabled', 'false', '--port', '8080'],
])('lets through what the server takes', (...args) => {
  expect(whyRefused(args, settingKinds())).toBeUndefined();
});

it('lets through the variables of settings, of Kubernetes and of others', () => {
  const names = [...Object.keys(settingsTable).map(toVariable), 'DOWNBEAT_SERVICE_HOST', 'PROT'];
  const env = Object.fromEntries(names.map((name) => [name, '1']));
  expect(whyVariableRefused(env, settingKinds())).toBeUndefined();
});

it('the usage lists every setting, below the headings of the handbook', () => {
  const grouped = settingsGroups.flatMap(({ settings }) => Object.keys(settings));
  expect(grouped).toEqual(Object.keys(settingsTable));
  const page = fs.readFileSync(path.join(projectRoot, 'docs', 'settings.md'), 'utf8');
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(settingsGroups.map(({ title }) => title)).toEqual(headings);
  const usage = settingsUsage('npm start', 'Runs a server.');
  for (const title of headings) expect(usage).toContain(`\n\n${title}:\n  --`);
});

it('leaves settings of plug-ins to them', () => {
  const args = ['--plugin.weather.service', 'x', '--plugin.weather.days=3'];
  expect(whyRefused(args, settingKinds())).toBeUndefined();
});
