// Reads a JSON body under limits (invariants S3, S10): valid UTF-8, bounded depth and number of
// keys, no key by which prototypes are reached. The bounds are checked on the bytes before anything
// is built, so a hostile body costs one pass over it.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import { parseJson } from '../model/json-text.js';

export interface JsonLimits {
  /** Nesting of lists and objects. */
  readonly depthMax: number;
  readonly keysMax: number;
}

/** Text of a body. Throws AppError 'bad-request' when it is not UTF-8. */
export function readText(body: Buffer): string {
  if (!isUtf8(body)) throw new AppError('bad-request', 'The body is not valid UTF-8');
  return body.toString('utf8');
}

/**
 * Value of a JSON body. Throws AppError 'bad-request' when it is missing, malformed, too deep or
 * too large.
 */
export function readJson(body: Buffer, limits: JsonLimits): Json {
  if (body.length === 0) throw new AppError('bad-request', 'Required request body is missing');
  checkShape(body, limits);
  const text = withoutMark(readText(body));
  let value: Json;
  try {
    value = parseJson(text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : 'malformed';
    throw new AppError('bad-request', `JSON parse error: ${detail}`, { cause });
  }
  if (forbiddenSpelling.test(text)) refuseForbiddenKeys(value);
  return value;
}

/** A byte order mark in front says nothing about UTF-8. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/**
 * Counts brackets and colons outside strings. Bodies that are too short or open too few brackets to
 * break a limit are not looked at more closely.
 */
function checkShape(body: Buffer, limits: JsonLimits): void {
  if (body.length <= limits.keysMax && openings(body) <= limits.depthMax) return;
  let depth = 0;
  let keys = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] as number;
    if (byte === quote) {
      i = endOfString(body, i + 1);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limits.depthMax) {
        throw new AppError(
          'bad-request',
          `The body is nested deeper than ${limits.depthMax} levels`,
        );
      }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte === colon && ++keys > limits.keysMax) {
      throw new AppError('bad-request', `The body has more than ${limits.keysMax} keys`);
    }
  }
}

/** Opening brackets, those inside strings counted. */
function openings(body: Buffer): number {
  let count = 0;
  // They differ in one bit.
  for (let i = 0; i < body.length; i++) if (((body[i] as number) & 0xdf) === 0x5b) count++;
  return count;
}

/** Index of the closing quote of the string that starts at `from`, or the end of the body. */
function endOfString(body: Buffer, from: number): number {
  for (let i = from; i < body.length; i++) {
    const byte = body[i] as number;
    if (byte === quote) return i;
    if (byte === backslash) i++;
  }
  return body.length;
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** One of them spelled out, or a letter or underscore by its number. */
const forbiddenSpelling = /__proto__|constructor|prototype|\\u00(?:5[fF]|[67])/;

function refuseForbiddenKeys(value: Json): void {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const item of value) refuseForbiddenKeys(item);
    return;
  }
  for (const key of Object.keys(value)) {
    if (forbiddenKeys.has(key)) {
      throw new AppError('bad-request', `The key ${key} is not allowed`);
    }
    refuseForbiddenKeys(value[key] as Json);
  }
}
