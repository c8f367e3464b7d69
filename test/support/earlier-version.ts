// A server of an earlier version, built from the history of this repository: its own sources with
// the packages of this checkout. It is compiled once and kept; a test that finds no history skips
// with a sentence.
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../testkit/project.js';
import { install } from './tool-cache.js';

/** What of the commit a server is built from. */
const parts = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const modules = path.join(projectRoot, 'node_modules');

/** Its main module, below `folder`; or why there is none. */
export async function writeEarlierVersion(
  folder: string,
  commit: string,
): Promise<{ readonly main: string } | { readonly missing: string }> {
  const built = await install(`earlier-${commit}`, (into) => {
    const archive = path.join(into, 'sources.tar');
    const tsc = path.join(modules, 'typescript', 'bin', 'tsc');
    const others = `find . -type f ! -name '*.ts' -exec cp --parents {} ../dist ';'`;
    return [
      ['git', '-C', projectRoot, 'archive', '--output', archive, commit, ...parts],
      ['tar', '-xf', archive, '-C', into],
      ['ln', '-sfn', modules, path.join(into, 'node_modules')],
      [process.execPath, tsc, '-p', path.join(into, 'tsconfig.build.json'), '--noCheck'],
      ['sh', '-c', `cd '${into}/src' && ${others}`],
      ['rm', path.join(into, 'node_modules')],
    ];
  });
  if ('missing' in built) return built;
  for (const part of ['dist', 'package.json']) {
    fs.cpSync(path.join(built.folder, part), path.join(folder, part), { recursive: true });
  }
  linkPackages(path.join(folder, 'node_modules'));
  return { main: path.join(folder, 'dist', 'main.js') };
}

/** All but the plug-ins, which are those of this version. */
function linkPackages(folder: string): void {
  fs.mkdirSync(folder);
  for (const name of fs.readdirSync(modules)) {
    if (name !== '@downbeat') fs.symlinkSync(path.join(modules, name), path.join(folder, name));
  }
}
