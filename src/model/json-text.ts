// JSON text to values and back without losing digits: integers that a double cannot hold become
// BigInt and are written back digit by digit (contract-core 1.2, "integers beyond 64 bits keep
// their digits").
import { type Json, type JsonForm, ownRecord, setOwn } from './json.js';

/** So many digits in a row may be an integer above 2^53; only such texts take the slow way. */
const longDigits = 16;

/** Parses JSON text. Throws SyntaxError for malformed text. */
export function parseJson(text: string): Json {
  if (!hasLongDigits(text)) return JSON.parse(text) as Json;
  return restored(JSON.parse(quoteLongIntegers(text)) as Json);
}

/** Parses what the server itself wrote with `toJsonText` (`ownRecord`). */
export function parseOwnJson<T extends JsonForm<T>>(text: string): T {
  return ownRecord<T>(parseJson(text));
}

/** As `parseJson`; null for a text that is no JSON. */
export function parseJsonOrNull(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** Looks at every sixteenth character: no row of sixteen digits lies between two of them. */
function hasLongDigits(text: string): boolean {
  const { length } = text;
  for (let i = longDigits - 1; i < length; i += longDigits) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let from = i;
    while (from > 0 && isDigit(text.charCodeAt(from - 1))) from--;
    let to = i + 1;
    while (to < length && isDigit(text.charCodeAt(to))) to++;
    if (to - from >= longDigits) return true;
    i = to - 1;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** JSON text of `value`. BigInt is written as a bare integer. */
export function toJsonText<T extends JsonForm<T>>(value: T): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeWithBigInts(value as Json);
  }
}

// While parsing, long integers travel as strings behind a private-use character; a string of the
// user that starts with that character is marked too, so the two cannot be confused. Keys are never
// marked: nothing is restored there.
const mark = '\uE0FF';
const markEscape = '\\ue0ff';

/**
 * The value with what is marked as it was; lists and maps are changed in place. With a reviver
 * JSON.parse takes about twice as long for 10 MB of rows, and one long integer asks for it.
 */
function restored(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(mark) ? fromMarked(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json;
      const whole = restored(item);
      if (whole !== item) value[i] = whole;
    }
    return value;
  }
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const whole = restored(item);
    if (whole !== item) setOwn(value, key, whole);
  }
  return value;
}

function fromMarked(value: string): Json {
  const body = value.slice(2);
  if (value[1] === 's') return body;
  const number = Number(body);
  return Number.isSafeInteger(number) ? number : BigInt(body);
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** One pass; malformed text stays malformed, so that JSON.parse still refuses it. */
function quoteLongIntegers(text: string): string {
  let result = '';
  let copied = 0;
  for (let i = 0; i < text.length;) {
    const code = text.charCodeAt(i);
    let end = i + 1;
    let replacement: string | undefined;
    if (code === quote) {
      end = endOfString(text, end);
      if (startsMarked(text, i + 1) && !isKey(text, end)) {
        replacement = `"${mark}s${text.slice(i + 1, end)}`;
      }
    } else if (isNumberCode(code)) {
      while (end < text.length && isNumberCode(text.charCodeAt(end))) end++;
      const token = text.slice(i, end);
      if (end - i >= 16 && longInteger.test(token) && !isKey(text, end)) {
        replacement = `"${mark}n${token}"`;
      }
    }
    if (replacement !== undefined) {
      result += text.slice(copied, i) + replacement;
      copied = end;
    }
    i = end;
  }
  return result + text.slice(copied);
}

const longInteger = /^-?[1-9]\d{15,}$/;

/** Index behind the closing quote of the string whose first character is at `from`. */
function endOfString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    if (code === backslash) i++;
  }
  return text.length;
}

function startsMarked(text: string, from: number): boolean {
  return (
    text.startsWith(mark, from) ||
    (text.charCodeAt(from) === backslash &&
      text.slice(from, from + markEscape.length).toLowerCase() === markEscape)
  );
}

/** Whether a colon follows, blanks aside. */
function isKey(text: string, from: number): boolean {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code === colon;
  }
  return false;
}

/** Digits, signs, point and exponent. */
function isNumberCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x65 ||
    code === 0x45
  );
}

function writeWithBigInts(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeWithBigInts).join(',')}]`;
  const parts: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${writeWithBigInts(item)}`);
  }
  return `{${parts.join(',')}}`;
}

/**
 * A value as a number, as Number() has it; NaN for a list or a map. Number() itself throws for a
 * map with a `toString` that is no function, and users send such maps.
 */
export function numberFrom(value: Json | undefined): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}

/** A value as a text: as String() has it, a list or a map as JSON. String() throws as Number(). */
export function textFrom(value: Json | undefined): string {
  return typeof value === 'object' ? toJsonText(value) : String(value);
}
