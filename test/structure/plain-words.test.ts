import { describe, expect, it } from 'vitest';
import { commentsOf, riddleOfOpening, riddlesIn } from './plain-words.js';
import { filesBelow, readProjectFile } from './source-tree.js';

const files = ['src', 'test', 'bench', 'bin', 'cluster']
  .flatMap((folder) => filesBelow(folder, ['.ts', '.mjs', '.lua']))
  .filter((name) => !name.startsWith('test/structure/plain-words'));

describe('comments', () => {
  it.each(files)('of %s use plain words', (name) => {
    expect(riddlesIn(readProjectFile(name))).toEqual([]);
  });
});

describe('the opening of a file', () => {
  const rewritten = ['src', 'cli', 'bench', 'cluster', 'ui/src'].flatMap((folder) =>
    filesBelow(folder, ['.ts', '.tsx', '.mjs']),
  );
  it('has a subject, and is no question', () => {
    const asking = rewritten.flatMap((name) => {
      const words = riddleOfOpening(readProjectFile(name));
      return words === undefined ? [] : [`${name}: ${words}`];
    });
    expect(asking).toEqual([]);
    expect(riddleOfOpening('// What a node says.')).toBe('What a node says.');
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
