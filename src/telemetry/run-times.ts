// How long tasks ran, as numbers of them by length: four lengths of time for each doubling, so a
// length tells a time to an eighth of it, and few numbers hold any spread. The numbers of several
// minutes and processes add up, which percentiles of them would not.

/** Longer times count as this, 24 days. */
const msMax = 2 ** 31 - 1;
/** Lengths of time that are told apart. */
export const lengthsMax = 120;

/** Which length of time holds `ms`: exactly one for each time below 8 ms. */
export function lengthOf(ms: number): number {
  const whole = Math.max(0, Math.min(msMax, Math.round(ms)));
  if (whole < 4) return whole;
  const power = 31 - Math.clz32(whole);
  return (power - 1) * 4 + ((whole >> (power - 2)) & 3);
}

/** The middle of a length of time, milliseconds. */
export function middleOf(length: number): number {
  if (length < 8) return length;
  const width = 2 ** (Math.floor(length / 4) - 1);
  return (4 + (length % 4)) * width + Math.floor((width - 1) / 2);
}

/** The time that `share` of the tasks did not exceed, to an eighth; `counts` by length of time. */
export function percentile(counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + (count || 0), 0);
  let left = Math.max(1, Math.ceil(total * share));
  for (let length = 0; length < counts.length; length += 1) {
    left -= counts[length] ?? 0;
    if (left <= 0) return middleOf(length);
  }
  return 0;
}
