// Worker processes cannot load TypeScript: this compiles the worker's file and what it imports
// into a folder of its own, inside the project so that packages resolve.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { ownPackages } from '../../bin/lib/own-packages.mjs';

const project = resolve(import.meta.dirname, '../..');
/** The file that each package of this repository stands for. */
const own = Object.entries({
  ...ownPackages(project),
  '@downbeat/plugin': join(project, 'src/plugin/published.ts'),
});

export interface BuiltWorker {
  readonly url: URL;
  remove(): void;
}

/** `entry`: the worker's file, from the project's folder and without its ending. */
export function buildWorker(entry = 'src/sandbox/script-worker'): BuiltWorker {
  const cache = join(project, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'downbeat-worker-'));
  const done = new Set<string>();
  compile(join(project, `${entry}.ts`), folder, done);
  return {
    url: pathToFileURL(join(folder, `${entry}.js`)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function placeFrom(file: string, source: string): string {
  return relative(dirname(file), source).replace(/\.ts$/, '.js');
}

function compile(file: string, folder: string, done: Set<string>): void {
  if (done.has(file)) return;
  done.add(file);
  const text = own.reduce(
    (known, [name, source]) => known.replace(`'${name}'`, `'${placeFrom(file, source)}'`),
    readFileSync(file, 'utf8'),
  );
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  const target = join(folder, relative(project, file)).replace(/\.ts$/, '.js');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
  for (const [, path] of outputText.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)) {
    compile(`${resolve(dirname(file), path as string)}.ts`, folder, done);
  }
}
