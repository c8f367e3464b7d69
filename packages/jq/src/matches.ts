// Patterns of jq, on an engine whose time is linear in the text, so that no pattern explodes.
import { RE2JS } from 're2js';
import type { Json, JsonMap } from './json.js';
import { textCost } from './weights.js';
import { JqError, JqLimit, shown, textCharsMax, typeOf } from './values.js';

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

interface Compiled {
  readonly pattern: RE2JS;
  /** Names of groups by number. */
  readonly names: ReadonlyMap<number, string>;
}

const patterns = new Map<string, Compiled>();

/** All or the first match of `pattern` (a text, or a list of text and flags) in `text`. */
export function matchesOf(text: Json, pattern: Json, flags: Json, all: boolean): Match[] {
  const [source, options] = partsOf(pattern, flags);
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

function partsOf(pattern: Json, flags: Json): [source: Json, options: Json] {
  return Array.isArray(pattern) ? [pattern[0] ?? null, pattern[1] ?? null] : [pattern, flags];
}

/** Instructions of a pattern that are built for one step. */
const builtPerStep = 2;
/** Instructions that one character may touch for one step. */
const touchedPerStep = 32;

/** Steps of matching and, for a pattern that is not kept, of compiling it. */
export function matchCost(left: number, text: Json, pattern: Json, flags: Json = null): number {
  const [source, options] = partsOf(pattern, flags);
  if (typeof text !== 'string' || typeof source !== 'string') return 0;
  const modifiers = typeof options === 'string' ? options : '';
  const isKept = patterns.has(keyOf(source, modifiers));
  const reading = isKept ? 0 : source.length / builtPerStep;
  if (reading > left) return reading;
  const instructions = compilePattern(source, modifiers).pattern.programSize();
  const building = isKept ? 0 : instructions / builtPerStep;
  return reading + building + textCost(text.length) + (text.length * instructions) / touchedPerStep;
}

function keyOf(source: string, flags: string): string {
  return `${flags}/${source}`;
}

function cannotMatch(value: Json): JqError {
  return new JqError(`${typeOf(value)} (${shown(value)}) cannot be matched, as it is not a string`);
}

function compilePattern(source: string, flags: string): Compiled {
  const key = keyOf(source, flags);
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
  if (patterns.size >= patternsMax) patterns.clear();
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
