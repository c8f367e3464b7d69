// The log: pino JSON lines, readable text where the output is a terminal. No secrets and no
// payloads go into it (invariants S6, S19). A line that is written for a request with a trace
// context carries that, so that the lines of a trace are found.
import { writeSync } from 'node:fs';
import { destination, pino, type Logger } from 'pino';

import { contextIn, currentTrace } from './trace.js';
import { loggedTrace } from './trace-context.js';

export type { Logger };

interface LoggerOptions {
  /** Stands on each line, where several nodes write to one log. */
  readonly node?: string | undefined;
  /** Standard error, where standard output has a result; by default standard output. */
  readonly isBesides?: boolean;
}

/** `level`: a pino level name. Lines are readable text where a terminal shows them. */
export async function createLogger(
  level: string,
  { node, isBesides = false }: LoggerOptions = {},
): Promise<Logger> {
  const base = { pid: process.pid, ...(node !== undefined && { node }) };
  const mixin = (): object => loggedTrace(contextIn(currentTrace()));
  const output = isBesides ? process.stderr : process.stdout;
  const fd = isBesides ? 2 : 1;
  if (!output.isTTY) return pino({ level, base, mixin }, destination({ fd, sync: true }));
  const { readableLine } = await import('./readable-log.js');
  return pino({ level, base, mixin }, { write: (line) => void writeSync(fd, readableLine(line)) });
}
