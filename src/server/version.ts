// The server's version, as package.json has it, and when it was built.
import fs from 'node:fs';
import { createRequire } from 'node:module';

export const version: string = (
  createRequire(import.meta.url)('../../package.json') as { version: string }
).version;

/** When the server was built, in ISO form; from the sources, when this file was written. */
export function buildDate(): string {
  const built = new URL('../main.js', import.meta.url);
  const file = fs.existsSync(built) ? built : new URL(import.meta.url);
  return fs.statSync(file).mtime.toISOString();
}
