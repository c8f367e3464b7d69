// The command `downbeat` stands beside the server: it talks to any server of the API over HTTP, and
// starts the server as a process. So nothing of src is a part of it, and what it needs is
// bundled with it or stands in the package's dependencies.
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledPackages } from '../../bin/lib/bundled-packages.mjs';
import { projectRoot } from '../../testkit/project.js';

const root = path.join(projectRoot, 'cli');
const readProjectFile = (name: string): string =>
  fs.readFileSync(path.join(projectRoot, name), 'utf8');
const files = fs
  .readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'));
const manifest = JSON.parse(readProjectFile('package.json')) as {
  dependencies: Record<string, string>;
  bin: Record<string, string>;
};

describe.each(files)('cli/%s', (name) => {
  const text = fs.readFileSync(path.join(root, name), 'utf8');
  const imports = text.matchAll(/^(?:import|export|\}) .*?from '([^']+)';$/gm);
  const imported = [...imports].map(([, from = '']) => from);

  it('imports nothing of the server', () => {
    const outside = imported
      .filter((each) => each.startsWith('.'))
      .filter((each) =>
        path.relative(root, path.resolve(root, path.dirname(name), each)).startsWith('..'),
      );
    expect(outside).toEqual([]);
  });

  it('imports packages that are bundled or installed with it', () => {
    const packages = imported.filter((each) => !each.startsWith('.') && !each.startsWith('node:'));
    expect(packages.filter((each) => builtinModules.includes(each))).toEqual([]);
    const isThere = (each: string): boolean =>
      bundledPackages.includes(each) || manifest.dependencies[each] !== undefined;
    expect(packages.filter((each) => !isThere(each))).toEqual([]);
  });
});

it('the package has one binary, which is there', () => {
  expect(Object.keys(manifest.bin)).toEqual(['downbeat']);
  expect(readProjectFile('bin/downbeat.mjs')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
