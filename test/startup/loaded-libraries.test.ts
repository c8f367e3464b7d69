// A start without anything configured reads few files, and what V8 made of them at the first start
// (src/load-bundle.ts); libraries of task types, brokers, providers and formats come with their
// first use.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLock } from '../../bin/lib/locked-packages.mjs';
import { writeCoreInstall } from '../../bin/lib/core-install.mjs';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { nodeOptions, projectRoot } from '../../testkit/project.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

/** Those of a start, and a few to spare: a start from single modules reads a thousand. */
const filesMax = 16;
const recorder = path.join(projectRoot, 'test', 'support', 'loaded-modules.mjs');

let folder: string;
let install: string;
beforeAll(() => {
  folder = createFolder();
  install = path.join(folder, 'install');
  writeCoreInstall(install);
}, 60_000);
afterAll(() => removeFolder(folder));

const main = (): string => path.join(install, 'dist', 'main.js');
const kept = (): string[] =>
  fs
    .readdirSync(path.join(install, 'dist', 'bundle'))
    .filter((name) => name.endsWith('.cache'))
    .map((name) => path.join(install, 'dist', 'bundle', name));

/** Starts the server and ends it once it serves and has kept its code. */
async function startOnce(program: readonly string[] = [main()], env = {}): Promise<void> {
  const server = await startServer({ program, env });
  try {
    await until('the kept code', () => Promise.resolve(kept().length > 0));
  } finally {
    await server.stop();
  }
}

/** Files of the install that a start loads, from its folder. */
async function filesOfStart(): Promise<string[]> {
  const record = path.join(folder, 'modules');
  await startOnce(['--import', recorder, main()], { LOADED_MODULES_FILE: record });
  const names = fs.readFileSync(record, 'utf8').split('\n');
  const files = names
    .map((name) => name.replace(/^file:\/\//, ''))
    .filter((name) => name.startsWith(install))
    .map((name) => path.relative(install, name));
  return [...new Set(files)].sort();
}

describe('a start', () => {
  it('loads a handful of files, and no library but the native part of one', async () => {
    const files = await filesOfStart();
    console.log(`a start loads ${files.length} files: ${files.join(', ')}`);
    expect(files).toEqual(expect.arrayContaining(['dist/main.js', 'dist/bundle/load.js']));
    expect(files.length).toBeLessThanOrEqual(filesMax);
    const native = /^node_modules\/(@?msgpackr-extract|node-gyp-build-optional|detect-libc)/;
    expect(files.filter((name) => name.startsWith('node_modules') && !native.test(name))).toEqual(
      [],
    );
  });

  it('names no package that a production install has not', () => {
    const dist = path.join(install, 'dist');
    const files = fs
      .readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js') && !/^(ui|site)\//.test(name));
    const text = files.map((name) => fs.readFileSync(path.join(dist, name), 'utf8')).join('\n');
    const named = /\b(?:require|(?:__)?import)\("([^"]+)"\)|^import .* from "([^"]+)"/gm;
    const packages = [...text.matchAll(named)]
      .map(([, first, second]) => first ?? second ?? '')
      .filter((name) => !isBuiltin(name) && !name.startsWith('.'))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    expect(packages).toEqual(expect.arrayContaining(['undici', 'quickjs-emscripten-core']));
    const { dependencies, optionalDependencies } = readLock()[''] as Record<string, object>;
    const there = Object.keys({ ...dependencies, ...optionalDependencies });
    expect([...new Set(packages)].filter((name) => !there.includes(name))).toEqual([]);
  });

  it('has nothing of the SDK of traces unless the environment asks for them', () => {
    const bundle = fs.readFileSync(path.join(install, 'dist', 'bundle', 'server.js'), 'utf8');
    // prom-client needs the API, which is types and constants.
    const parts = [...bundle.matchAll(/^\t*\/\/ node_modules\/@opentelemetry\/([\w-]+)/gm)];
    expect([...new Set(parts.map(([, name]) => name))]).toEqual(['api']);
  });
});

describe('what V8 made of the bundle', () => {
  it('is used by the next start, which leaves it as it is', async () => {
    const [file = ''] = kept();
    const before = fs.statSync(file);
    await startOnce();
    expect(kept()).toEqual([file]);
    expect(fs.statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  it('spares a start at least a quarter of its processor time', async () => {
    const [file = ''] = kept();
    const aside = path.join(folder, 'aside');
    // In turns, so that a busy machine slows both; the lowest of each.
    const [withIt, without] = [[], []] as [number[], number[]];
    for (let turn = 0; turn < 3; turn++) {
      withIt.push(processorMsOfUsage());
      fs.renameSync(file, aside);
      without.push(processorMsOfUsage());
      fs.renameSync(aside, file);
    }
    const [best, other] = [Math.min(...withIt), Math.min(...without)];
    console.log(`the server's usage: ${best} ms of processor with kept code, ${other} ms without`);
    expect(best).toBeLessThan(0.75 * other);
  });

  it.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['has another byte', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.of(7)])],
    ['is of another bundle', (bytes: Buffer) => Buffer.concat([Buffer.of(0), bytes.subarray(1)])],
  ])('is made anew where the file %s', async (_, change) => {
    const [file = ''] = kept();
    fs.writeFileSync(file, change(fs.readFileSync(file)));
    const damaged = fs.statSync(file);
    const server = await startServer({ program: [main()] });
    await until('other kept code', () => Promise.resolve(fs.statSync(file).ino !== damaged.ino));
    await server.stop();
  });
});

/** Of a process that loads the server and prints its usage. */
function processorMsOfUsage(): number {
  const tell = "process.on('exit', () => process.stderr.write(JSON.stringify(process.cpuUsage())))";
  const { stderr, status } = spawnSync(
    process.execPath,
    [
      ...[...nodeOptions, '--import', `data:text/javascript,${encodeURIComponent(tell)}`],
      ...[main(), '--help'],
    ],
    { encoding: 'utf8' },
  );
  expect(status).toBe(0);
  const { user, system } = JSON.parse(stderr) as NodeJS.CpuUsage;
  return Math.round((user + system) / 1000);
}
