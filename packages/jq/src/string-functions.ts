// Functions of jq on texts, patterns and dates; the work is done in formats.ts, matches.ts and
// dates.ts.
import type { Json, JsonMap } from './json.js';
import type { Jq } from './ast.js';
import type { Native } from './machine.js';
import { type Emit, lost } from './scope.js';
import { flat, listOf, NativeTable, numberOf, stringOf, valuesOf } from './natives.js';
import { formatTime, fromBrokenDown, parseTime, toBrokenDown } from './dates.js';
import { textOf } from './formats.js';
import { capturesOf, matchCost, matchesOf, replaceMatches } from './matches.js';
import { partsCost, textCost } from './weights.js';
import { JqError, JqLimit, shown, splitText, textCharsMax, typeOf } from './values.js';

export const stringFunctions = new NativeTable();

stringFunctions.define(
  'utf8bytelength/0',
  (value) => Buffer.byteLength(stringOf(value, 'only strings have UTF-8 byte length')),
  flat,
);
stringFunctions.define(
  'explode/0',
  (value) => Array.from(stringOf(value, 'cannot be exploded'), (c) => c.codePointAt(0) as number),
  flat,
);
stringFunctions.define(
  'implode/0',
  (value) =>
    listOf(value, 'cannot be imploded')
      .map((point) => {
        const code = numberOf(point);
        if (!Number.isInteger(code) || code < 0 || code > 0x10ffff) return '\uFFFD';
        return String.fromCodePoint(code);
      })
      .join(''),
  flat,
);
stringFunctions.define(
  'ascii_downcase/0',
  (value) => stringOf(value, 'cannot be lowercased').replace(/[A-Z]/g, (c) => c.toLowerCase()),
  flat,
);
stringFunctions.define(
  'ascii_upcase/0',
  (value) => stringOf(value, 'cannot be uppercased').replace(/[a-z]/g, (c) => c.toUpperCase()),
  flat,
);
stringFunctions.define('startswith/1', (value, part) =>
  bothTexts(value, part, 'startswith() requires string inputs', (a, b) => a.startsWith(b)),
);
stringFunctions.define('endswith/1', (value, part) =>
  bothTexts(value, part, 'endswith() requires string inputs', (a, b) => a.endsWith(b)),
);
stringFunctions.define('ltrimstr/1', (value, part) =>
  typeof value === 'string' && typeof part === 'string' && value.startsWith(part)
    ? value.slice(part.length)
    : value,
);
stringFunctions.define('rtrimstr/1', (value, part) =>
  typeof value === 'string' && typeof part === 'string' && part !== '' && value.endsWith(part)
    ? value.slice(0, -part.length)
    : value,
);
stringFunctions.define('trim/0', (value) => stringOf(value, 'cannot be trimmed').trim(), flat);
stringFunctions.define(
  'ltrim/0',
  (value) => stringOf(value, 'cannot be trimmed').trimStart(),
  flat,
);
stringFunctions.define('rtrim/0', (value) => stringOf(value, 'cannot be trimmed').trimEnd(), flat);
/** An empty text has one part, as in the jq of Conductor; none in jq. */
stringFunctions.define('split/1', (value, separator) =>
  bothTexts(value, separator, 'split input and separator must be strings', (text, between) =>
    text === '' && between !== '' ? [''] : splitText(text, between),
  ),
);
/** Null gives the empty text, as in the jq of Conductor; jq fails. */
stringFunctions.define('join/1', (value, separator) => {
  if (value === null) return '';
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

stringFunctions.define(
  'test/1',
  (value, pattern) => matchesOf(value, pattern, null, false).length > 0,
  matchCost,
);
stringFunctions.define(
  'test/2',
  (value, pattern, flags) => matchesOf(value, pattern, flags, false).length > 0,
  matchCost,
);
stringFunctions.defineMany(
  'match/1',
  (value, pattern) => matchesOf(value, pattern, null, false).map((match) => match.object),
  matchCost,
);
stringFunctions.defineMany(
  'match/2',
  (value, pattern, flags) => matchesOf(value, pattern, flags, false).map((match) => match.object),
  matchCost,
);
stringFunctions.defineMany(
  'capture/1',
  (value, pattern) => matchesOf(value, pattern, null, false).map(capturesOf),
  matchCost,
);
stringFunctions.defineMany(
  'capture/2',
  (value, pattern, flags) => matchesOf(value, pattern, flags, false).map(capturesOf),
  matchCost,
);
stringFunctions.defineMany('scan/1', (value, pattern) => scanned(value, pattern, null), matchCost);
stringFunctions.defineMany(
  'scan/2',
  (value, pattern, flags) => scanned(value, pattern, flags),
  matchCost,
);
stringFunctions.define(
  'split/2',
  (value, pattern, flags) => splitBy(value, pattern, flags),
  matchCost,
);
stringFunctions.defineMany(
  'splits/1',
  (value, pattern) => splitBy(value, pattern, null),
  matchCost,
);
stringFunctions.defineMany(
  'splits/2',
  (value, pattern, flags) => splitBy(value, pattern, flags),
  matchCost,
);
stringFunctions.set('sub/2', (machine, call, emit) => substitute(machine, call, emit, false));
stringFunctions.set('sub/3', (machine, call, emit) => substitute(machine, call, emit, false));
stringFunctions.set('gsub/2', (machine, call, emit) => substitute(machine, call, emit, true));
stringFunctions.set('gsub/3', (machine, call, emit) => substitute(machine, call, emit, true));

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

/**
 * Replaces matches by the texts the second argument makes of their captures; each combination of
 * texts is a result.
 */
function substitute(
  machine: Parameters<Native>[0],
  { args, scope, place }: Parameters<Native>[1],
  emit: Emit,
  all: boolean,
): void {
  const [pattern, replacement, flags] = args as [Jq, Jq, Jq | undefined];
  const withFlags = (options: Json): void =>
    machine.each(pattern, scope, place.value, (source) => {
      machine.spend(matchCost(machine.stepsLeft, place.value, source, options));
      const matches = matchesOf(place.value, source, options, all);
      const text = place.value as string;
      const go = (at: number, texts: string[]): void => {
        machine.spend(partsCost(texts.length));
        const match = matches[at];
        if (match === undefined) {
          const replaced = replaceMatches(text, matches, texts);
          machine.spend(textCost(replaced.length));
          return emit(replaced, lost(place));
        }
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

stringFunctions.define('now/0', () => Date.now() / 1000);
stringFunctions.define('gmtime/0', (value) => toBrokenDown(value));
stringFunctions.define('localtime/0', (value) => toBrokenDown(value));
stringFunctions.define('mktime/0', (value) => fromBrokenDown(value));
stringFunctions.define('strftime/1', (value, format) => formatTime(value, format));
stringFunctions.define('strflocaltime/1', (value, format) => formatTime(value, format));
stringFunctions.define('strptime/1', (value, format) => parseTime(value, format));
