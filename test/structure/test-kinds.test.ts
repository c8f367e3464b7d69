import path from 'node:path';
import { expect, it } from 'vitest';
import { brokerTests, longTests, redisTests, serverFolders } from '../support/kinds.js';
import { projectRoot } from '../../testkit/project.js';
import { globPattern } from './contributing.js';
import { filesBelow } from './source-tree.js';

it('every test file is of one kind', () => {
  const lists = [longTests, brokerTests, redisTests(projectRoot)].map((globs) =>
    globs.map(globPattern),
  );
  lists.push(serverFolders.map((folder) => globPattern(path.posix.join(folder, '**/*.test.ts'))));
  const kindsOf = (name: string): number =>
    lists.filter((patterns) => patterns.some((pattern) => pattern.test(name))).length;
  const files = filesBelow('test', ['.test.ts']);
  // Of no list: it is a unit test.
  expect(files.filter((name) => kindsOf(name) > 1)).toEqual([]);
  expect(files.filter((name) => kindsOf(name) === 1).length).toBeGreaterThan(100);
  expect(files.filter((name) => kindsOf(name) === 0).length).toBeGreaterThan(100);
});
