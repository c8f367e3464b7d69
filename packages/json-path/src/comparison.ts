// Comparisons inside the filters of JSON paths (semantics 3.2.5). Patterns run on a linear-time
// engine (invariants S5).
import { RE2JS } from 're2js';
import { toJavaText } from './java-text.js';
import type { Json, PathOperator } from './path.js';

/** Compiled patterns kept. */
const patternsMax = 256;

const patterns = new Map<string, RE2JS>();

const patternFlags: ReadonlyMap<string, number> = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
  ['u', 0],
]);

/** The compiled pattern; undefined when the engine does not take it. */
export function compilePattern(pattern: string, flags: string): RE2JS | undefined {
  const key = `${flags}/${pattern}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  let bits = 0;
  for (const flag of flags) {
    const bit = patternFlags.get(flag);
    if (bit === undefined) return undefined;
    bits |= bit;
  }
  try {
    const compiled = RE2JS.compile(pattern, bits);
    if (patterns.size >= patternsMax) patterns.clear();
    patterns.set(key, compiled);
    return compiled;
  } catch {
    // A path with a wrong pattern is worth null, whatever the mistake is.
    return undefined;
  }
}

/** All operators but `=~`, which needs a pattern. */
export function compareValues(
  operator: Exclude<PathOperator, '=~'>,
  left: Json | undefined,
  right: Json | undefined,
): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '===':
      return typeof left === typeof right && isEqual(left, right);
    case '!==':
      return typeof left !== typeof right || !isEqual(left, right);
    case '<':
      return order(left, right, (sign) => sign < 0);
    case '<=':
      return order(left, right, (sign) => sign <= 0);
    case '>':
      return order(left, right, (sign) => sign > 0);
    case '>=':
      return order(left, right, (sign) => sign >= 0);
    default:
      return compareLists(operator, left, right);
  }
}

type ListOperator = Exclude<
  PathOperator,
  '=~' | '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>='
>;

function compareLists(
  operator: ListOperator,
  left: Json | undefined,
  right: Json | undefined,
): boolean {
  switch (operator) {
    case 'in':
      return holds(right, left);
    case 'nin':
      return !holds(right, left);
    case 'contains':
      if (typeof left === 'string') return typeof right === 'string' && left.includes(right);
      return holds(left, right);
    case 'size':
      return sizeOf(left) !== undefined && isEqual(sizeOf(left), sizeOf(right) ?? right);
    case 'empty':
      return sizeOf(left) !== undefined && (sizeOf(left) === 0) === right;
    case 'all':
      return bothLists(left, right, (a, b) => b.every((item) => holds(a, item)));
    case 'subsetof':
      return bothLists(left, right, (a, b) => a.every((item) => holds(b, item)));
    case 'anyof':
      return bothLists(left, right, (a, b) => a.some((item) => holds(b, item)));
    case 'noneof':
      return bothLists(left, right, (a, b) => !a.some((item) => holds(b, item)));
  }
}

function bothLists(
  left: Json | undefined,
  right: Json | undefined,
  test: (left: Json[], right: Json[]) => boolean,
): boolean {
  return Array.isArray(left) && Array.isArray(right) && test(left, right);
}

function holds(list: Json | undefined, item: Json | undefined): boolean {
  return Array.isArray(list) && list.some((each) => isEqual(each, item));
}

function sizeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  return undefined;
}

function order(
  left: Json | undefined,
  right: Json | undefined,
  test: (sign: number) => boolean,
): boolean {
  const comparable =
    (isNumber(left) && isNumber(right)) || (typeof left === 'string' && typeof right === 'string');
  if (!comparable) return false;
  return test(left === right ? 0 : left < right ? -1 : left > right ? 1 : 0);
}

function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Deep equality; a number equals a text that spells it. */
function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return left !== undefined;
  if (left === undefined || right === undefined || left === null || right === null) return false;
  if (isNumber(left) && isNumber(right)) return left == right;
  if (isNumber(left) && typeof right === 'string') return right === toJavaText(left);
  if (typeof left === 'string' && isNumber(right)) return left === toJavaText(right);
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, i) => isEqual(item, right[i]));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]));
}
