// How deeply a JSON text nests, told without parsing it.

const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether lists and maps stand inside each other more than `depthMax` times. Texts that open too
 * few brackets for that are not looked at more closely.
 */
export function isDeeperThan(text: string, depthMax: number): boolean {
  if (text.length <= 2 * depthMax || !hasOpenings(text, depthMax + 1)) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i + 1);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Whether so many brackets open, those inside strings counted. `indexOf` takes no step a byte. */
export function hasOpenings(text: string, many: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    let at = text.indexOf(bracket);
    for (; at >= 0 && count < many; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count >= many;
}

/**
 * Index of the closing quote of the string that starts at `from`, or the end of the text. A long
 * string is not looked at character by character: `indexOf` finds its quote some thirty times as
 * fast.
 */
export function endOfString(text: string, from: number): number {
  const near = Math.min(text.length, from + nearChars);
  for (let i = from; i < near; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i;
    if (code === backslash) i++;
  }
  let at = text.indexOf('"', from);
  while (at >= 0 && isEscaped(text, at, from)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

/** Whether an odd number of backslashes stands before `at` in the string that starts at `from`. */
function isEscaped(text: string, at: number, from: number): boolean {
  let first = at;
  while (first > from && text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

/** Most strings end before; looking for their end costs less than a call. */
const nearChars = 64;
