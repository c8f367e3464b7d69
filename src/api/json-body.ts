// Reads a JSON body under limits (invariants S3, S10): valid UTF-8, bounded depth and number of
// keys and of lists, no key by which prototypes are reached. The bounds are checked on the bytes
// before anything is built, so a hostile body costs one pass over it.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import { endOfString, hasOpenings } from '../model/json-depth.js';
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
  const text = withoutMark(readText(body));
  checkShape(text, limits);
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
const colon = 0x3a;

/** Lists and objects of a body for each key that it may have: an empty one costs as much as one. */
const listsPerKey = 4;

/**
 * Counts brackets and colons outside strings. Bodies that are too short or open too few brackets to
 * break a limit are not looked at more closely.
 */
function checkShape(text: string, limits: JsonLimits): void {
  if (text.length <= limits.keysMax && !hasOpenings(text, limits.depthMax + 1)) return;
  let depth = 0;
  let keys = 0;
  let lists = 0;
  const listsMax = limits.keysMax * listsPerKey;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = endOfString(text, i + 1);
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limits.depthMax) {
        throw new AppError(
          'bad-request',
          `The body is nested deeper than ${limits.depthMax} levels`,
        );
      }
      if (++lists > listsMax) {
        throw new AppError('bad-request', `The body has more than ${listsMax} lists and objects`);
      }
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    } else if (code === colon && ++keys > limits.keysMax) {
      throw new AppError('bad-request', `The body has more than ${limits.keysMax} keys`);
    }
  }
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
