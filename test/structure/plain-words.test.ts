import { describe, expect, it } from 'vitest';
import { ownPackageFolders } from '../../bin/lib/own-packages.mjs';
import { commentsOf, questionsIn, riddlesIn } from './plain-words.js';
import { filesBelow, readProjectFile } from './source-tree.js';

const files = [
  'src',
  ...ownPackageFolders.map((folder) => `${folder}/src`),
  'test',
  'testkit',
  'bench',
  'bin',
  'cluster',
]
  .flatMap((folder) => filesBelow(folder, ['.ts', '.mjs', '.lua']))
  .filter((name) => !name.startsWith('test/structure/plain-words'));

describe('comments', () => {
  it.each(files)('of %s use plain words', (name) => {
    expect(riddlesIn(readProjectFile(name))).toEqual([]);
  });
});

describe('the opening of a comment', () => {
  const folders = ['src', 'cli', 'bench', 'cluster', 'testkit', 'ui/src', 'packages', 'plugins'];
  const rewritten = folders
    .flatMap((folder) => filesBelow(folder, ['.ts', '.tsx', '.mjs', '.lua']))
    .filter((name) => !/\/(?:node_modules|dist)\//.test(name));
  it('has a subject, and is no question', () => {
    const asking = rewritten.flatMap((name) =>
      questionsIn(readProjectFile(name)).map((words) => `${name}:${words}`),
    );
    expect(asking).toEqual([]);
  });

  it('is that of a file, of a docstring and of a line of code', () => {
    const source = '// What a node says.\nx();\n/**\n * Who asks.\n */\ny(); // What is left';
    expect(questionsIn(source)).toEqual([
      '1: What a node says.',
      '3: Who asks.',
      '6: What is left',
    ]);
    expect(questionsIn('// The caller knows\n// What it asked.')).toEqual([]);
  });
});

describe('a riddle', () => {
  it('is found over the lines of a comment, with what to write instead', () => {
    const source =
      'const a = 1;\n// One that whoever\n// holds it lets\n// go of.\nconst whoever = 2;';
    expect(riddlesIn(source)).toEqual([
      '2: "whoever" (instead: the caller, the owner, a node that)',
      '2: "lets go" (instead: release, evict)',
    ]);
    expect(riddlesIn('a(); // struck the message off')).toHaveLength(1);
    expect(riddlesIn('-- strikes executions off the dirty set')).toHaveLength(1);
    expect(riddlesIn("const text = 'whoever comes to it';")).toEqual([]);
  });

  it('is looked for in each kind of comment', () => {
    const source = '/**\n * one\n * two\n */\n-- three\nx(); // four\n/** five */';
    expect(commentsOf(source).map(({ text }) => text.trim())).toEqual([
      'one two  three',
      'four',
      'five',
    ]);
  });
});
