// Ids as keys and members carry them: 16 characters for an execution instead of 36. They hold the
// 90 bits that differ between ids (std/ids.ts), six to a character of an alphabet in the order of
// its codes, so that short ids sort like long ones, which pages of a search rely on.
import type { ExecutionId } from '../../std/ids.js';

const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** Characters of a short id. */
export const shortIdLength = 16;

const valueOf = new Uint8Array(128);
for (let value = 0; value < alphabet.length; value++) valueOf[alphabet.charCodeAt(value)] = value;

/** Value of the hexadecimal digit (lower case) at `index`. */
function digit(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code > 57 ? code - 87 : code - 48;
}

/** Two characters for three hexadecimal digits. */
function pair(text: string, a: number, b: number, c: number): string {
  const bits = (digit(text, a) << 8) | (digit(text, b) << 4) | digit(text, c);
  return (alphabet[bits >> 6] as string) + (alphabet[bits & 63] as string);
}

/** The 23 digits of an id that are not the same in all, and one zero. */
export function shortIdOf(id: ExecutionId): string {
  return (
    pair(id, 0, 1, 2) +
    pair(id, 3, 4, 5) +
    pair(id, 6, 7, 9) +
    pair(id, 10, 11, 12) +
    pair(id, 15, 16, 17) +
    pair(id, 19, 20, 21) +
    pair(id, 22, 24, 25) +
    lastPair(id)
  );
}

function lastPair(id: string): string {
  const bits = (digit(id, 26) << 8) | (digit(id, 27) << 4);
  return (alphabet[bits >> 6] as string) + (alphabet[bits & 63] as string);
}

/** The id that `shortIdOf` shortened; longer texts may begin with it. */
export function executionIdOfShort(text: string): ExecutionId {
  let hex = '';
  for (let i = 0; i < shortIdLength; i += 2) {
    const high = valueOf[text.charCodeAt(i)] as number;
    const bits = (high << 6) | (valueOf[text.charCodeAt(i + 1)] as number);
    hex += (bits + 0x1000).toString(16).slice(1);
  }
  return (hex.slice(0, 8) +
    '-' +
    hex.slice(8, 12) +
    '-8' +
    hex.slice(12, 15) +
    '-' +
    hex.slice(15, 19) +
    '-' +
    hex.slice(19, 23) +
    '00000000') as ExecutionId;
}
