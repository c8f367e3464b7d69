// The log: pino JSON lines, readable text where the output is a terminal. No secrets and no
// payloads go into it (invariants S6, S19).
import { writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';

export type { Logger };

/** `level`: a pino level name. `readable` overrides what the terminal suggests. */
export async function createLogger(
  level: string,
  readable = process.stdout.isTTY,
): Promise<Logger> {
  if (!readable) return pino({ level, base: { pid: process.pid } });
  const { readableLine } = await import('./readable-log.js');
  return pino({ level }, { write: (line) => void writeSync(1, readableLine(line)) });
}
