// A start without anything configured loads the libraries that every node needs and no other: those
// of task types, brokers, providers and formats come with their first use.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../support/folder.js';
import { projectRoot } from '../support/project.js';
import { startServer, type RunningServer } from '../support/server.js';

/** Dependencies that a plain start may load. */
const needed = [
  ...['acorn', 'cron-parser', 'ioredis', 'msgpackr', 'pino', 'prom-client'],
  ...['re2js', 'redlock'],
];

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = createFolder();
  const recorder = path.join(projectRoot, 'test', 'support', 'loaded-modules.mjs');
  server = await startServer({
    program: ['--import', recorder, path.join(projectRoot, 'dist', 'main.js')],
    env: { LOADED_MODULES_FILE: path.join(folder, 'modules') },
  });
});
afterAll(async () => {
  await server?.stop();
  removeFolder(folder);
});

it('loads the libraries that every node needs, and no other', () => {
  const modules = readFileSync(path.join(folder, 'modules'), 'utf8');
  const { dependencies } = JSON.parse(
    readFileSync(path.join(projectRoot, 'package.json'), 'utf8'),
  ) as { dependencies: Record<string, string> };
  const loaded = Object.keys(dependencies).filter((name) =>
    modules.includes(`/node_modules/${name}/`),
  );
  expect(loaded.filter((name) => !needed.includes(name))).toEqual([]);
  // The record is of the start: what every node needs is in it.
  expect(loaded).toEqual(expect.arrayContaining(['ioredis', 'pino']));
});

it('loads nothing of the SDK of traces unless the environment asks for them', () => {
  const modules = readFileSync(path.join(folder, 'modules'), 'utf8');
  // prom-client needs the API, which is types and constants.
  const loaded = [...modules.matchAll(/@opentelemetry\/([\w-]+)/g)].map(([, name]) => name);
  expect(loaded.filter((name) => name !== 'api')).toEqual([]);
  expect(modules).toContain('/dist/main.js');
});
