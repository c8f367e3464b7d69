// `downbeat plugin` of a package that npm has installed. No registry is asked: npm itself is
// replaced by a script that writes down how it was called.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plugins } from '../../../cli/commands/plugin.js';
import { knownPlugins } from '../../../src/model/known-plugins.js';
import { PackedCommand } from '../../support/command.js';
import { projectRoot } from '../../../testkit/project.js';

let downbeat: PackedCommand;
let app: string;

beforeAll(() => {
  downbeat = new PackedCommand('http://127.0.0.1:1');
  // As `npm install downbeat-VERSION.tgz` leaves it, with the packages beside it.
  app = path.join(downbeat.folder, 'app');
  const modules = path.join(app, 'node_modules');
  fs.cpSync(path.join(downbeat.folder, 'package'), path.join(modules, '@downbeat', 'server'), {
    recursive: true,
    filter: (source) => path.basename(source) !== 'node_modules',
  });
  for (const name of fs.readdirSync(path.join(projectRoot, 'node_modules'))) {
    if (name === '@downbeat' || name.startsWith('.')) continue;
    fs.symlinkSync(path.join(projectRoot, 'node_modules', name), path.join(modules, name));
  }
  fs.writeFileSync(path.join(app, 'package.json'), '{}');
  const tool = path.join(app, 'bin', 'npm');
  fs.mkdirSync(path.dirname(tool));
  fs.writeFileSync(
    tool,
    `#!/bin/sh
echo "$PWD $*" >> "${app}/calls"
case "$2" in *kafka*) echo "npm error 404 not there" >&2; exit 1;; esac
folder=node_modules/@downbeat/plugin-mcp
if [ "$1" = install ]; then mkdir -p $folder; echo '{"version":"0.1.0"}' > $folder/package.json; else rm -r $folder; fi
`,
    { mode: 0o755 },
  );
}, 120_000);
afterAll(() => {
  downbeat.remove();
});

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const file = path.join(app, 'node_modules', '@downbeat', 'server', 'bin', 'downbeat.mjs');
  return spawnSync(process.execPath, [file, 'plugin', ...args], {
    encoding: 'utf8',
    env: { PATH: `${path.join(app, 'bin')}:${process.env['PATH']}`, HOME: app },
  });
}

it('knows the plug-ins that are made with the server', () => {
  expect(Object.keys(plugins)).toEqual(knownPlugins.map(({ name }) => name));
  for (const { name, taskTypes } of knownPlugins) {
    for (const type of taskTypes) expect(plugins[name]).toContain(type);
  }
});

it('installs one beside the server, lists it, and takes it away', () => {
  const added = run('add', 'mcp');
  expect(added).toMatchObject({ status: 0, stdout: 'mcp 0.1.0 is installed\n' });
  expect(added.stderr).toMatch(/when it is started again/);
  expect(run('add', 'mcp').stdout).toBe('mcp 0.1.0 is installed already\n');
  const listed = JSON.parse(run('list', '--json').stdout) as { name: string; installed: unknown }[];
  expect(listed.find(({ name }) => name === 'mcp')).toMatchObject({ installed: '0.1.0' });
  expect(run('remove', 'mcp')).toMatchObject({ status: 0, stdout: 'mcp is removed\n' });
  const calls = fs.readFileSync(path.join(app, 'calls'), 'utf8').trim().split('\n');
  const place = fs.realpathSync(app);
  expect(calls).toEqual([
    `${place} install @downbeat/plugin-mcp@0.1.0`,
    `${place} uninstall @downbeat/plugin-mcp`,
  ]);
});

it('takes away one that comes with the server, without npm', () => {
  const installed = (): unknown => {
    const listed = JSON.parse(run('list', '--json').stdout) as {
      name: string;
      installed: unknown;
    }[];
    return listed.find(({ name }) => name === 'models')?.installed;
  };
  expect(installed()).toBe('0.1.0');
  expect(run('remove', 'models')).toMatchObject({ status: 0, stdout: 'models is removed\n' });
  expect(installed()).toBeNull();
  expect(fs.readFileSync(path.join(app, 'calls'), 'utf8')).not.toContain('models');
});

it('says what npm said', () => {
  const ran = run('add', 'kafka');
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  expect(ran.stderr).toMatch(/npm install @downbeat\/plugin-kafka@.* ended with 1:\nnpm error 404/);
});

it.each([
  [['add', 'kafak'], 2, /There is no plug-in 'kafak'\. There are: mcp, kafka/],
  [['remove', 'sql'], 5, /sql is not installed/],
])('refuses %j with %i', (args, code, sentence) => {
  const ran = run(...args);
  expect(ran.stderr).toMatch(sentence);
  expect(ran).toMatchObject({ status: code, stdout: '' });
});
