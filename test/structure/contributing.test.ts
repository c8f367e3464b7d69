import { describe, expect, it } from 'vitest';
import { globPattern, isEntered, membersOf, readKinds, type Kind } from './contributing.js';
import { committedFiles, readProjectFile } from './source-tree.js';

const kinds = readKinds(readProjectFile('CONTRIBUTING.md'));
const files = committedFiles();
const filesIn = (glob: string): { path: string; text: string }[] => {
  const pattern = globPattern(glob);
  return files
    .filter((name) => pattern.test(name))
    .map((name) => ({ path: name, text: readProjectFile(name) }));
};

describe('the table of CONTRIBUTING.md', () => {
  it('has rows for commands, task types, endpoints, scripts and stores', () => {
    expect(kinds.map((kind) => kind.title).join()).toMatch(
      /command.*task type.*task type.*endpoints.*script.*store/s,
    );
  });

  it.each(kinds)('holds for $title', (kind) => {
    for (const glob of kind.lists) expect(filesIn(glob), `${glob} names no file`).not.toEqual([]);
    const lists = kind.lists.flatMap(filesIn);
    const members = filesIn(kind.folder).flatMap((file) =>
      membersOf(kind, file).map((name) => ({ name, path: file.path })),
    );
    expect(members, `${kind.folder} has no member`).not.toEqual([]);
    const missing = members
      .filter(({ name }) => !lists.some((list) => isEntered(kind, name, list)))
      .filter(({ path }) => !lists.some((list) => list.path === path && lists.length === 1));
    expect(missing).toEqual([]);
  });
});

describe('a row', () => {
  const kind: Kind = {
    title: 'a command',
    folder: 'src/a/*.ts',
    member: 'export const NAME: CommandHandler<',
    lists: ['src/a/list.ts'],
    entry: 'NAME,',
  };
  const list = {
    path: 'src/a/list.ts',
    text: "import { pause, stop } from './x.js';\nx = { pause, };",
  };

  it('finds what a file declares', () => {
    const text = "export const pause: CommandHandler<'pause'> = 1;\nexport const other = 2;";
    expect(membersOf(kind, { path: 'src/a/pause.ts', text })).toEqual(['pause']);
    expect(
      membersOf(
        { ...kind, member: 'export function …Routes(' },
        { path: 'a', text: 'export function bulkRoutes(' },
      ),
    ).toEqual(['bulkRoutes']);
    expect(membersOf({ ...kind, member: 'FILE' }, { path: 'src/s/give-back.lua', text })).toEqual([
      'give-back',
    ]);
  });

  it('sees that a member is entered, and that an import alone is no entry', () => {
    expect(isEntered(kind, 'pause', list)).toBe(true);
    expect(isEntered(kind, 'stop', list)).toBe(false);
    expect(
      isEntered({ ...kind, entry: 'implements …NAME' }, 'B', {
        path: '',
        text: 'class C implements A, B {',
      }),
    ).toBe(true);
  });

  it('names files by globs', () => {
    expect(globPattern('src/a/*.ts').test('src/a/b.ts')).toBe(true);
    expect(globPattern('src/a/*.ts').test('src/a/b/c.ts')).toBe(false);
    expect(globPattern('src/a/**/*.ts').test('src/a/b/c.ts')).toBe(true);
    expect(globPattern('src/a/**/*.ts').test('src/a/c.ts')).toBe(true);
  });
});
