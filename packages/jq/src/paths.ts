// Reading, setting and deleting by paths (lists of keys, indexes and slices) in jq values. Values
// are never changed in place.
import { type Json, type JsonMap, setOwn, isMap } from './json.js';
import {
  access,
  compare,
  isNumber,
  JqError,
  JqLimit,
  shown,
  sliceBounds,
  typeOf,
} from './values.js';

/** Elements a list may grow to by setting one of its indexes. */
const listLengthMax = 1_000_000;

/** Null where the path leads nowhere; throws JqError where the types do not fit. */
export function getPath(value: Json, path: readonly Json[]): Json {
  let current = value;
  for (const key of path) {
    if (current === null) return null;
    current = access(current, key);
  }
  return current;
}

/** `value` with `change` applied to what stands under `path`, making maps and lists on the way. */
export function changePath(
  value: Json,
  path: readonly Json[],
  change: (old: Json) => Json,
  at = 0,
): Json {
  if (at === path.length) return change(value);
  const key = path[at] as Json;
  const inner = (old: Json): Json => changePath(old, path, change, at + 1);
  if (typeof key === 'string' && (isMap(value) || value === null)) {
    const map: JsonMap = { ...(value ?? {}) };
    setOwn(map, key, inner(Object.hasOwn(map, key) ? (map[key] as Json) : null));
    return map;
  }
  if (isNumber(key) && (Array.isArray(value) || value === null)) {
    return setElement(value ?? [], Number(key), inner);
  }
  if (isMap(key) && (Array.isArray(value) || value === null)) {
    const list = value ?? [];
    const [from, to] = sliceBounds(list.length, access(key, 'start'), access(key, 'end'));
    const part = inner(list.slice(from, to));
    if (!Array.isArray(part))
      throw new JqError('A slice of an array can only be assigned another array');
    return [...list.slice(0, from), ...part, ...list.slice(to)];
  }
  if (Array.isArray(value)) throw new JqError(`Cannot update field at array index of array`);
  throw new JqError(
    `Cannot index ${typeOf(value)} with ${typeof key === 'string' ? `string "${key}"` : typeOf(key)}`,
  );
}

function setElement(list: readonly Json[], index: number, change: (old: Json) => Json): Json[] {
  const whole = Math.floor(index);
  const at = whole < 0 ? list.length + whole : whole;
  if (at < 0) throw new JqError('Out of bounds negative array index');
  if (at > listLengthMax) throw new JqLimit('list too long');
  const copy = [...list];
  while (copy.length < at) copy.push(null);
  copy[at] = change(copy[at] ?? null);
  return copy;
}

/** `value` without what stands under the paths. */
export function deletePaths(value: Json, paths: readonly Json[][]): Json {
  // The last ones first, so that indexes stay what they were.
  const ordered = [...paths].sort((a, b) => compare(b, a));
  return ordered.reduce((current: Json, path) => deletePath(current, path, 0), value);
}

function deletePath(value: Json, path: readonly Json[], at: number): Json {
  if (value === null || at === path.length) return null;
  const key = path[at] as Json;
  if (at < path.length - 1) {
    const inner = getPath(value, [key]);
    return inner === null
      ? value
      : changePath(value, [key], (old) => deletePath(old, path, at + 1));
  }
  if (isMap(value) && typeof key === 'string') {
    const { ...rest } = value;
    delete rest[key];
    return rest;
  }
  if (Array.isArray(value) && isNumber(key)) {
    const index = Math.floor(Number(key));
    const place = index < 0 ? value.length + index : index;
    return value.filter((_, i) => i !== place);
  }
  if (Array.isArray(value) && isMap(key)) {
    const [from, to] = sliceBounds(value.length, access(key, 'start'), access(key, 'end'));
    return [...value.slice(0, from), ...value.slice(to)];
  }
  throw new JqError(
    `Cannot delete field at ${typeOf(key)} index of ${typeOf(value)} ${shown(value)}`,
  );
}
