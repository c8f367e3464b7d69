// Reads one record of outside input field by field with the leniency of contract-core 1.2: numeric
// texts count as numbers, fractions are cut, numbers and booleans count as texts, null is 0 or
// false for a primitive field and "not given" for the others, unknown fields are never looked at
// but by `only`. A value that does not fit is an AppError 'bad-request' that names field and rule.
// Maps with keys of the user's are built without prototype, so that no key can reach one
// (invariants S3).
import { atOnce, eachInSteps, type Steps } from '../std/slices.js';
import { AppError } from './errors.js';
import type { Json, JsonMap } from './json.js';

const int32Max = 2 ** 31 - 1;
const int32Min = -(2 ** 31);

export class RecordReader {
  readonly #fields: { readonly [name: string]: unknown };

  /** Throws AppError 'bad-request' when `input` is not an object. `path` names it in messages. */
  constructor(
    input: unknown,
    readonly path: string,
  ) {
    if (!isMap(input)) throw refused(path, 'must be an object');
    this.#fields = input;
  }

  /** The field as it came; undefined when absent or null. */
  raw(name: string): unknown {
    return this.#fields[name] ?? undefined;
  }

  /** Whether the field was sent, be it null. */
  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** Throws AppError 'bad-request' that names a field which is none of `names`. */
  only(names: readonly string[]): void {
    const unknown = Object.keys(this.#fields).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    throw refused(this.pathOf(unknown.slice(0, 100)), `is none of the fields ${names.join(', ')}`);
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : toText(value, () => this.pathOf(name));
  }

  /** Texts of a list; null items become empty texts. Absent or null: empty. */
  texts(name: string): string[] {
    const value = this.raw(name);
    return value === undefined ? [] : parseTexts(value, this.pathOf(name));
  }

  /** Integer of 32 bits of primitive type: `fallback` when absent, 0 when null. */
  integer(name: string, fallback: number): number {
    const value = this.#fields[name];
    if (value === undefined) return fallback;
    return value === null ? 0 : this.#whole(name, value, int32Min, int32Max);
  }

  /** Integer of 32 bits; undefined when absent or null. */
  optionalInteger(name: string): number | undefined {
    const value = this.raw(name);
    return value === undefined || value === ''
      ? undefined
      : this.#whole(name, value, int32Min, int32Max);
  }

  /** As `integer` for times and durations, which may have 53 bits. */
  long(name: string, fallback: number): number {
    const value = this.#fields[name];
    if (value === undefined) return fallback;
    if (value === null) return 0;
    return this.#whole(name, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  }

  /** Boolean of primitive type: `fallback` when absent, false when null. */
  flag(name: string, fallback: boolean): boolean {
    const value = this.#fields[name];
    if (value === undefined) return fallback;
    return value === null ? false : this.#boolean(name, value);
  }

  /** Boolean; undefined when absent or null. */
  optionalFlag(name: string): boolean | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : this.#boolean(name, value);
  }

  /** One of `values`, by its exact name or its position; undefined when absent or null. */
  choice<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const found = typeof value === 'number' ? values[value] : values.find((each) => each === value);
    if (found === undefined) {
      throw refused(this.pathOf(name), `must be one of ${values.join(', ')}`);
    }
    return found;
  }

  /** A free map as it came; undefined when absent or null. */
  optionalMap(name: string): JsonMap | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!isMap(value)) throw refused(this.pathOf(name), 'must be an object');
    return value as JsonMap;
  }

  /** A free map as it came; empty when absent or null. */
  map(name: string): JsonMap {
    return this.optionalMap(name) ?? {};
  }

  /** Map of texts; empty when absent or null. Null values become empty texts. */
  textMap(name: string): { [key: string]: string } {
    return this.mapOf(name, (value, path) => (value === null ? '' : toText(value, () => path)));
  }

  /** Map whose values `parse` makes; empty when absent or null. */
  mapOf<T>(name: string, parse: (value: unknown, path: string) => T): { [key: string]: T } {
    const result = Object.create(null) as { [key: string]: T };
    const value = this.optionalMap(name);
    if (value === undefined) return result;
    const path = this.pathOf(name);
    for (const key of Object.keys(value)) result[key] = parse(value[key], `${path}.${key}`);
    return result;
  }

  /** List whose items `parse` makes; empty when absent or null. */
  list<T>(name: string, parse: (item: unknown, path: string) => T): T[] {
    const value = this.raw(name);
    if (value === undefined) return [];
    return parseList(value, this.pathOf(name), parse);
  }

  /** As `list`, in steps. */
  *listing<T>(name: string, parse: (item: unknown, path: string) => T): Steps<T[]> {
    const value = this.raw(name);
    return value === undefined ? [] : yield* parsingList(value, this.pathOf(name), parse);
  }

  /** The field as `parse` reads it; undefined when absent or null. */
  record<T>(name: string, parse: (value: unknown, path: string) => T): T | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : parse(value, this.pathOf(name));
  }

  /** Any JSON; undefined when absent or null. */
  json(name: string): Json | undefined {
    return this.raw(name) as Json | undefined;
  }

  #whole(name: string, value: unknown, min: number, max: number): number {
    const number = Math.trunc(toNumber(value));
    if (Number.isNaN(number)) throw refused(this.pathOf(name), 'must be a number');
    if (number < min || number > max) {
      throw refused(this.pathOf(name), `must be between ${min} and ${max}`);
    }
    return number === 0 ? 0 : number;
  }

  #boolean(name: string, value: unknown): boolean {
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return value !== 0;
    if (typeof value === 'string') {
      const text = value.trim().toLowerCase();
      if (text === 'true') return true;
      if (text === 'false' || text === '') return false;
    }
    throw refused(this.pathOf(name), 'must be true or false');
  }
}

/** The items of a list. Throws AppError 'bad-request' when `value` is none. */
export function parseList<T>(
  value: unknown,
  path: string,
  parse: (item: unknown, path: string) => T,
): T[] {
  return atOnce(parsingList(value, path, parse));
}

/** As `parseList`, in steps. */
function* parsingList<T>(
  value: unknown,
  path: string,
  parse: (item: unknown, path: string) => T,
): Steps<T[]> {
  if (!Array.isArray(value)) throw refused(path, 'must be a list');
  const parsed: T[] = [];
  yield* eachInSteps(value, (item, index) => parsed.push(parse(item, `${path}[${index}]`)));
  return parsed;
}

/**
 * The texts of a list; numbers and booleans count as texts, null as an empty one. Throws AppError
 * 'bad-request'.
 */
export function parseTexts(value: unknown, path: string): string[] {
  return parseList(value, path, (item, at) => (item === null ? '' : toText(item, () => at)));
}

/** The fields of `fields` that have a value. */
export function present<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined) result[key] = value as Exclude<T[keyof T], undefined>;
  }
  return result;
}

/** The refusal of outside input: `path` names the field, `rule` says what it must be. */
export function refused(path: string, rule: string): AppError {
  return new AppError('bad-request', `${path === '' ? 'The body' : path} ${rule}`);
}

export function isMap(value: unknown): value is { [key: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function toText(value: unknown, path: () => string): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      throw refused(path(), 'must be a text');
  }
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') return Number.NaN;
  return decimal.test(value) || value.trim() === '' ? Number(value) : Number.NaN;
}

const decimal = /^\s*[+-]?\d{1,30}(?:\.\d{0,30})?\s*$/;
