// Nothing in `src` is there for tests alone: each function, class, constant and method has a use in
// the product, its benchmarks or its commands. Names are compared, not symbols, so a name that
// something else has too may hide an unused one; none is reported that is in use.
import ts from 'typescript';
import { expect, it } from 'vitest';
import { ownPackageFolders } from '../../bin/lib/own-packages.mjs';
import { filesBelow, readProjectFile } from './source-tree.js';

/** What a library calls, in classes that it is given. */
const calledByLibraries = new Set([
  ...['onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd', 'onResponseError'],
  ...['spanContext', 'toWritable', 'transform'],
]);
/** What packages made of parts of the product are for (jq, JSONPath, the contract of plug-ins). */
const isPublished = (file: string): boolean => file.endsWith('/published.ts');

interface Declared {
  readonly name: string;
  readonly file: string;
}

it('has a use beside the tests for everything', { timeout: 120_000 }, () => {
  const declared: Declared[] = [];
  const uses = new Set<string>();
  const product = ['src', ...ownPackageFolders.map((folder) => `${folder}/src`)];
  const folders = [...product, 'plugins', 'bench', 'cluster', 'cli', 'bin', 'site'];
  for (const file of folders.flatMap((folder) => filesBelow(folder, ['.ts', '.mjs']))) {
    if (file.includes('node_modules/') || /^plugins\/[^/]+\/test\//.test(file)) continue;
    const text = readProjectFile(file);
    const isOurs = product.some((folder) => file.startsWith(`${folder}/`)) && !isPublished(file);
    collect(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true), (name, kind) => {
      if (kind === 'use') uses.add(name);
      else if (isOurs) declared.push({ name, file });
    });
  }
  const unused = declared.filter(({ name }) => !uses.has(name) && !calledByLibraries.has(name));
  expect(unused).toEqual([]);
});

/** An import alone is no use. */
function collect(
  source: ts.SourceFile,
  tell: (name: string, kind: 'use' | 'declared') => void,
): void {
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isIdentifier(node)) tell(node.text, isDeclared(node) ? 'declared' : 'use');
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
}

function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  const isNamed =
    ts.isFunctionDeclaration(parent) ||
    ts.isClassDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isGetAccessor(parent) ||
    (ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name));
  return isNamed && parent.name === node;
}
