// Ids as keys and members carry them: 16 characters for an execution instead of 36. They hold the
// 90 bits that differ between ids (std/ids.ts), six to a character of an alphabet in the order of
// its codes, so that short ids sort like long ones, which pages of a search rely on.
import type { ExecutionId, TaskId } from '../../std/ids.js';

const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** Characters of a short id. */
export const shortIdLength = 16;

const valueOf = new Uint8Array(128);
for (let value = 0; value < alphabet.length; value++) valueOf[alphabet.charCodeAt(value)] = value;
const characters = Buffer.from(alphabet);
/** By the code of a hexadecimal digit. */
const digits = new Uint8Array(128);
for (let value = 0; value < 16; value++) digits[value.toString(16).charCodeAt(0)] = value;

const scratch = Buffer.alloc(shortIdLength);

/** Two characters for the hexadecimal digits at `a`, `b` and `c`. */
function putPair(text: string, at: number, a: number, b: number, c: number): void {
  const high = digits[text.charCodeAt(a)] as number;
  const middle = digits[text.charCodeAt(b)] as number;
  const bits = (high << 8) | (middle << 4) | (digits[text.charCodeAt(c)] as number);
  scratch[at] = characters[bits >> 6] as number;
  scratch[at + 1] = characters[bits & 63] as number;
}

/** The 23 digits of an id that are not the same in all, and one zero; of a task's id too. */
export function shortIdOf(id: ExecutionId | TaskId): string {
  putPair(id, 0, 0, 1, 2);
  putPair(id, 2, 3, 4, 5);
  putPair(id, 4, 6, 7, 9);
  putPair(id, 6, 10, 11, 12);
  putPair(id, 8, 15, 16, 17);
  putPair(id, 10, 19, 20, 21);
  putPair(id, 12, 22, 24, 25);
  // Behind the end there is no digit, which counts as zero.
  putPair(id, 14, 26, 27, id.length);
  return scratch.toString('latin1');
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
