// Types of tool-options.mjs.
import type { Option, Program } from './options.mjs';

export function toolProgram(
  name: string,
  root?: string,
): Program<Readonly<Record<string, Option>>> | undefined;
