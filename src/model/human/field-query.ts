// The queries over single fields of a search for human tasks (contract-admin 10.8):
// `FIELD = VALUE` and `FIELD IN (v1, v2)`, joined by AND and OR, of which OR binds less. A value in
// quotes is taken as it stands; `*` may stand at either end of any.
import { AppError } from '../errors.js';
import { isMap, type Json, type JsonMap } from '../json.js';
import { textFrom } from '../json-text.js';

/** Throws AppError 'bad-request' that names `field` and the clause which cannot be read. */
export function parseFieldQuery(query: string, field: string): (map: JsonMap) => boolean {
  const alternatives = splitOutside(query, /\sor\s/iy).map((group) =>
    splitOutside(group, /\sand\s/iy).map((clause) => clauseOf(clause, field)),
  );
  return (map) => alternatives.some((clauses) => clauses.every((clause) => clause(map)));
}

/** `*` may stand at either end. */
export function fitsPattern(pattern: string, text: string): boolean {
  const from = pattern.startsWith('*');
  const to = pattern.endsWith('*') && pattern.length > 1;
  const core = pattern.slice(from ? 1 : 0, to ? -1 : undefined);
  if (from && to) return text.includes(core);
  if (from) return text.endsWith(core);
  return to ? text.startsWith(core) : text === core;
}

/** Parts between what the sticky `separator` matches, outside quotes and parentheses. */
function splitOutside(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let quote = '';
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (quote !== '') {
      if (c === quote) quote = '';
      continue;
    }
    if (c === '"' || c === "'") quote = c;
    else if (c === '(') depth++;
    else if (c === ')') depth--;
    separator.lastIndex = i;
    const found = depth === 0 ? separator.exec(text) : null;
    if (found === null) continue;
    parts.push(text.slice(from, i));
    // The last character may begin the next separator.
    from = separator.lastIndex;
    i = Math.max(i, from - 2);
  }
  return [...parts, text.slice(from)];
}

const clausePattern = /^((?:[\w.$-]|\[[^\]]{1,100}\]){1,200}?)\s*(?:(=)|\s(in)(?=[\s(]))\s*(.+)$/is;

function clauseOf(text: string, searchField: string): (map: JsonMap) => boolean {
  const clause = text.trim();
  const [, field, isEqual, , rest = ''] = clausePattern.exec(clause) ?? [];
  const patterns = field === undefined ? undefined : valuesOf(rest.trim(), isEqual === undefined);
  if (field === undefined || patterns === undefined) {
    const shown = clause.slice(0, 100);
    throw new AppError('bad-request', `${searchField} cannot be read at '${shown}'`);
  }
  const path = pathOf(field);
  return (map) => {
    const found = valueAt(map, path);
    return found !== undefined && patterns.some((pattern) => fitsPattern(pattern, found));
  };
}

/** undefined when the values cannot be read. */
function valuesOf(text: string, isList: boolean): string[] | undefined {
  if (!isList) return listed([text]);
  const inside = /^\((.*)\)$/s.exec(text)?.[1];
  return inside === undefined ? undefined : listed(splitOutside(inside, /,/y));
}

const bareValue = /^[^\s'"=()][^'"()]*$/s;
const quotedValue = /^(['"])(.*)\1$/s;

function listed(texts: readonly string[]): string[] | undefined {
  const values: string[] = [];
  for (const text of texts.map((each) => each.trim())) {
    const value = quotedValue.exec(text)?.[2] ?? (bareValue.test(text) ? text : undefined);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Keys of `a.b`, `$.a.b` and `a['b']`. */
function pathOf(field: string): string[] {
  return field
    .replaceAll(/\[['"]?([^\]'"]*)['"]?\]/g, '.$1')
    .replace(/^\$?\./, '')
    .split('.');
}

/** The text of what stands there; undefined when nothing does. */
function valueAt(map: JsonMap, path: readonly string[]): string | undefined {
  let value: Json | undefined = map;
  for (const key of path) {
    if (Array.isArray(value)) value = (value as Json[])[Number(key)];
    else value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === undefined || value === null) return undefined;
  return textFrom(value);
}
