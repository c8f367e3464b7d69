// The server's version, as package.json has it.
import { createRequire } from 'node:module';

export const version: string = (
  createRequire(import.meta.url)('../package.json') as { version: string }
).version;
