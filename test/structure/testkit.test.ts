// What tests, figures and the launcher of topologies share lies in testkit/, which knows none of
// them; bench/ and cluster/ import nothing of the tests but the simulation that bench/ measures.
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesBelow, readProjectFile } from './source-tree.js';

/** What the files of a folder import of this project, as `file imports file`. */
function importsOf(folder: string): string[] {
  return filesBelow(folder, ['.ts', '.mjs']).flatMap((name) =>
    [...readProjectFile(name).matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(
      ([, specifier = '']) => `${name} imports ${path.join(path.dirname(name), specifier)}`,
    ),
  );
}

it('testkit imports itself and the server, nothing else of the project', () => {
  const found = importsOf('testkit');
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter((line) => !/ imports (testkit|src)\//.test(line))).toEqual([]);
});

it('bench and cluster import no test but the simulation', () => {
  const found = [...importsOf('bench'), ...importsOf('cluster')];
  expect(found.some((line) => line.includes(' imports testkit/'))).toBe(true);
  const tests = found.filter((line) => / imports test\//.test(line));
  expect(tests.filter((line) => !/^bench\/.* imports test\/simulation\//.test(line))).toEqual([]);
});
