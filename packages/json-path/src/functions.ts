// The functions of JSON paths (semantics 3.2.5): `.length()`, `.sum()` and so on. Each gets the
// value the path before it leads to; behind an indefinite path it is asked of every value found,
// and the answers make a list (observed). Undefined means: no value, which the caller shows as
// null.
import { toJavaText } from './java-text.js';
import type { Json, PathFunction } from './path.js';

/** `input`: what the function is asked of; undefined when the path before it leads nowhere. */
export function applyPathFunction(
  name: PathFunction,
  input: Json | undefined,
  args: readonly Json[],
): Json | undefined {
  switch (name) {
    case 'length':
    case 'size':
      return lengthOf(args[0] ?? input);
    case 'first':
      return elementAt(input, 0);
    case 'last':
      return elementAt(input, -1);
    case 'index':
      return typeof args[0] === 'number' ? elementAt(input, args[0]) : undefined;
    case 'keys':
      return isMap(input) ? Object.keys(input) : undefined;
    case 'concat':
      return concat(input, args);
    case 'append':
      return Array.isArray(input) ? [...input, ...args] : input;
    case 'sum':
    case 'min':
    case 'max':
    case 'avg':
    case 'stddev':
      return aggregate(name, numbersOf(input, args));
  }
}

/**
 * Answers for each value that an indefinite path led to; undefined when one of them is nothing the
 * function can be asked of.
 */
export function applyToEach(
  name: PathFunction,
  found: Json | undefined,
  args: readonly Json[],
): Json[] | undefined {
  if (!Array.isArray(found)) return undefined;
  const answers: Json[] = [];
  for (const value of found) {
    const answer = applyPathFunction(name, value, args);
    if (answer === undefined && !answersNull.has(name)) return undefined;
    answers.push(answer ?? null);
  }
  return answers;
}

/** Functions that answer null where the others give up. */
const answersNull: ReadonlySet<PathFunction> = new Set<PathFunction>(['length', 'size', 'keys']);

function isMap(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lengthOf(value: Json | undefined): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
}

function elementAt(list: Json | undefined, index: number): Json | undefined {
  return Array.isArray(list) ? list[index < 0 ? list.length + index : index] : undefined;
}

/**
 * Texts of a list, then all arguments as text; a list among the arguments counts by its elements.
 */
function concat(input: Json | undefined, args: readonly Json[]): string {
  const parts: string[] = [];
  if (Array.isArray(input)) {
    for (const item of input) if (typeof item === 'string') parts.push(item);
  }
  for (const arg of args.flatMap((each) => each)) if (arg !== null) parts.push(toJavaText(arg));
  return parts.join('');
}

function numbersOf(input: Json | undefined, args: readonly Json[]): number[] {
  const numbers: number[] = [];
  const take = (value: Json): void => {
    if (typeof value === 'number') numbers.push(value);
    else if (typeof value === 'bigint') numbers.push(Number(value));
  };
  if (Array.isArray(input)) input.forEach(take);
  for (const arg of args.flatMap((each) => each)) take(arg);
  return numbers;
}

function aggregate(
  name: 'sum' | 'min' | 'max' | 'avg' | 'stddev',
  numbers: readonly number[],
): number | undefined {
  if (numbers.length === 0) return undefined;
  const sum = numbers.reduce((a, b) => a + b, 0);
  const mean = sum / numbers.length;
  switch (name) {
    case 'sum':
      return sum;
    case 'avg':
      return mean;
    case 'min':
      return numbers.reduce((a, b) => Math.min(a, b));
    case 'max':
      return numbers.reduce((a, b) => Math.max(a, b));
    case 'stddev': {
      const squares = numbers.reduce((a, b) => a + b * b, 0);
      return Math.sqrt(Math.max(0, squares / numbers.length - mean * mean));
    }
  }
}
