// Reads the project's own files for the tests of its structure: what each module imports, and what
// is committed.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../testkit/project.js';

export interface SourceModule {
  /** Path from the project's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Modules of the project that it imports (types too), as paths. */
  readonly imports: readonly string[];
  /** Names of packages and built-in modules that it imports. */
  readonly packages: readonly string[];
}

/** All files below a folder with one of the endings, as paths from the project's folder. */
export function filesBelow(folder: string, endings: readonly string[]): string[] {
  const root = path.join(projectRoot, folder);
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .sort();
}

export function readProjectFile(name: string): string {
  return fs.readFileSync(path.join(projectRoot, name), 'utf8');
}

/** What several tests of a worker read, each file once: sources do not change meanwhile. */
const modules = new Map<string, SourceModule>();

/** The TypeScript modules below a folder with their imports, static and dynamic. */
export function readModules(folder: string): SourceModule[] {
  return filesBelow(folder, ['.ts']).map((name) => {
    const module = modules.get(name) ?? readModule(name);
    modules.set(name, module);
    return module;
  });
}

function readModule(name: string): SourceModule {
  const text = readProjectFile(name);
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map((f) => f.fileName);
  const isOwn = (specifier: string): boolean => specifier.startsWith('.');
  return {
    path: name,
    text,
    imports: specifiers.filter(isOwn).map((specifier) => resolve(name, specifier)),
    packages: specifiers.filter((specifier) => !isOwn(specifier)),
  };
}

function resolve(from: string, specifier: string): string {
  return path.posix
    .join(path.posix.dirname(from), specifier)
    .replace(/\.js$/, '.ts')
    .replace(/\.mjs$/, '.mts');
}

/** Files that are or will be in the repository: tracked ones and new ones that are not ignored. */
export function committedFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return list
    .split('\0')
    .filter((name) => name !== '' && fs.existsSync(path.join(projectRoot, name)));
}

/**
 * Cycles of the import graph, each as the list of its modules; one per set of modules that reach
 * each other.
 */
export function findCycles(modules: readonly SourceModule[]): string[][] {
  const importsOf = new Map(modules.map((module) => [module.path, module.imports]));
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[][] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(name)), name]);
      return;
    }
    state.set(name, 'open');
    for (const next of importsOf.get(name) ?? []) visit(next, [...trail, name]);
    state.set(name, 'done');
  };
  for (const module of modules) visit(module.path, []);
  return cycles;
}
