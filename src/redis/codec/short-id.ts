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
/** Digits of the id that is being shortened. */
const hex = new Uint8Array((shortIdLength * 3) / 2);
/** Where the digits stand that are not the same in all ids. */
const digitsAt = [
  0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27,
];

/** Called as such: looking up a text's property is slow where texts have many inner forms. */
const codeAt = String.prototype.charCodeAt;

/** The 23 digits of an id that are not the same in all, and one zero; of a task's id too. */
export function shortIdOf(id: ExecutionId | TaskId): string {
  putShortId(id, scratch);
  return scratch.toString('latin1');
}

/** The same into the beginning of `target`. */
export function putShortId(id: ExecutionId | TaskId, target: Uint8Array): void {
  for (let i = 0; i < digitsAt.length; i++) {
    hex[i] = digits[codeAt.call(id, digitsAt[i] as number)] as number;
  }
  // The last digit stays 0.
  for (let i = 0, at = 0; i < shortIdLength; i += 2, at += 3) {
    const bits =
      ((hex[at] as number) << 8) | ((hex[at + 1] as number) << 4) | (hex[at + 2] as number);
    target[i] = characters[bits >> 6] as number;
    target[i + 1] = characters[bits & 63] as number;
  }
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
