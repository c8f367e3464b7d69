// Makes a folder with those above it.
import fs from 'node:fs';
import path from 'node:path';
import { badInput } from './failure.js';

/**
 * One folder after the other: the recursive form of mkdir never returns where the system says of a
 * folder that exists that it does not, as Linux does below /proc. Throws a Failure (bad input).
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    make(folder, mode);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw badInput(`The folder ${folder} cannot be made (${code}).`);
  }
}

function make(folder: string, mode: number): void {
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (path.dirname(folder) !== folder) make(path.dirname(folder), mode);
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    // Another process makes it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || found !== undefined) throw error;
  }
}
