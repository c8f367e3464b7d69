// A server of another version, for tests of nodes of several versions side by side.
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../testkit/project.js';

/** One replacement in a file of the built server. */
export interface Edit {
  /** Below dist. */
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

/**
 * Writes the server as it was built, but for an edit, under another version number. Returns its
 * main module. Throws when the edit finds nothing to replace.
 */
export function writeOtherVersion(folder: string, edit?: Edit): string {
  const dist = path.join(folder, 'dist');
  fs.cpSync(path.join(projectRoot, 'dist'), dist, {
    recursive: true,
    filter: (file) => !/dist\/(tools|ui)(\/|$)/.test(file),
  });
  fs.symlinkSync(path.join(projectRoot, 'node_modules'), path.join(folder, 'node_modules'));
  const text = fs.readFileSync(path.join(projectRoot, 'package.json'), 'utf8');
  const manifest = { ...(JSON.parse(text) as object), version: '99.0.0' };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  if (edit !== undefined) {
    const file = path.join(dist, edit.file);
    const before = fs.readFileSync(file, 'utf8');
    if (!edit.from.test(before)) throw new Error(`${edit.file} has no ${String(edit.from)}`);
    fs.writeFileSync(file, before.replace(edit.from, edit.to));
  }
  return path.join(dist, 'main.js');
}
