// Messages between the sandbox and its worker processes: plain data, JSON as text.
import type { JobWorld } from './script-world.js';
import type { ScriptRequest } from '../engine/script.js';

export interface ScriptJob {
  language: ScriptRequest['language'];
  source: string;
  /** JSON text of `$` or `.`. */
  inputText: string;
  timeMsMax: number;
  memoryBytesMax: number;
  /** Characters of JSON text. */
  outputCharsMax: number;
  /** Of a test server; absent: the time and chance of the machine. */
  world?: JobWorld;
}

export type ScriptAnswer =
  /** JSON text of the value; for jq of the list of all results. */
  { kind: 'value'; text: string } | { kind: 'error' | 'limit'; message: string };

/** First message of a worker: it takes jobs now. */
export const workerReady = 'ready';

/** Text of the time limit (semantics 4.17). */
export function timeLimitMessage(timeMsMax: number): string {
  return `Script not evaluated within ${timeMsMax / 1000} seconds, interrupted.`;
}

export function memoryLimitMessage(memoryBytesMax: number): string {
  return `Script needs more memory than the limit of ${memoryBytesMax} bytes.`;
}

export function outputLimitMessage(outputCharsMax: number): string {
  return `Script result is larger than the limit of ${outputCharsMax} bytes.`;
}
