// The log: pino JSON lines, readable text where the output is a terminal. No secrets and no
// payloads go into it (invariants S6, S19).
import { writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';

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
  if (!readable) return pino({ level, base });
  const { readableLine } = await import('./readable-log.js');
  return pino({ level, base }, { write: (line) => void writeSync(1, readableLine(line)) });
}
