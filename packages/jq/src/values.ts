// Values of jq: order, arithmetic, access. Integers too long for a double keep their digits until
// they are calculated with.
import { isMap, type Json, type JsonMap, printable, setOwn, startOfText } from './json.js';

/** Characters of a value that an error of the program shows. */
const messageCharsMax = 4_096;

/** An error of the program, which `try` catches. */
export class JqError extends Error {
  constructor(readonly value: Json) {
    super(
      typeof value === 'string' ? value : `${startOfText(value, messageCharsMax)} (not a string)`,
    );
  }
}

/** Characters of a text the program makes. */
export const textCharsMax = 16 * 1024 * 1024;

/** A limit was met; not to be caught by the program. */
export class JqLimit extends Error {}

/** The program names what does not exist. */
export class JqUndefined extends Error {}

export type JqType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function typeOf(value: Json): JqType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'bigint' ? 'number' : (type as JqType);
}

export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

export function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The value with NaN and infinities replaced at every level, ready to leave the program. */
export function toResult(value: Json): Json {
  if (typeof value === 'number') return printable(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toResult);
  const map: JsonMap = {};
  for (const [key, item] of Object.entries(value)) setOwn(map, key, toResult(item));
  return map;
}

/** The value as error messages show it. */
export function shown(value: Json): string {
  const text = startOfText(value, 30);
  return text.length > 30 ? `${text.slice(0, 27)}...` : text;
}

const ranks: Record<JqType, number> = {
  null: 0,
  boolean: 1,
  number: 2,
  string: 3,
  array: 4,
  object: 5,
};

/** Negative, 0 or positive; the total order of jq. */
export function compare(a: Json, b: Json): number {
  if (a === b) return 0;
  const rank = ranks[typeOf(a)] - ranks[typeOf(b)];
  if (rank !== 0) return rank;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a == b ? 0 : a > b ? 1 : -1;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean') return a ? 1 : -1;
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  return compareMaps(a as JsonMap, b as JsonMap);
}

/** By code points, which differs from the order of UTF-16 units beyond the basic plane. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xHigh = x >= 0xd800 && x <= 0xdfff;
    const yHigh = y >= 0xd800 && y <= 0xdfff;
    if (xHigh !== yHigh) return xHigh ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

function compareLists(a: Json[], b: Json[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(a[i] as Json, b[i] as Json);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareMaps(a: JsonMap, b: JsonMap): number {
  const keysA = sortedKeys(a);
  const keysB = sortedKeys(b);
  const order = compareLists(keysA, keysB);
  if (order !== 0) return order;
  for (const key of keysA) {
    const values = compare(a[key] as Json, b[key] as Json);
    if (values !== 0) return values;
  }
  return 0;
}

export function sortedKeys(map: JsonMap): string[] {
  return Object.keys(map).sort(compareTexts);
}

/** `value[key]`; throws JqError where the types do not fit. */
export function access(value: Json, key: Json): Json {
  if (isMap(value) && typeof key === 'string') {
    return Object.hasOwn(value, key) ? (value[key] as Json) : null;
  }
  if (Array.isArray(value) && isNumber(key)) {
    const at = Math.floor(Number(key));
    return value[at < 0 ? value.length + at : at] ?? null;
  }
  if (isMap(key) && (Array.isArray(value) || value === null)) {
    return sliceOf(value, access(key, 'start'), access(key, 'end'));
  }
  if (Array.isArray(value) && Array.isArray(key)) return indexesOf(value, key);
  if (value === null && (typeof key === 'string' || isNumber(key) || key === null)) return null;
  if (typeof key === 'string' && !isMap(value)) {
    throw new JqError(`Cannot index ${typeOf(value)} with string "${key}"`);
  }
  throw new JqError(`Cannot index ${typeOf(value)} with ${typeOf(key)}`);
}

/** `value[from:to]` of a list, a text (by code points) or null. */
export function sliceOf(value: Json, from: Json, to: Json): Json {
  if (value === null) return null;
  if (!Array.isArray(value) && typeof value !== 'string') {
    throw new JqError(`Cannot index ${typeOf(value)} with object`);
  }
  if ((from !== null && !isNumber(from)) || (to !== null && !isNumber(to))) {
    throw new JqError('Start and end indices of an array slice must be numbers');
  }
  if (typeof value !== 'string') return value.slice(...sliceBounds(value.length, from, to));
  const points = Array.from(value);
  return points.slice(...sliceBounds(points.length, from, to)).join('');
}

export function sliceBounds(length: number, from: Json, to: Json): [number, number] {
  const bound = (at: Json, absent: number, round: (n: number) => number): number => {
    if (!isNumber(at)) return absent;
    const number = Number(at);
    const whole = round(number < 0 ? number + length : number);
    return Math.min(length, Math.max(0, whole));
  };
  const start = bound(from, 0, Math.floor);
  return [start, Math.max(start, bound(to, length, Math.ceil))];
}

/** Where the list `part` begins inside `list`. */
export function indexesOf(list: Json[], part: Json[]): Json[] {
  const found: Json[] = [];
  if (part.length === 0) return found;
  for (let i = 0; i + part.length <= list.length; i++) {
    if (part.every((item, j) => compare(item, list[i + j] as Json) === 0)) found.push(i);
  }
  return found;
}

export function add(a: Json, b: Json): Json {
  if (a === null) return b;
  if (b === null) return a;
  if (isNumber(a) && isNumber(b)) return Number(a) + Number(b);
  if (typeof a === 'string' && typeof b === 'string') return joined(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return a.concat(b);
  if (isMap(a) && isMap(b)) return { ...a, ...b };
  return refuse(a, b, 'added');
}

function joined(a: string, b: string): string {
  if (a.length + b.length > textCharsMax) throw new JqLimit('text too long');
  return a + b;
}

export function subtract(a: Json, b: Json): Json {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.filter((item) => !b.some((other) => compare(item, other) === 0));
  }
  return refuse(a, b, 'subtracted');
}

export function multiply(a: Json, b: Json): Json {
  if (isNumber(a) && isNumber(b)) return Number(a) * Number(b);
  if (typeof a === 'string' && isNumber(b)) return repeat(a, Number(b));
  if (isNumber(a) && typeof b === 'string') return repeat(b, Number(a));
  if (isMap(a) && isMap(b)) return mergeDeep(a, b);
  return refuse(a, b, 'multiplied');
}

function repeat(text: string, times: number): Json {
  if (!(times > 0)) return null;
  const count = times < 1 ? 1 : Math.floor(times);
  if (text.length * count > textCharsMax) throw new JqLimit('text too long');
  return text.repeat(count);
}

function mergeDeep(a: JsonMap, b: JsonMap): JsonMap {
  const merged: JsonMap = { ...a };
  for (const [key, item] of Object.entries(b)) {
    const own = Object.hasOwn(merged, key) ? (merged[key] as Json) : null;
    setOwn(merged, key, isMap(own) && isMap(item) ? mergeDeep(own, item) : item);
  }
  return merged;
}

export function divide(a: Json, b: Json): Json {
  if (isNumber(a) && isNumber(b)) {
    if (Number(b) === 0) return refuse(a, b, 'divided because the divisor is zero');
    return Number(a) / Number(b);
  }
  if (typeof a === 'string' && typeof b === 'string') return splitText(a, b);
  return refuse(a, b, 'divided');
}

export function splitText(text: string, separator: string): string[] {
  if (text === '') return [];
  return separator === '' ? Array.from(text) : text.split(separator);
}

export function modulo(a: Json, b: Json): Json {
  if (!isNumber(a) || !isNumber(b)) return refuse(a, b, 'divided');
  const dividend = Math.trunc(Number(a));
  const divisor = Math.abs(Math.trunc(Number(b)));
  if (Number.isNaN(dividend) || Number.isNaN(divisor)) return Number.NaN;
  if (divisor === 0) return refuse(a, b, 'divided because the divisor is zero');
  // Adding 0 turns a negative zero into zero.
  return (dividend % divisor) + 0;
}

function refuse(a: Json, b: Json, what: string): never {
  throw new JqError(`${typeOf(a)} (${shown(a)}) and ${typeOf(b)} (${shown(b)}) cannot be ${what}`);
}
