// Temporary folders of tests: short paths, because Unix socket paths may have only about 100
// characters.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Makes an empty folder; the caller removes it with `removeFolder`. */
export function createFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'dbt-'));
}

/** Removes a folder with everything in it; no error when it has gone. */
export function removeFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
