// Where a page far down a list begins. Entries in front of it need not be read: counting how many
// stand in front of a time costs a call, and a few guesses, each between the two nearest times that
// are known, find one with little left between it and the page.

/** A time, and how many entries stand in front of it in the order of the list. */
export interface Mark {
  /** Epoch ms. */
  readonly at: number;
  readonly before: number;
}

/** Counting once more costs as much as reading so many entries, nearly. */
const guessesMax = 12;

/**
 * The mark nearest to position `start` that is not behind it. `first` and `last` are the times of
 * the first and the last entry; `countBefore` says how many entries stand in front of all those of
 * a time. Stops where `skippedMax` entries or fewer are left in front of the page.
 */
export async function markOf(
  start: number,
  list: { readonly first: number; readonly last: number; readonly total: number },
  options: { skippedMax: number; countBefore: (at: number) => Promise<number> },
): Promise<Mark> {
  let near: Mark = { at: list.first, before: 0 };
  // One step behind the last entry, where all of them have passed.
  let far: Mark = { at: list.last + Math.sign(list.last - list.first), before: list.total };
  for (let guess = 1; guess <= guessesMax; guess += 1) {
    if (start - near.before <= options.skippedMax || Math.abs(far.at - near.at) <= 1) break;
    const at = between(near, far, isHalved(guess) ? undefined : start - options.skippedMax / 2);
    const mark = { at, before: await options.countBefore(at) };
    if (mark.before <= start) near = mark;
    else far = mark;
  }
  return near;
}

/** Times that are spread unevenly mislead guesses by share; every third one halves what is left. */
function isHalved(guess: number): boolean {
  return guess % 3 === 0;
}

/** A time between both; with a position in its share of the way. */
function between(near: Mark, far: Mark, position: number | undefined): number {
  const share =
    position === undefined ? 0.5 : (position - near.before) / (far.before - near.before);
  const at = Math.round(near.at + (far.at - near.at) * Math.min(1, Math.max(0, share)));
  const step = Math.sign(far.at - near.at);
  if (at === near.at) return near.at + step;
  return at === far.at ? far.at - step : at;
}
