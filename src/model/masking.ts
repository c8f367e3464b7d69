// Masks parts of payloads for readers (semantics 3.7): values under `_secrets` and `_masked` at any
// depth, and under the names that the definition lists as `maskedFields`. Workers and the engine
// get the real values; each interface that shows payloads masks them.
import type { Json, JsonMap } from './json.js';
import { Payload } from './payload.js';

const shown = '***';
const alwaysMasked = ['_secrets', '_masked'];
/** The beginning of each of them in a text. */
const markOfAlwaysMasked = '"_';
const depthMax = 256;

/** The payload itself when there is nothing to mask in it. */
export function maskedPayload(payload: Payload, maskedFields: readonly string[]): Payload {
  const { text } = payload;
  const isIn = (name: string): boolean => text.includes(JSON.stringify(name));
  const names = maskedFields.filter(isIn);
  if (text.includes(markOfAlwaysMasked)) names.push(...alwaysMasked.filter(isIn));
  if (names.length === 0) return payload;
  return Payload.of(masked(payload.value, new Set(names), 0) as JsonMap);
}

function masked(value: Json, names: ReadonlySet<string>, depth: number): Json {
  if (value === null || typeof value !== 'object') return value;
  if (depth >= depthMax) return shown;
  if (Array.isArray(value)) return value.map((item) => masked(item, names, depth + 1));
  return mapValues(value, (key, item) =>
    names.has(key) ? hidden(item, depth + 1) : masked(item, names, depth + 1),
  );
}

/** Names stay, so that a reader sees what there is; values do not. */
function hidden(value: Json, depth: number): Json {
  if (value === null) return null;
  if (typeof value !== 'object' || depth >= depthMax) return shown;
  if (Array.isArray(value)) return value.map((item) => hidden(item, depth + 1));
  return mapValues(value, (_key, item) => hidden(item, depth + 1));
}

/**
 * Replaces the masked values in a map that a caller gives back: a value that stands as it was shown
 * becomes the value itself. `before` is that value unmasked.
 */
export function unmaskedMap(
  given: JsonMap,
  before: Json | undefined,
  maskedFields: readonly string[],
): JsonMap {
  const names = new Set([...maskedFields, ...alwaysMasked]);
  return unmasked(given, before, names, false) as JsonMap;
}

function unmasked(
  given: Json,
  before: Json | undefined,
  names: ReadonlySet<string>,
  isHidden: boolean,
): Json {
  if (isHidden && given === shown && isScalar(before)) return before;
  if (given === null || typeof given !== 'object') return given;
  if (before === null || typeof before !== 'object') return given;
  if (Array.isArray(given)) {
    if (!Array.isArray(before)) return given;
    return given.map((item, i) => unmasked(item, before[i], names, isHidden));
  }
  if (Array.isArray(before)) return given;
  return mapValues(given, (key, item) =>
    unmasked(item, before[key], names, isHidden || names.has(key)),
  );
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

function mapValues(map: JsonMap, change: (key: string, value: Json) => Json): JsonMap {
  const result = Object.create(null) as JsonMap;
  for (const key of Object.keys(map)) result[key] = change(key, map[key] as Json);
  return result;
}
