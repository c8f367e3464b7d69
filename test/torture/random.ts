// Randomness that a seed repeats. What a worker does with a task hangs on the task alone, not on
// the order of events, so that the same seed asks the same of the server although the timing of two
// runs differs.

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number of `from` to `to`, both included. */
  between(from: number, to: number): number;
}

/** A generator of 32 bits of state (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, between: (from, to) => from + Math.floor(next() * (to - from + 1)) };
}

/** A number of 0 to below 1 that hangs only on the seed and the text (FNV-1a, then mixed). */
export function chanceOf(seed: number, text: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return createRandom(hash).next();
}
