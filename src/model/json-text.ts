// JSON text to values and back without losing digits: integers that a double cannot hold become BigInt and are written
// back digit by digit (contract-core 1.2, "integers beyond 64 bits keep their digits").
import type { Json } from './json.js';

/** Sixteen digits in a row may be an integer above 2^53; only such texts take the slow way. */
const longDigits = /\d{16}/;

/** Parses JSON text. Throws SyntaxError for malformed text. */
export function parseJson(text: string): Json {
  if (!longDigits.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(quoteLongIntegers(text), (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? fromMarked(value) : value,
  ) as Json;
}

/** JSON text of `value`. BigInt is written as a bare integer. */
export function toJsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeWithBigInts(value);
  }
}

// While parsing, long integers travel as strings behind a private-use character; a string of the user that starts with that
// character is marked too, so the two cannot be confused.
const mark = '\uE0FF';

function fromMarked(value: string): Json {
  const body = value.slice(2);
  if (value[1] === 's') return body;
  const number = Number(body);
  return Number.isSafeInteger(number) ? number : BigInt(body);
}

function quoteLongIntegers(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
    (token: string): string => {
      if (token.startsWith('"')) {
        return token.startsWith(`"${mark}`) || token.startsWith('"\\ue0ff') || token.startsWith('"\\uE0FF')
          ? `"${mark}s${token.slice(1)}`
          : token;
      }
      return /^-?\d{16,}$/.test(token) ? `"${mark}n${token}"` : token;
    },
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
