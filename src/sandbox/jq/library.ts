// The functions of jq: those written here, by `name/arity`, and those written in jq itself at the end. As in jq 1.5 and later,
// without input from outside, environment, modules and SQL-style operators.
import { setOwn } from '../../engine/expression/template.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson } from '../../model/json-text.js';
import type { Jq } from './ast.js';
import { type Emit, type JqLibrary, lost, type Native, reached, type Scope } from './machine.js';
import { parseJqDefinitions } from './parse.js';
import { deletePaths, getPath, changePath } from './paths.js';
import {
  capturesOf,
  formats,
  formatTime,
  fromBrokenDown,
  matchesOf,
  parseTime,
  replaceMatches,
  textOf,
  toBrokenDown,
} from './text-functions.js';
import {
  add,
  compare,
  indexesOf,
  isMap,
  isNumber,
  isTrue,
  JqError,
  JqLimit,
  shown,
  sortedKeys,
  splitText,
  textCharsMax,
  toText,
  typeOf,
} from './values.js';

const natives = new Map<string, Native>();

/** Characters of text handled for one step of the budget. */
const charsPerStep = 16;

/** Functions of the input and the values of their arguments; every combination of arguments gives a result. */
function define(
  signature: string,
  apply: (input: Json, ...args: Json[]) => Json,
  cost: (input: Json, ...args: Json[]) => number = costOf,
): void {
  natives.set(signature, (machine, { args, scope, place }, emit) => {
    const go = (at: number, values: Json[]): void => {
      const arg = args[at];
      if (arg === undefined) {
        machine.spend(cost(place.value, ...values));
        emit(apply(place.value, ...values), lost(place));
        return;
      }
      machine.each(arg, scope, place.value, (value) => go(at + 1, [...values, value]));
    };
    go(0, []);
  });
}

function costOf(input: Json): number {
  if (typeof input === 'string') return input.length / charsPerStep;
  return Array.isArray(input) ? input.length : 0;
}

/** Steps of looking for all places of `part`. */
function searchCost(input: Json, part: Json = null): number {
  const length = typeof part === 'string' || Array.isArray(part) ? part.length : 1;
  return costOf(input) * Math.max(1, length / charsPerStep);
}

function fail(value: Json, what: string): never {
  throw new JqError(`${typeOf(value)} (${shown(value)}) ${what}`);
}

function listOf(value: Json, what: string): Json[] {
  return Array.isArray(value) ? value : fail(value, what);
}

function numberOf(value: Json): number {
  return isNumber(value) ? Number(value) : fail(value, 'number required');
}

function stringOf(value: Json, what: string): string {
  return typeof value === 'string' ? value : fail(value, what);
}

// Values of any type

define('not/0', (value) => !isTrue(value));
define('type/0', (value) => typeOf(value));
define('tostring/0', (value) => textOf(value));
define('tojson/0', (value) => toText(value));
define('toarray/0', (value) => (Array.isArray(value) ? value : [value]));
define('length/0', (value) => {
  if (value === null) return 0;
  if (typeof value === 'string') return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  if (isMap(value)) return Object.keys(value).length;
  if (isNumber(value)) return typeof value === 'bigint' && value < 0n ? -value : absolute(value);
  return fail(value, 'has no length');
});
define('tonumber/0', (value) => {
  if (isNumber(value)) return value;
  const text = stringOf(value, 'cannot be parsed as a number').trim();
  if (!/^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    return fail(value, 'cannot be parsed as a number');
  }
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
});
define('fromjson/0', (value) => {
  const text = stringOf(value, 'cannot be parsed as JSON');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return fail(value, 'cannot be parsed as JSON');
    throw error;
  }
});
define('contains/1', (value, part) => containsPart(value, part));
define('has/1', (value, key) => {
  if (isMap(value) && typeof key === 'string') return Object.hasOwn(value, key);
  if (Array.isArray(value) && isNumber(key)) return Number(key) >= 0 && Number(key) < value.length;
  throw new JqError(
    `Cannot check whether ${typeOf(value)} has a ${typeof key === 'string' ? 'string' : typeOf(key)} key`,
  );
});
define('error/0', (value) => {
  throw new JqError(value);
});
define('error/1', (_value, message) => {
  throw new JqError(message);
});
define('halt_error/0', (value) => {
  throw new JqError(value);
});
for (const [name, format] of formats) define(`format ${name}/0`, (value) => format(value));
define('format/1', (value, name) => {
  const format = formats.get(`@${textOf(name)}`);
  if (format === undefined) throw new JqError(`${textOf(name)} is not a valid format`);
  return format(value);
});

function absolute(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  return Math.abs(value);
}

function containsPart(value: Json, part: Json): boolean {
  if (isMap(value) && isMap(part)) {
    return Object.entries(part).every(
      ([key, item]) => Object.hasOwn(value, key) && containsPart(value[key] as Json, item),
    );
  }
  if (Array.isArray(value) && Array.isArray(part)) {
    return part.every((item) =>
      value.some((own) => sameType(own, item) && containsPart(own, item)),
    );
  }
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part);
  if (sameType(value, part)) return compare(value, part) === 0;
  throw new JqError(
    `${typeOf(value)} (${shown(value)}) and ${typeOf(part)} (${shown(part)}) cannot have their containment checked`,
  );
}

function sameType(a: Json, b: Json): boolean {
  return typeOf(a) === typeOf(b);
}

// Numbers

const plainMath: { [name: string]: (value: number) => number } = {
  floor: Math.floor, ceil: Math.ceil, sqrt: Math.sqrt, fabs: Math.abs, trunc: Math.trunc, exp: Math.exp,
  exp2: (x) => 2 ** x, exp10: (x) => 10 ** x, log: Math.log, log2: Math.log2, log10: Math.log10, sin: Math.sin,
  cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, sinh: Math.sinh,
  cosh: Math.cosh, tanh: Math.tanh, cbrt: Math.cbrt, expm1: Math.expm1, log1p: Math.log1p,
}; // prettier-ignore
for (const [name, apply] of Object.entries(plainMath)) {
  define(`${name}/0`, (value) => apply(numberOf(value)) + 0);
}
define('round/0', (value) => {
  const number = numberOf(value);
  return Math.sign(number) * Math.round(Math.abs(number)) + 0;
});
define('abs/0', (value) =>
  isNumber(value) ? absolute(value) : fail(value, 'has no absolute value'),
);
define('pow/2', (_value, base, exponent) => numberOf(base) ** numberOf(exponent));
define('atan2/2', (_value, y, x) => Math.atan2(numberOf(y), numberOf(x)));
define('fmin/2', (_value, a, b) => Math.min(numberOf(a), numberOf(b)));
define('fmax/2', (_value, a, b) => Math.max(numberOf(a), numberOf(b)));
define('fmod/2', (_value, a, b) => numberOf(a) % numberOf(b));
define('infinite/0', () => Number.POSITIVE_INFINITY);
define('nan/0', () => Number.NaN);
define('isinfinite/0', (value) => Math.abs(numberOf(value)) === Number.POSITIVE_INFINITY);
define('isnan/0', (value) => Number.isNaN(numberOf(value)));
define('isnormal/0', (value) => Number.isFinite(numberOf(value)) && numberOf(value) !== 0);

// Maps and lists

define('keys/0', (value) => keysOf(value, sortedKeys));
define('keys_unsorted/0', (value) => keysOf(value, Object.keys));
define('add/0', (value) => sumOf(valuesOf(value)));
define('any/0', (value) => valuesOf(value).some(isTrue));
define('all/0', (value) => valuesOf(value).every(isTrue));
define('reverse/0', (value) => {
  if (value === null) return [];
  if (typeof value === 'string') return Array.from(value).reverse().join('');
  return listOf(value, 'cannot be reversed, as it is not an array').toReversed();
});
define('sort/0', (value) =>
  listOf(value, 'cannot be sorted, as it is not an array').toSorted(compare),
);
define('unique/0', (value) =>
  distinct(listOf(value, 'cannot be sorted, as it is not an array').toSorted(compare)),
);
define('min/0', (value) => extreme(listOf(value, 'cannot be iterated over'), -1));
define('max/0', (value) => extreme(listOf(value, 'cannot be iterated over'), 1));
define('flatten/0', (value) =>
  flatten(listOf(value, 'cannot be flattened'), Number.POSITIVE_INFINITY),
);
define('flatten/1', (value, depth) => {
  if (numberOf(depth) < 0) throw new JqError('flatten depth must not be negative');
  return flatten(listOf(value, 'cannot be flattened'), numberOf(depth));
});
define('transpose/0', (value) => {
  const rows = listOf(value, 'cannot be transposed').map((row) =>
    listOf(row, 'cannot be transposed'),
  );
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: width }, (_, i) => rows.map((row) => row[i] ?? null));
});
define('to_entries/0', (value) => {
  if (Array.isArray(value)) return value.map((item, i) => ({ key: i, value: item }));
  if (!isMap(value)) return fail(value, 'has no keys');
  return Object.entries(value).map(([key, item]) => ({ key, value: item }));
});
define('from_entries/0', (value) => {
  const map: JsonMap = {};
  for (const entry of valuesOf(value)) setOwn(map, entryKey(entry), entryValue(entry));
  return map;
});
define('indices/1', (value, part) => indicesOf(value, part), searchCost);
define(
  'index/1',
  (value, part) => (indicesOf(value, part) as Json[] | null)?.at(0) ?? null,
  searchCost,
);
define(
  'rindex/1',
  (value, part) => (indicesOf(value, part) as Json[] | null)?.at(-1) ?? null,
  searchCost,
);
define('setpath/2', (value, path, item) =>
  changePath(value, listOf(path, 'Path must be specified as an array'), () => item),
);
define('delpaths/1', (value, paths) =>
  deletePaths(
    value,
    listOf(paths, 'Paths must be specified as an array').map((path) =>
      listOf(path, 'Path must be specified as an array'),
    ),
  ),
);
define('bsearch/1', (value, item) => {
  const list = listOf(value, 'cannot be searched from');
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as Json, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low < list.length && compare(list[low] as Json, item) === 0 ? low : -1 - low;
});
defineMany('tostream/0', (value) => streamOf(value));

function keysOf(value: Json, keys: (map: JsonMap) => string[]): Json {
  if (Array.isArray(value)) return value.map((_, i) => i);
  return isMap(value) ? keys(value) : fail(value, 'has no keys');
}

function valuesOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  if (isMap(value)) return Object.values(value);
  throw new JqError(
    `Cannot iterate over ${typeOf(value)}${value === null ? '' : ` (${shown(value)})`}`,
  );
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

// Texts

define('utf8bytelength/0', (value) =>
  Buffer.byteLength(stringOf(value, 'only strings have UTF-8 byte length')),
);
define('explode/0', (value) =>
  Array.from(stringOf(value, 'cannot be exploded'), (c) => c.codePointAt(0) as number),
);
define('implode/0', (value) =>
  listOf(value, 'cannot be imploded')
    .map((point) => {
      const code = numberOf(point);
      if (!Number.isInteger(code) || code < 0 || code > 0x10ffff) return '\uFFFD';
      return String.fromCodePoint(code);
    })
    .join(''),
);
define('ascii_downcase/0', (value) =>
  stringOf(value, 'cannot be lowercased').replace(/[A-Z]/g, (c) => c.toLowerCase()),
);
define('ascii_upcase/0', (value) =>
  stringOf(value, 'cannot be uppercased').replace(/[a-z]/g, (c) => c.toUpperCase()),
);
define('startswith/1', (value, part) =>
  bothTexts(value, part, 'startswith() requires string inputs', (a, b) => a.startsWith(b)),
);
define('endswith/1', (value, part) =>
  bothTexts(value, part, 'endswith() requires string inputs', (a, b) => a.endsWith(b)),
);
define('ltrimstr/1', (value, part) =>
  typeof value === 'string' && typeof part === 'string' && value.startsWith(part)
    ? value.slice(part.length)
    : value,
);
define('rtrimstr/1', (value, part) =>
  typeof value === 'string' && typeof part === 'string' && part !== '' && value.endsWith(part)
    ? value.slice(0, -part.length)
    : value,
);
define('trim/0', (value) => stringOf(value, 'cannot be trimmed').trim());
define('ltrim/0', (value) => stringOf(value, 'cannot be trimmed').trimStart());
define('rtrim/0', (value) => stringOf(value, 'cannot be trimmed').trimEnd());
define('split/1', (value, separator) =>
  bothTexts(value, separator, 'split input and separator must be strings', splitText),
);
define('join/1', (value, separator) => {
  const list = valuesOf(value);
  if (list.length === 0) return '';
  const between = textOrFail(separator, list[0] as Json);
  const texts = list.map((item) => {
    if (item === null) return '';
    if (typeof item === 'object') throw new JqError(`Cannot join with ${typeOf(item)}`);
    return textOf(item);
  });
  const length = texts.reduce((sum, text) => sum + text.length + between.length, 0);
  if (length > textCharsMax) throw new JqLimit('text too long');
  return texts.join(between);
});

function bothTexts<T extends Json>(
  a: Json,
  b: Json,
  message: string,
  apply: (a: string, b: string) => T,
): T {
  if (typeof a !== 'string' || typeof b !== 'string') throw new JqError(message);
  return apply(a, b);
}

function textOrFail(separator: Json, first: Json): string {
  if (typeof separator === 'string') return separator;
  throw new JqError(
    `${typeOf(first)} (${shown(first)}) and ${typeOf(separator)} (${shown(separator)}) cannot be added`,
  );
}

// Patterns

define('test/1', (value, pattern) => matchesOf(value, pattern, null, false).length > 0);
define('test/2', (value, pattern, flags) => matchesOf(value, pattern, flags, false).length > 0);
defineMany('match/1', (value, pattern) =>
  matchesOf(value, pattern, null, false).map((match) => match.object),
);
defineMany('match/2', (value, pattern, flags) =>
  matchesOf(value, pattern, flags, false).map((match) => match.object),
);
defineMany('capture/1', (value, pattern) => matchesOf(value, pattern, null, false).map(capturesOf));
defineMany('capture/2', (value, pattern, flags) =>
  matchesOf(value, pattern, flags, false).map(capturesOf),
);
defineMany('scan/1', (value, pattern) => scanned(value, pattern, null));
defineMany('scan/2', (value, pattern, flags) => scanned(value, pattern, flags));
define('split/2', (value, pattern, flags) => splitBy(value, pattern, flags));
defineMany('splits/1', (value, pattern) => splitBy(value, pattern, null));
defineMany('splits/2', (value, pattern, flags) => splitBy(value, pattern, flags));
natives.set('sub/2', (machine, call, emit) => substitute(machine, call, emit, false));
natives.set('sub/3', (machine, call, emit) => substitute(machine, call, emit, false));
natives.set('gsub/2', (machine, call, emit) => substitute(machine, call, emit, true));
natives.set('gsub/3', (machine, call, emit) => substitute(machine, call, emit, true));

/** Like `define`, for functions with several results. */
function defineMany(signature: string, apply: (input: Json, ...args: Json[]) => Json[]): void {
  natives.set(signature, (machine, { args, scope, place }, emit) => {
    const go = (at: number, values: Json[]): void => {
      const arg = args[at];
      if (arg !== undefined) {
        return machine.each(arg, scope, place.value, (value) => go(at + 1, [...values, value]));
      }
      for (const result of apply(place.value, ...values)) emit(result, lost(place));
    };
    go(0, []);
  });
}

function scanned(value: Json, pattern: Json, flags: Json): Json[] {
  return matchesOf(value, pattern, flags, true).map((match) => {
    const captures = match.object['captures'] as JsonMap[];
    if (captures.length === 0) return match.object['string'] as Json;
    return captures.map((capture) => capture['string'] as Json);
  });
}

function splitBy(value: Json, pattern: Json, flags: Json): Json[] {
  const text = stringOf(value, 'cannot be matched, as it is not a string');
  const parts: Json[] = [];
  let from = 0;
  for (const match of matchesOf(value, pattern, flags, true)) {
    parts.push(text.slice(from, match.start));
    from = match.end;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Replaces matches by the texts the second argument makes of their captures; each combination of texts is a result. */
function substitute(
  machine: Parameters<Native>[0],
  { args, scope, place }: Parameters<Native>[1],
  emit: Emit,
  all: boolean,
): void {
  const [pattern, replacement, flags] = args as [Jq, Jq, Jq | undefined];
  const withFlags = (options: Json): void =>
    machine.each(pattern, scope, place.value, (source) => {
      const matches = matchesOf(place.value, source, options, all);
      const text = place.value as string;
      const go = (at: number, texts: string[]): void => {
        const match = matches[at];
        if (match === undefined) return emit(replaceMatches(text, matches, texts), lost(place));
        machine.each(replacement, scope, capturesOf(match), (made) => {
          if (typeof made !== 'string') {
            throw new JqError(
              `${typeOf(capturesOf(match))} (${shown(capturesOf(match))}) cannot be added to a string`,
            );
          }
          go(at + 1, [...texts, made]);
        });
      };
      go(0, []);
    });
  if (flags === undefined) withFlags(null);
  else machine.each(flags, scope, place.value, withFlags);
}

// Dates

define('now/0', () => Date.now() / 1000);
define('gmtime/0', (value) => toBrokenDown(value));
define('localtime/0', (value) => toBrokenDown(value));
define('mktime/0', (value) => fromBrokenDown(value));
define('strftime/1', (value, format) => formatTime(value, format));
define('strflocaltime/1', (value, format) => formatTime(value, format));
define('strptime/1', (value, format) => parseTime(value, format));

// Filters as arguments

natives.set('empty/0', () => undefined);
natives.set('path/1', (machine, { args, scope, place }, emit) => {
  const start = { value: place.value, path: [] };
  machine.evaluate(args[0] as Jq, scope, start, (value, path) => {
    emit([...reached(value, path)], lost(place));
  });
});
natives.set('getpath/1', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (path) => {
    const keys = listOf(path, 'Path must be specified as an array');
    const whole =
      place.path === undefined ? undefined : [...reached(place.value, place.path), ...keys];
    emit(getPath(place.value, keys), whole);
  });
});
natives.set('range/2', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (from) =>
    machine.each(args[1] as Jq, scope, place.value, (to) => {
      const end = numberOf(to);
      for (let i = numberOf(from); i < end; i++) {
        machine.spend(1);
        emit(i, lost(place));
      }
    }),
  );
});
natives.set('range/3', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (from) =>
    machine.each(args[1] as Jq, scope, place.value, (to) =>
      machine.each(args[2] as Jq, scope, place.value, (step) => {
        const end = numberOf(to);
        const by = numberOf(step);
        if (by === 0) return;
        for (let i = numberOf(from); by > 0 ? i < end : i > end; i += by) {
          machine.spend(1);
          emit(i, lost(place));
        }
      }),
    ),
  );
});
natives.set('limit/2', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (count) => {
    let left = numberOf(count);
    if (left <= 0) return;
    machine.stoppable((stop) =>
      machine.evaluate(args[1] as Jq, scope, place, (value, path) => {
        left--;
        emit(value, path);
        if (left <= 0) stop();
      }),
    );
  });
});
natives.set('first/1', (machine, { args, scope, place }, emit) => {
  machine.stoppable((stop) =>
    machine.evaluate(args[0] as Jq, scope, place, (value, path) => {
      emit(value, path);
      stop();
    }),
  );
});
natives.set('until/2', (machine, { args, scope, place }, emit) => {
  const go = (value: Json, path: typeof place.path): void =>
    machine.each(args[0] as Jq, scope, value, (done) => {
      if (isTrue(done)) emit(value, path);
      else machine.evaluate(args[1] as Jq, scope, { value, path }, go);
    });
  go(place.value, place.path);
});
natives.set('isempty/1', (machine, { args, scope, place }, emit) => {
  let any = false;
  machine.stoppable((stop) =>
    machine.each(args[0] as Jq, scope, place.value, () => {
      any = true;
      stop();
    }),
  );
  emit(!any, lost(place));
});
natives.set('any/2', (machine, call, emit) => quantify(machine, call, emit, true));
natives.set('all/2', (machine, call, emit) => quantify(machine, call, emit, false));
for (const [name, then] of Object.entries({
  'sort_by/1': (groups: Group[]) => groups.flatMap((group) => group.items),
  'group_by/1': (groups: Group[]) => groups.map((group) => group.items),
  'unique_by/1': (groups: Group[]) => groups.map((group) => group.items[0] as Json),
  'min_by/1': (groups: Group[]) => groups.at(0)?.items[0] ?? null,
  'max_by/1': (groups: Group[]) => groups.at(-1)?.items.at(-1) ?? null,
})) {
  natives.set(name, (machine, { args, scope, place }, emit) => {
    const list = listOf(place.value, 'cannot be sorted, as it is not an array');
    const keyed = list.map((item) => {
      const key: Json[] = [];
      machine.each(args[0] as Jq, scope, item, (value) => key.push(value));
      return { key, item };
    });
    emit(then(groupsOf(keyed)), lost(place));
  });
}

interface Group {
  key: Json;
  items: Json[];
}

/** Items with equal keys together, ordered by key, within a group in their old order. */
function groupsOf(keyed: readonly { key: Json; item: Json }[]): Group[] {
  const groups: Group[] = [];
  for (const { key, item } of keyed.toSorted((a, b) => compare(a.key, b.key))) {
    const last = groups.at(-1);
    if (last !== undefined && compare(last.key, key) === 0) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups;
}

function quantify(
  machine: Parameters<Native>[0],
  { args, scope, place }: Parameters<Native>[1],
  emit: Emit,
  wanted: boolean,
): void {
  let found = false;
  machine.stoppable((stop) =>
    machine.each(args[0] as Jq, scope, place.value, (item) =>
      machine.each(args[1] as Jq, scope, item, (value) => {
        if (isTrue(value) !== wanted) return;
        found = true;
        stop();
      }),
    ),
  );
  emit(found === wanted, lost(place));
}

const written = String.raw`
def map(f): [.[] | f];
def select(f): if f then . else empty end;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def recurse: ..;
def recurse_down: ..;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def map_values(f): .[] |= f;
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);
def leaf_paths: paths(scalars);
def del(f): delpaths([path(f)]);
def while(cond; update): def w: if cond then ., (update | w) else empty end; w;
def repeat(f): def r: f | (., r); r;
def range($x): range(0; $x);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def add(f): reduce f as $x (null; . + $x);
def first: .[0];
def last: .[-1];
def last(f): reduce f as $x (null; $x);
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("Out of bounds negative array index") else last(limit($n + 1; f)) end;
def skip($n; f): if $n > 0 then foreach f as $item ($n; . - 1; if . < 0 then $item else empty end) else f end;
def combinations:
  if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def env: {};
def ascii: [.] | implode;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def input: error("No more inputs");
def inputs: empty;
def input_line_number: 0;
def input_filename: null;
def debug: .;
def debug(msg): .;
def stderr: .;
def have_decnum: false;
def have_literal_numbers: true;
def pick(pathexps): . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def truncate_stream(stream):
  . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def fromstream(f): { x: null, e: false } as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
`;

let writtenScope: Scope | undefined;

/** What is written in jq is parsed for the first program: 25 ms that a start has no time for. */
export const jqLibrary: JqLibrary = {
  natives,
  get scope() {
    return (writtenScope ??= parseJqDefinitions(written).reduce(
      (parent: Scope | undefined, definition): Scope => ({ kind: 'function', definition, parent }),
      undefined,
    ));
  },
};
