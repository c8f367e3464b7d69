import { describe, expect, it } from 'vitest';
import { ownPackageFolders } from '../../bin/lib/own-packages.mjs';
import { findCycles, filesBelow, readModules, readProjectFile } from './source-tree.js';

/**
 * Folders of src in dependency order; those of one entry are siblings that do not import each
 * other.
 */
const layers: readonly (readonly string[])[] = [
  ['std'],
  ['telemetry'],
  ['model'],
  ['engine'],
  ['sandbox'],
  ['store'],
  ['redis', 'object-store'],
  ['access'],
  ['broker'],
  ['queue'],
  ['shard'],
  ['placement'],
  ['operation'],
  ['system-task', 'event', 'fsck'],
  ['plugin'],
  ['api'],
  ['settings', 'declare'],
  ['areas'],
  ['server'],
];
/** The programs, directly in src, stand above all folders. */
const rootLayer = layers.length;
const linesMax = 600;

const modules = readModules('src');
const languages = ownPackageFolders.flatMap((folder) => readModules(`${folder}/src`));

function folderOf(name: string): string {
  return name.split('/').length > 2 ? (name.split('/')[1] ?? '') : '';
}

function layerOf(name: string): number {
  const folder = folderOf(name);
  if (folder === '') return rootLayer;
  return layers.findIndex((folders) => folders.includes(folder));
}

function isAllowed(from: string, to: string): boolean {
  return folderOf(from) === folderOf(to) || layerOf(to) < layerOf(from);
}

const by = (path: string) => (name: string) => `${path} imports ${name}`;

function importersOf(packages: readonly string[]): string[] {
  return modules
    .filter((module) => module.packages.some((name) => packages.includes(name)))
    .map((module) => module.path);
}

describe('the source tree', () => {
  it('has only folders with a place in the dependency order', () => {
    expect(modules.map((module) => module.path).filter((name) => layerOf(name) < 0)).toEqual([]);
    expect(modules.length).toBeGreaterThan(20);
  });

  it('imports only from earlier folders', () => {
    const wrong = modules.flatMap((module) =>
      module.imports
        .filter((name) => !isAllowed(module.path, name))
        .map((name) => `${module.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has languages, packages of their own, that depend on nothing of ours', () => {
    const outside = ownPackageFolders.flatMap((folder) =>
      readModules(`${folder}/src`).flatMap(({ path, imports, packages }) => [
        ...imports.filter((name) => !name.startsWith(`${folder}/src/`)).map(by(path)),
        ...packages.filter((name) => name !== 're2js').map(by(path)),
      ]),
    );
    expect(outside).toEqual([]);
    expect(languages.length).toBeGreaterThan(20);
  });

  it('takes of them what they publish', () => {
    const inside = modules.flatMap(({ path, imports }) =>
      imports.filter((name) => name.startsWith('packages/')).map(by(path)),
    );
    expect(inside).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(findCycles([...modules, ...languages]).map((cycle) => cycle.join(' -> '))).toEqual([]);
  });

  it('imports the Redis client only in src/redis', () => {
    const outside = importersOf(['ioredis', 'redlock']).filter(
      (name) => !name.startsWith('src/redis/'),
    );
    expect(outside).toEqual([]);
  });

  it('imports the HTTP server libraries only in src/api', () => {
    const libraries = ['uWebSockets.js', 'node:http', 'node:http2', 'http'];
    const outside = importersOf(libraries).filter((name) => !name.startsWith('src/api/'));
    expect(outside).toEqual([]);
    expect(importersOf(['uWebSockets.js'])).toEqual([
      ...['src/api/listener-binary.ts', 'src/api/uws-server.ts'],
    ]);
  });

  it('has no index files and no modules that only pass on others', () => {
    const barrels = modules.filter(
      ({ path, text }) => /\/index\.ts$/.test(path) || /^export \* from/m.test(text),
    );
    expect(barrels.map((module) => module.path)).toEqual([]);
  });

  it('opens each file with what it is for', () => {
    const silent = [...modules, ...languages].filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text));
    expect(silent.map((module) => module.path)).toEqual([]);
  });

  it(`has no file over ${linesMax} lines`, () => {
    const folders = ['src', ...ownPackageFolders, 'test', 'testkit', 'bench', 'bin', 'cluster'];
    const files = folders.flatMap((folder) =>
      filesBelow(folder, ['.ts', '.mjs', '.lua', '.py', '.go']),
    );
    const long = files
      .map((name) => ({ name, lines: readProjectFile(name).split('\n').length }))
      .filter(({ lines }) => lines > linesMax);
    expect(long).toEqual([]);
  });
});
