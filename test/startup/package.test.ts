// The package as a stranger gets it: downbeat-VERSION.tgz alone in an empty folder. npx runs it and
// it serves; a test of workflows imports it by its name, and by another one that it was given. npm
// installs what it needs from a registry of the test's own.
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { startLocalRegistry, type LocalRegistry } from '../support/local-registry.js';
import { endGroup, freePort, startProgram } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { until } from '../../testkit/until.js';

const timeoutMs = 120_000;
const run = promisify(execFile);

let folder: string;
let registry: LocalRegistry;
let file: string;

beforeAll(async () => {
  folder = createFolder();
  registry = await startLocalRegistry(path.join(projectRoot, 'node_modules'));
  const packer = path.join(projectRoot, 'bin', 'pack.mjs');
  file = execFileSync(process.execPath, [packer, '--no-ui', '--out', folder], {
    ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  }).trim();
}, timeoutMs);
afterAll(async () => {
  await registry?.close();
  removeFolder(folder);
});

/** npm of nobody: no cache, no settings, no registry but the test's. */
function environment(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return {
    ...{ PATH, HOME: folder, npm_config_cache: path.join(folder, 'cache') },
    npm_config_registry: registry.url,
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
}

function emptyFolder(name: string): string {
  const made = path.join(folder, name);
  fs.mkdirSync(made);
  return made;
}

it('is @downbeat/server, in a file that says downbeat and its version', () => {
  const place = emptyFolder('unpacked');
  execFileSync('tar', ['-xzf', file, '-C', place]);
  const manifest = JSON.parse(
    fs.readFileSync(path.join(place, 'package', 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    name: '@downbeat/server',
    bin: { downbeat: 'bin/downbeat.mjs' },
  });
  expect(manifest).not.toHaveProperty('private');
  expect(path.basename(file)).toBe(`downbeat-${String(manifest['version'])}.tgz`);
});

it('runs by npx in an empty folder, and serves', { timeout: timeoutMs }, async () => {
  const place = emptyFolder('app');
  const name = path.basename(file);
  fs.copyFileSync(file, path.join(place, name));
  const port = await freePort();
  const started = startProgram(
    'npx',
    ['--yes', `./${name}`, 'start', '--port', String(port), '--data-dir', 'data'],
    { cwd: place, env: environment(), detached: true },
  );
  try {
    const serves = async (): Promise<boolean> => {
      if (started.hasEnded()) throw new Error(`it ended:\n${started.output()}`);
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      return answer?.ok === true;
    };
    await until('a server that answers', serves, { timeoutMs });
    expect(started.output()).toMatch(/plug-ins: models \d/);
  } finally {
    // npx does not pass a signal on: alone it would leave the server running.
    await endGroup(started);
  }
  // Those of other machines are optional.
  expect(registry.missing.filter((each) => !each.startsWith('@msgpackr-extract/'))).toEqual([]);
});

it('is imported by tests, also under another name', { timeout: timeoutMs }, async () => {
  const place = emptyFolder('tests');
  fs.writeFileSync(path.join(place, 'package.json'), '{"type":"module"}');
  const options = { cwd: place, env: environment() };
  await run('npm', ['install', file, `downbeat@file:${file}`], options);
  const script = `
    import { startTestServer } from '@downbeat/server/testing';
    import * as renamed from 'downbeat/testing';
    const server = await startTestServer();
    console.log(Object.keys(await server.clock()).includes('now'), typeof renamed.startTestServer);
    await server.stop();`;
  fs.writeFileSync(path.join(place, 'uses.js'), script);
  expect((await run(process.execPath, ['uses.js'], options)).stdout).toBe('true function\n');

  const typed = script.replace('server.clock()', 'server.clock(7)');
  fs.writeFileSync(path.join(place, 'typed.ts'), typed);
  const modules = path.join(projectRoot, 'node_modules');
  const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const checked = await run(
    process.execPath,
    [
      ...[path.join(modules, 'typescript', 'bin', 'tsc'), 'typed.ts', ...words],
      ...['--types', 'node', '--typeRoots', path.join(modules, '@types')],
    ],
    options,
  ).catch((error: { stdout: string }) => error);
  // It knows the types: one argument too many, and nothing else.
  expect(checked.stdout).toMatch(/^typed\.ts\(\d+,\d+\): error TS2554: Expected 0 arguments/);
  expect(checked.stdout.match(/error/g)).toHaveLength(1);
});
