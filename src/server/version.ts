// The server's version, as package.json has it, and when it was built.
import fs from 'node:fs';
import { createRequire } from 'node:module';

export const version: string = (
  createRequire(import.meta.url)('../../package.json') as { version: string }
).version;

/** When this file was compiled, in ISO form. */
export function buildDate(): string {
  return fs.statSync(new URL(import.meta.url)).mtime.toISOString();
}
