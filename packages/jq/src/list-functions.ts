// Functions of jq on maps and lists.
import { type Json, type JsonMap, setOwn, isMap } from './json.js';
import {
  fail,
  flat,
  listOf,
  NativeTable,
  numberOf,
  searching,
  sorting,
  valuesOf,
} from './natives.js';
import { changePath, deletePaths, getPath } from './paths.js';
import { textOf } from './formats.js';
import { changeCost, deepCost, partsCost } from './weights.js';
import {
  add,
  compare,
  indexesOf,
  isTrue,
  JqError,
  JqLimit,
  sortedKeys,
  textCharsMax,
  typeOf,
} from './values.js';

export const listFunctions = new NativeTable();

listFunctions.define('keys/0', (value) => keysOf(value, sortedKeys), flat);
listFunctions.define('keys_unsorted/0', (value) => keysOf(value, Object.keys), flat);
listFunctions.define('add/0', (value) => sumOf(valuesOf(value)));
listFunctions.define('any/0', (value) => valuesOf(value).some(isTrue), flat);
listFunctions.define('all/0', (value) => valuesOf(value).every(isTrue), flat);
listFunctions.define(
  'reverse/0',
  (value) => {
    if (value === null) return [];
    if (typeof value === 'string') return Array.from(value).reverse().join('');
    return listOf(value, 'cannot be reversed, as it is not an array').toReversed();
  },
  flat,
);
listFunctions.define(
  'sort/0',
  (value) => listOf(value, 'cannot be sorted, as it is not an array').toSorted(compare),
  sorting,
);
listFunctions.define(
  'unique/0',
  (value) => distinct(listOf(value, 'cannot be sorted, as it is not an array').toSorted(compare)),
  sorting,
);
listFunctions.define('min/0', (value) => extreme(listOf(value, 'cannot be iterated over'), -1));
listFunctions.define('max/0', (value) => extreme(listOf(value, 'cannot be iterated over'), 1));
listFunctions.define('flatten/0', (value) =>
  flatten(listOf(value, 'cannot be flattened'), Number.POSITIVE_INFINITY),
);
listFunctions.define('flatten/1', (value, depth) => {
  if (numberOf(depth) < 0) throw new JqError('flatten depth must not be negative');
  return flatten(listOf(value, 'cannot be flattened'), numberOf(depth));
});
listFunctions.define(
  'transpose/0',
  (value) => {
    const rows = listOf(value, 'cannot be transposed').map((row) =>
      listOf(row, 'cannot be transposed'),
    );
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    return Array.from({ length: width }, (_, i) => rows.map((row) => row[i] ?? null));
  },
  transposingCost,
);
listFunctions.define(
  'to_entries/0',
  (value) => {
    if (Array.isArray(value)) return value.map((item, i) => ({ key: i, value: item }));
    if (!isMap(value)) return fail(value, 'has no keys');
    return Object.entries(value).map(([key, item]) => ({ key, value: item }));
  },
  flat,
);
listFunctions.define(
  'from_entries/0',
  (value) => {
    const map: JsonMap = {};
    for (const entry of valuesOf(value)) setOwn(map, entryKey(entry), entryValue(entry));
    return map;
  },
  flat,
);
listFunctions.define('indices/1', (value, part) => indicesOf(value, part), searching);
listFunctions.define(
  'index/1',
  (value, part) => (indicesOf(value, part) as Json[] | null)?.at(0) ?? null,
  searching,
);
listFunctions.define(
  'rindex/1',
  (value, part) => (indicesOf(value, part) as Json[] | null)?.at(-1) ?? null,
  searching,
);
listFunctions.define(
  'setpath/2',
  (value, path, item) =>
    changePath(value, listOf(path, 'Path must be specified as an array'), () => item),
  (_left, value, path = null) => (Array.isArray(path) ? changeCost(value, path) : 0),
);
listFunctions.define(
  'delpaths/1',
  (value, paths) =>
    deletePaths(
      value,
      listOf(paths, 'Paths must be specified as an array').map((path) =>
        listOf(path, 'Path must be specified as an array'),
      ),
    ),
  deletingCost,
);
listFunctions.define(
  'bsearch/1',
  (value, item) => {
    const list = listOf(value, 'cannot be searched from');
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(list[middle] as Json, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low < list.length && compare(list[low] as Json, item) === 0 ? low : -1 - low;
  },
  (left, _value, item = null) => 20 * (1 + deepCost(item, left)),
);
listFunctions.defineMany('tostream/0', (value) => streamOf(value));

/** A result has as many rows as the longest row has items, each as long as the input. */
function transposingCost(_left: number, value: Json): number {
  if (!Array.isArray(value)) return 0;
  const width = value.reduce<number>(
    (most, row) => Math.max(most, Array.isArray(row) ? row.length : 0),
    0,
  );
  return partsCost(value.length * (width + 1));
}

/** Paths are sorted, and each one copies what stands on its way. */
function deletingCost(left: number, value: Json, paths: Json = null): number {
  if (!Array.isArray(paths)) return 0;
  let cost = sorting(left, paths);
  for (const path of paths) {
    if (cost > left) break;
    if (Array.isArray(path)) cost += changeCost(value, path);
  }
  return cost;
}

function keysOf(value: Json, keys: (map: JsonMap) => string[]): Json {
  if (Array.isArray(value)) return value.map((_, i) => i);
  return isMap(value) ? keys(value) : fail(value, 'has no keys');
}

/** Sum of many values without making every sum between. */
function sumOf(values: readonly Json[]): Json {
  if (values.length > 1 && values.every((each) => typeof each === 'string')) {
    const length = values.reduce((sum, text) => sum + text.length, 0);
    if (length > textCharsMax) throw new JqLimit('text too long');
    return values.join('');
  }
  if (values.length > 1 && values.every((each) => Array.isArray(each))) return values.flat(1);
  if (values.length > 1 && values.every((each) => isMap(each))) {
    const merged: JsonMap = {};
    for (const map of values)
      for (const [key, item] of Object.entries(map)) setOwn(merged, key, item);
    return merged;
  }
  return values.reduce((sum: Json, value) => add(sum, value), null);
}

function distinct(sorted: readonly Json[]): Json[] {
  return sorted.filter((item, i) => i === 0 || compare(item, sorted[i - 1] as Json) !== 0);
}

function extreme(list: readonly Json[], sign: number): Json {
  let best: Json | undefined;
  for (const item of list) {
    const order = best === undefined ? 1 : compare(item, best) * sign;
    if (order > 0 || (order === 0 && sign > 0)) best = item;
  }
  return best ?? null;
}

function flatten(list: readonly Json[], depth: number): Json[] {
  const flat: Json[] = [];
  const walk = (items: readonly Json[], left: number): void => {
    for (const item of items) {
      if (Array.isArray(item) && left > 0) walk(item, left - 1);
      else flat.push(item);
    }
  };
  walk(list, depth);
  return flat;
}

function entryKey(entry: Json): string {
  if (!isMap(entry)) return fail(entry, 'is no entry');
  for (const name of ['key', 'k', 'name', 'Name', 'K', 'Key']) {
    const key = Object.hasOwn(entry, name) ? (entry[name] as Json) : null;
    if (key === null || key === false) continue;
    return textOf(key);
  }
  return Object.hasOwn(entry, 'key') ? textOf(entry['key'] as Json) : 'null';
}

function entryValue(entry: Json): Json {
  if (!isMap(entry)) return null;
  for (const name of ['value', 'v', 'Value', 'V']) {
    if (Object.hasOwn(entry, name)) return entry[name] as Json;
  }
  return null;
}

function indicesOf(value: Json, part: Json): Json {
  if (value === null) return null;
  if (typeof value === 'string' && typeof part === 'string') return textIndices(value, part);
  if (Array.isArray(value)) return indexesOf(value, Array.isArray(part) ? part : [part]);
  throw new JqError(`Cannot determine indices of ${typeOf(part)} in ${typeOf(value)}`);
}

function textIndices(text: string, part: string): Json {
  const found: Json[] = [];
  if (part === '') return null;
  let points = 0;
  let counted = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    points += Array.from(text.slice(counted, at)).length;
    counted = at;
    found.push(points);
  }
  return found;
}

function streamOf(value: Json): Json[] {
  const events: Json[] = [];
  const walk = (item: Json, path: Json[]): void => {
    const keys =
      typeof item === 'object' && item !== null ? (keysOf(item, Object.keys) as Json[]) : [];
    if (keys.length === 0) {
      events.push([path, item]);
    } else {
      for (const key of keys) walk(getPath(item, [key]), [...path, key]);
      events.push([[...path, keys.at(-1) as Json]]);
    }
  };
  walk(value, []);
  return events;
}
