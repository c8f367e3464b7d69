// A function is one that can be read: under 70 lines. Those that are longer stand here with their
// length; the list shrinks. Tables of endpoints are lists, however long.
import ts from 'typescript';
import { expect, it } from 'vitest';
import { ownPackageFolders } from '../../bin/lib/own-packages.mjs';
import { filesBelow, readProjectFile } from './source-tree.js';

const linesMax = 70;
/** Return a list of endpoints. */
const isTable = (name: string): boolean => /(?:routes|endpoints)$/i.test(name);
/** By file and function: lines that it may have. */
const exceptions: Readonly<Record<string, number>> = {
  'packages/jq/src/machine.ts #evaluate': 80,
  'src/shard/execution-host.ts constructor': 82,
};

it('stay under 70 lines', { timeout: 60_000 }, () => {
  const long = ['src', ...ownPackageFolders]
    .flatMap((folder) => filesBelow(folder, ['.ts']))
    .flatMap((file) => longFunctions(file));
  const longer = long.filter(({ name, lines }) => lines > (exceptions[name] ?? linesMax));
  expect(longer).toEqual([]);
  const shrunk = Object.keys(exceptions).filter((name) => !long.some((each) => each.name === name));
  expect(shrunk, 'no exception is needed any more').toEqual([]);
});

function longFunctions(file: string): { name: string; lines: number }[] {
  const source = ts.createSourceFile(file, readProjectFile(file), ts.ScriptTarget.ES2022, true);
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const found: { name: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isFunctionLike(node) &&
      !isTable(node.name?.getText() ?? '') &&
      'body' in node &&
      node.body !== undefined
    ) {
      const lines = lineAt(node.getEnd()) - lineAt(node.getStart()) + 1;
      const name = ts.isConstructorDeclaration(node) ? 'constructor' : node.name?.getText();
      if (lines > linesMax) found.push({ name: `${file} ${name ?? 'without a name'}`, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
