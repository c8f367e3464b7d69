// Pauses of loops whose steps wait for nothing but promises: between those no timer and no request
// gets a turn, so a loop over thousands of them would stop the process.
//
// All such loops of the process share one turn of the event loop: once they have used up a few
// milliseconds of it, each waits in line, and a later turn begins with the first in line. A bound
// for each of them would let so many loops hold the process so many times as long.
import { performance } from 'node:perf_hooks';

/** The share of one turn of the event loop that all loops have together, ms. */
const turnMsMax = 4;

/** Loops that wait, the next one first. */
const line: (() => void)[] = [];
/** When the turn of the event loop began that loops share; undefined: none has asked in it. */
let turnBeganAt: number | undefined;

/** Between two steps; undefined where no pause is due, so that most steps wait for nothing. */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
  if (turnBeganAt === undefined) {
    beginTurn(now);
    return undefined;
  }
  if (now - turnBeganAt < turnMsMax) return undefined;
  return new Promise<void>((resume) => line.push(resume));
}

function beginTurn(now: number): void {
  turnBeganAt = now;
  setImmediate(endTurn);
}

function endTurn(): void {
  turnBeganAt = undefined;
  const next = line.shift();
  if (next === undefined) return;
  beginTurn(performance.now());
  next();
}
