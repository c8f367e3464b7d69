// Schemas of parameters, bodies and replies, as JSON Schema (2020-12). Endpoints declare them; the
// API description and the tests that check replies are made from them. A schema describes the wire;
// the parsers in `model` decide what is accepted. Each schema carries the type of its values, so
// that a reply that does not fit its schema does not compile.
import type { Json, JsonMap } from './json.js';

/** The part of JSON Schema that declarations use. `T`: the type of the values. */
export interface Schema<T = unknown> {
  readonly type?: FormType | readonly FormType[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly default?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Characters. */
  readonly maxLength?: number;
  /** Entries of a list. */
  readonly maxItems?: number;
  /** Its name in forms and tables; absent: the words of its own name. */
  readonly 'x-label'?: string;
  /** A number that is a moment. */
  readonly 'x-unit'?: 'epoch-ms';
  /** Where the names that a form offers come from: a list, and the member of its rows. */
  readonly 'x-names'?: { readonly path: string; readonly member: string };
  /** Empties a field of a stored record, which a save without the field leaves as it was. */
  readonly 'x-emptied'?: Json;
  /** Name under which the API description lists the schema once and refers to it. */
  readonly title?: string;
  /** Only a type; never there. */
  readonly value?: T;
}

/** The values that a schema describes. */
export type ValueOf<F> = F extends Schema<infer T> ? T : never;

/** A schema, and how a value of it is read from outside. */
export interface Shape<T> {
  readonly schema: Schema;
  /** `path` names it in refusals. Throws AppError 'bad-request' with field and rule. */
  parse(input: unknown, path?: string): T;
}

/** A record as callers send it, and as they are shown it: then fields with a default are there. */
export interface RecordShape<T> extends Shape<T> {
  readonly schema: Schema<T>;
  readonly shown: { readonly schema: Schema<T> };
}

type FormType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

type About = Omit<Schema, 'type' | 'properties' | 'items' | 'value'>;

export const text = (description = '', more: About = {}): Schema<string> =>
  schema('string', description, more);
export const integer = (description = '', more: About = {}): Schema<number> =>
  schema('integer', description, more);
export const number = (description = '', more: About = {}): Schema<number> =>
  schema('number', description, more);
export const flag = (description = '', more: About = {}): Schema<boolean> =>
  schema('boolean', description, more);
/** Epoch milliseconds. */
export const time = (description = 'Epoch milliseconds'): Schema<number> =>
  schema('integer', description, { format: 'int64', 'x-unit': 'epoch-ms' });
export const oneOf = <const V extends string>(values: readonly V[], description = ''): Schema<V> =>
  schema('string', description, { enum: values });
/** Any JSON value. */
export const anything: Schema<Json> = {};
/** A JSON object with any members. */
export const anyObject: Schema<JsonMap> = { type: 'object', additionalProperties: true };

export function list<T>(items: Schema<T>, description = ''): Schema<readonly T[]> {
  return { ...schema<readonly T[]>('array', description), items };
}

/** An object whose members all have one schema. */
export function mapOf<T>(
  values: Schema<T>,
  description = '',
): Schema<{ readonly [name: string]: T }> {
  return schema('object', description, { additionalProperties: values });
}

type Members = Readonly<Record<string, Schema>>;
type ObjectOf<M extends Members, R extends keyof M> = {
  readonly [N in R]: ValueOf<M[N]>;
} & { readonly [N in Exclude<keyof M, R>]?: ValueOf<M[N]> };

/**
 * An object. `required` names the members that are always there; others may be absent. Further
 * members are allowed, as servers of this API add some.
 */
export function object<M extends Members, const R extends keyof M & string = never>(
  title: string,
  properties: M,
  required: readonly R[] = [],
): Schema<ObjectOf<M, R>> {
  return objectOf(title, properties, required);
}

/** All members of an object, for `required`. */
export function namesOf<M extends Members>(members: M): (keyof M & string)[] {
  return Object.keys(members);
}

/** An object with the members of another one, and more. */
export function extended<T, M extends Members, const R extends keyof M & string = never>(
  title: string,
  base: Schema<T>,
  more: M,
  required: readonly R[] = [],
): Schema<T & ObjectOf<M, R>> {
  return objectOf(title, { ...base.properties, ...more }, [...(base.required ?? []), ...required]);
}

/** As `object`, of members that are made at the start. */
export function objectOf<T>(
  title: string,
  properties: Members,
  required: readonly string[],
): Schema<T> {
  return { type: 'object', title, properties, ...(required.length > 0 ? { required } : {}) };
}

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return { anyOf: [inner, { type: 'null' }] };
}

function schema<T>(type: FormType, description: string, more: About = {}): Schema<T> {
  return description === '' ? { type, ...more } : { type, description, ...more };
}
