// Functions of jq on texts: formats (`@csv` ...), patterns (on a linear-time engine, invariants S5)
// and dates (UTC).
import { RE2JS } from 're2js';
import type { Json, JsonMap } from '../../model/json.js';
import { Lru } from '../../std/lru.js';
import { isNumber, JqError, JqLimit, shown, textCharsMax, toText, typeOf } from './values.js';

/** Text of a value as `tostring` gives it. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : toText(value);
}

/** Formats by name with their `@`. */
export const formats: ReadonlyMap<string, (value: Json) => string> = new Map([
  ['@text', textOf],
  ['@json', toText],
  ['@csv', (value) => row(value, 'csv', ',', (text) => `"${text.replaceAll('"', '""')}"`)],
  ['@tsv', (value) => row(value, 'tsv', '\t', escapeTabs)],
  ['@html', (value) => textOf(value).replace(/[<>&'"]/g, (c) => entities.get(c) ?? c)],
  ['@uri', (value) => encodeUri(textOf(value))],
  ['@sh', shellWords],
  ['@base64', (value) => Buffer.from(textOf(value), 'utf8').toString('base64')],
  ['@base64d', decodeBase64],
]);

const entities: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ["'", '&#39;'],
  ['"', '&quot;'],
]);

function row(
  value: Json,
  name: string,
  separator: string,
  quote: (text: string) => string,
): string {
  if (!Array.isArray(value))
    throw new JqError(
      `${typeOf(value)} (${shown(value)}) cannot be ${name}-formatted, only an array can be`,
    );
  const cells = value.map((cell) => {
    if (cell === null) return '';
    if (typeof cell === 'string') return quote(cell);
    if (typeof cell === 'object') {
      throw new JqError(`${typeOf(cell)} (${shown(cell)}) is not valid in a ${name} row`);
    }
    return toText(cell);
  });
  return cells.join(separator);
}

function escapeTabs(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
}

function encodeUri(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const c = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~]/.test(c)
        ? c
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function shellWords(value: Json): string {
  const words = (Array.isArray(value) ? value : [value]).map((word) => {
    if (typeof word === 'string') return `'${word.replaceAll("'", "'\\''")}'`;
    if (word !== null && typeof word === 'object') {
      throw new JqError(`${typeOf(word)} (${shown(word)}) can not be escaped for shell`);
    }
    return toText(word);
  });
  return words.join(' ');
}

function decodeBase64(value: Json): string {
  const text = textOf(value);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new JqError(`${typeOf(value)} (${shown(value)}) is not valid base64 data`);
  }
  return Buffer.from(text, 'base64').toString('utf8');
}

/** One match as `match` gives it; offsets count code points. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly object: JsonMap;
}

/** Compiled patterns kept. */
const patternsMax = 128;
/** Matches of one pattern in one text. */
const matchesMax = 100_000;

const patterns = new Lru<string, { pattern: RE2JS; names: Map<number, string> }>(patternsMax);

/** All or the first match of `pattern` (a text, or a list of text and flags) in `text`. */
export function matchesOf(text: Json, pattern: Json, flags: Json, all: boolean): Match[] {
  const [source, options] = Array.isArray(pattern)
    ? [pattern[0] ?? null, pattern[1] ?? null]
    : [pattern, flags];
  if (typeof text !== 'string') throw cannotMatch(text);
  if (typeof source !== 'string') throw cannotMatch(source);
  if (options !== null && typeof options !== 'string') {
    throw new JqError(`${typeOf(options)} (${shown(options)}) is not a string`);
  }
  const global = all || (options?.includes('g') ?? false);
  const skipEmpty = options?.includes('n') ?? false;
  const { pattern: compiled, names } = compilePattern(source, options ?? '');
  return collectMatches(text, compiled, names, { global, skipEmpty });
}

function cannotMatch(value: Json): JqError {
  return new JqError(`${typeOf(value)} (${shown(value)}) cannot be matched, as it is not a string`);
}

function compilePattern(
  source: string,
  flags: string,
): { pattern: RE2JS; names: Map<number, string> } {
  const key = `${flags}/${source}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  let bits = 0;
  for (const flag of flags) {
    if (flag === 'i') bits |= RE2JS.CASE_INSENSITIVE;
    else if (flag === 's' || flag === 'p') bits |= RE2JS.DOTALL;
    else if (!'gnlx'.includes(flag)) throw new JqError(`${flags} is not a valid modifier string`);
  }
  const text = flags.includes('x')
    ? source.replace(/\\.|\s+|#.*/g, (part) => (part.startsWith('\\') ? part : ''))
    : source;
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(text, bits);
  } catch (error) {
    throw new JqError(
      `${source} (at offset 0) is not a valid regex: ${error instanceof Error ? error.message : ''}`,
    );
  }
  const names = new Map(
    Object.entries(pattern.namedGroups()).map(([name, at]) => [Number(at), name]),
  );
  const entry = { pattern, names };
  patterns.set(key, entry);
  return entry;
}

function collectMatches(
  text: string,
  pattern: RE2JS,
  names: ReadonlyMap<number, string>,
  options: { global: boolean; skipEmpty: boolean },
): Match[] {
  const matcher = pattern.matcher(text);
  const offsets = new OffsetCounter(text);
  const found: Match[] = [];
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    if (start !== end || !options.skipEmpty) {
      const captures: Json[] = [];
      for (let i = 1; i <= matcher.groupCount(); i++) {
        const string = matcher.group(i) ?? null;
        captures.push({
          offset: string === null ? -1 : offsets.at(matcher.start(i)),
          length: string === null ? 0 : Array.from(string).length,
          string,
          name: names.get(i) ?? null,
        });
      }
      const string = text.slice(start, end);
      const object = {
        offset: offsets.at(start),
        length: Array.from(string).length,
        string,
        captures,
      };
      found.push({ start, end, object });
      if (found.length > matchesMax) throw new JqLimit('too many matches');
    }
    if (!options.global) break;
  }
  return found;
}

/** Code points before an index; indexes that rise cost one pass over the text together. */
class OffsetCounter {
  #index = 0;
  #count = 0;

  constructor(readonly text: string) {}

  at(index: number): number {
    if (index < this.#index) {
      this.#index = 0;
      this.#count = 0;
    }
    while (this.#index < index) {
      this.#index += (this.text.codePointAt(this.#index) as number) > 0xffff ? 2 : 1;
      this.#count++;
    }
    return this.#count;
  }
}

/** Named captures of a match. */
export function capturesOf(match: Match): JsonMap {
  const named: JsonMap = {};
  for (const capture of match.object['captures'] as JsonMap[]) {
    const name = capture['name'];
    if (typeof name === 'string') named[name] = capture['string'] as Json;
  }
  return named;
}

/** Text with its matches replaced; `replacement` is asked for each. */
export function replaceMatches(
  text: string,
  matches: readonly Match[],
  replacement: readonly string[],
): string {
  let result = '';
  let from = 0;
  matches.forEach((match, i) => {
    result += text.slice(from, match.start) + (replacement[i] as string);
    from = match.end;
  });
  if (result.length > textCharsMax) throw new JqLimit('text too long');
  return result + text.slice(from);
}

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December',
]; // prettier-ignore
const dayMs = 86_400_000;

/**
 * Broken-down time of jq: year, month from 0, day, hours, minutes, seconds, day of week, day of
 * year.
 */
export function toBrokenDown(value: Json): Json[] {
  if (!isNumber(value)) throw new JqError('gmtime() requires a number');
  const seconds = Number(value);
  const date = new Date(Math.floor(seconds) * 1000);
  if (Number.isNaN(date.getTime()))
    throw new JqError('error converting number of seconds since epoch to datetime');
  const fraction = seconds - Math.floor(seconds);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + fraction,
    date.getUTCDay(),
    Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs),
  ];
}

/** Seconds since 1970 of a broken-down time. */
export function fromBrokenDown(value: Json): number {
  if (!Array.isArray(value) || value.length < 6 || !value.every(isNumber)) {
    throw new JqError('mktime requires array of 6 numbers');
  }
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = value.map(Number);
  return Math.floor(Date.UTC(year, month, day, hours, minutes, Math.floor(seconds)) / 1000);
}

export function formatTime(value: Json, format: Json): string {
  const parts = Array.isArray(value) ? value : toBrokenDown(value);
  if (typeof format !== 'string') throw new JqError('strftime/1 requires a string format');
  const date = new Date(fromBrokenDown(parts) * 1000);
  return format.replace(
    /%([a-zA-Z%])/g,
    (whole, letter: string) => timeField(date, letter) ?? whole,
  );
}

function timeField(date: Date, letter: string): string | undefined {
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  const weekday = dayNames[date.getUTCDay()] as string;
  const month = monthNames[date.getUTCMonth()] as string;
  switch (letter) {
    case 'Y':
      return String(date.getUTCFullYear());
    case 'm':
      return pad(date.getUTCMonth() + 1);
    case 'd':
      return pad(date.getUTCDate());
    case 'e':
      return String(date.getUTCDate()).padStart(2);
    case 'H':
      return pad(date.getUTCHours());
    case 'I':
      return pad(date.getUTCHours() % 12 || 12);
    case 'M':
      return pad(date.getUTCMinutes());
    case 'S':
      return pad(date.getUTCSeconds());
    case 'p':
      return date.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'Z':
      return 'UTC';
    case 'z':
      return '+0000';
    case 'A':
      return weekday;
    case 'a':
      return weekday.slice(0, 3);
    case 'B':
      return month;
    case 'b':
    case 'h':
      return month.slice(0, 3);
    case 'j':
      return pad(
        Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1,
        3,
      );
    case 's':
      return String(Math.floor(date.getTime() / 1000));
    case 'u':
      return String(date.getUTCDay() || 7);
    case 'w':
      return String(date.getUTCDay());
    case 'y':
      return pad(date.getUTCFullYear() % 100);
    case 'F':
      return date.toISOString().slice(0, 10);
    case 'T':
      return date.toISOString().slice(11, 19);
    case 'R':
      return date.toISOString().slice(11, 16);
    case '%':
      return '%';
    default:
      return undefined;
  }
}

/**
 * Reads a text by a format of `strptime`: the numeric fields, names of months and days, and the
 * zone.
 */
export function parseTime(text: Json, format: Json): Json[] {
  if (typeof text !== 'string')
    throw new JqError(`strptime/1 requires string inputs and arguments`);
  if (typeof format !== 'string')
    throw new JqError(`strptime/1 requires string inputs and arguments`);
  const date = { year: 1970, month: 0, day: 1, hours: 0, minutes: 0, seconds: 0, offset: 0 };
  const expanded = format
    .replaceAll('%T', '%H:%M:%S')
    .replaceAll('%F', '%Y-%m-%d')
    .replaceAll('%R', '%H:%M');
  const refuse = (): never => {
    throw new JqError(`date "${text}" does not match format "${format}"`);
  };
  let at = 0;
  const take = (pattern: RegExp): string => {
    const match = pattern.exec(text.slice(at, at + 64)) ?? refuse();
    at += match[0].length;
    return match[0];
  };
  for (let i = 0; i < expanded.length; i++) {
    const c = expanded[i] as string;
    if (c !== '%') {
      if (text[at] !== c) refuse();
      at++;
      continue;
    }
    readField(expanded[++i] ?? '', take, date);
  }
  if (at !== text.length) refuse();
  const ms = Date.UTC(date.year, date.month, date.day, date.hours, date.minutes, date.seconds);
  return toBrokenDown(ms / 1000 - date.offset);
}

interface ReadDate {
  year: number;
  month: number;
  day: number;
  hours: number;
  minutes: number;
  seconds: number;
  /** Seconds east of Greenwich. */
  offset: number;
}

function readField(letter: string, take: (pattern: RegExp) => string, date: ReadDate): void {
  const number = (pattern: RegExp): number => Number(take(pattern));
  switch (letter) {
    case 'Y':
      date.year = number(/^-?\d{1,4}/);
      return;
    case 'm':
      date.month = number(/^\d{1,2}/) - 1;
      return;
    case 'd':
    case 'e':
      date.day = number(/^ ?\d{1,2}/);
      return;
    case 'H':
      date.hours = number(/^\d{1,2}/);
      return;
    case 'M':
      date.minutes = number(/^\d{1,2}/);
      return;
    case 'S':
      date.seconds = number(/^\d{1,2}/);
      return;
    case 'b':
    case 'B':
    case 'h': {
      const name = take(/^[A-Za-z]{3,9}/)
        .slice(0, 3)
        .toLowerCase();
      date.month = monthNames.findIndex((each) => each.slice(0, 3).toLowerCase() === name);
      if (date.month < 0) throw new JqError(`"${name}" is no month`);
      return;
    }
    case 'a':
    case 'A':
      take(/^[A-Za-z]{3,9}/);
      return;
    case 'Z':
      take(/^[A-Za-z]{1,5}/);
      return;
    case 'z': {
      const zone = take(/^(?:Z|[+-]\d{2}:?\d{2})/);
      if (zone === 'Z') return;
      const sign = zone.startsWith('-') ? -1 : 1;
      date.offset = sign * (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(-2)) * 60);
      return;
    }
    default:
      throw new JqError(`strptime: unknown directive %${letter}`);
  }
}
