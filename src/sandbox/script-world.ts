// Time and chance for the scripts of a test server: the time of the server's clock, which may be
// far from that of the machine, and random numbers that repeat with the seed of the run.
import { createHash } from 'node:crypto';

export interface ScriptWorld {
  /** How far the server's clock is ahead of the machine's, ms. */
  readonly skippedMs: number;
  /** undefined: random numbers are random. */
  readonly seed: number | undefined;
}

/** The part of the world that travels with a job. */
export interface JobWorld {
  readonly skippedMs: number;
  /** Of this script with this input, so that the order in which scripts run does not matter. */
  readonly seed32?: number;
}

export function jobWorldOf(
  { skippedMs, seed }: ScriptWorld,
  { source, inputText }: { source: string; inputText: string },
): JobWorld {
  if (seed === undefined) return { skippedMs };
  const hash = createHash('sha256').update(`${seed}|${source}|${inputText}`).digest();
  return { skippedMs, seed32: hash.readUInt32BE(0) };
}

/** Source that puts it in place of the script's `Date` and `Math.random`. */
export function worldPrelude({ skippedMs, seed32 }: JobWorld): string {
  return `${datePrelude(skippedMs)}\n${seed32 === undefined ? '' : randomPrelude(seed32)}`;
}

function datePrelude(skippedMs: number): string {
  return `(() => {
  const Real = Date;
  const now = Real.now.bind(Real);
  function Moved(...given) {
    const moment = given.length === 0 ? [now() + ${skippedMs}] : given;
    if (new.target === undefined) return new Real(now() + ${skippedMs}).toString();
    return Reflect.construct(Real, moment, new.target);
  }
  Moved.prototype = Real.prototype;
  Moved.prototype.constructor = Moved;
  Moved.now = () => now() + ${skippedMs};
  Moved.parse = Real.parse;
  Moved.UTC = Real.UTC;
  globalThis.Date = Moved;
})();`;
}

/** Mulberry32: small, and the same everywhere. */
function randomPrelude(seed32: number): string {
  return `(() => {
  let state = ${seed32};
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
})();`;
}
