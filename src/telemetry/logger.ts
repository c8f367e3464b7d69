// The log: pino JSON lines, readable text where the output is a terminal. No secrets and no
// payloads go into it (invariants S6, S19). A line that is written for a request with a trace
// context carries that, so that the lines of a trace are found.
import { writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';

import { contextIn, currentTrace } from './trace.js';
import { loggedTrace } from './trace-context.js';

export type { Logger };

/**
 * `level`: a pino level name. `readable` overrides what the terminal suggests. `node` stands on
 * each line, where several nodes write to one log.
 */
export async function createLogger(
  level: string,
  readable = process.stdout.isTTY,
  node?: string,
): Promise<Logger> {
  const base = { pid: process.pid, ...(node !== undefined && { node }) };
  const mixin = (): object => loggedTrace(contextIn(currentTrace()));
  if (!readable) return pino({ level, base, mixin });
  const { readableLine } = await import('./readable-log.js');
  return pino({ level, base, mixin }, { write: (line) => void writeSync(1, readableLine(line)) });
}
