// A field of a record, declared once: its type, how it is read from outside (with the leniency of
// contract-core 1.2, model/record-reader.ts), and how the API describes it. An option that is not
// given has no effect.
//
//   name: text({ about: 'Unique', required: true, charsMax: 255 })      always a text
//   paused: flag({ default: false })                                   always a boolean
//   description: text({ charsMax: 10_000 })                            may be absent
import * as schema from './schema.js';
import type { Schema } from './schema.js';
import { wrongField } from './errors.js';
import type { Json, JsonMap } from './json.js';
import type { RecordReader } from './record-reader.js';

/** `required`: a request must have it. `always`: it has a default. `optional`: it may be absent. */
export type Presence = 'required' | 'always' | 'optional';

export interface Field<T, P extends Presence = Presence> {
  readonly presence: P;
  readonly schema: Schema;
  /** undefined only for an optional field. Throws AppError 'bad-request' with field and rule. */
  readonly read: (reader: RecordReader, name: string) => T | undefined;
}

interface Options<T> {
  /** For people, in the API description. */
  readonly about?: string;
  readonly required?: true;
  /** The value of a field that is absent or null. */
  readonly default?: T;
  /** A rule beyond the type. Throws AppError 'bad-request' (`wrongField(path, rule)`). */
  readonly check?: (value: T, path: string) => void;
}

type PresenceOf<O> = O extends { readonly required: true }
  ? 'required'
  : O extends { readonly default: unknown }
    ? 'always'
    : 'optional';

function field<T, O extends Options<T>>(
  described: Schema,
  options: O,
  get: (reader: RecordReader, name: string) => T | undefined,
): Field<T, PresenceOf<O>> {
  const { required, default: fallback, check } = options;
  const presence = required === true ? 'required' : fallback === undefined ? 'optional' : 'always';
  return {
    presence: presence as PresenceOf<O>,
    schema: described,
    read(reader, name) {
      const value = get(reader, name) ?? fallback;
      if (value === undefined) {
        if (required === true) throw wrongField(reader.pathOf(name), 'is required');
        return undefined;
      }
      check?.(value, reader.pathOf(name));
      return value;
    },
  };
}

/** A field that a save may leave out, to keep what is stored; `emptied` removes it. */
export function keptUnless<F extends Field<unknown>>(emptied: Json, kept: F): F {
  return { ...kept, schema: { ...kept.schema, 'x-emptied': emptied } };
}

interface TextOptions extends Options<string> {
  /** An empty text counts as given, also where the field is required. */
  readonly mayBeEmpty?: true;
  /** Blanks around it do not count. */
  readonly trimmed?: true;
  readonly charsMax?: number;
  /** A form does not show what is typed, and a table does not have it. */
  readonly isSecret?: true;
  /** All of the text must match; `rule` says it in words. */
  readonly pattern?: RegExp;
  readonly rule?: string;
  /** Told in the API description, though the parser does not act on it by itself. */
  readonly told?: Pick<Schema, 'default'>;
}

/** A text. An empty one counts as absent where the field is required or has a default. */
export function text<const O extends TextOptions>(
  options: O = {} as O,
): Field<string, PresenceOf<O>> {
  const { about, charsMax, pattern, rule = 'has another form', check, told: more } = options;
  const bound = {
    ...(charsMax !== undefined && { maxLength: charsMax }),
    ...(options.isSecret && { format: 'password' }),
  };
  const described = schema.text(about, { ...bound, ...more });
  const checked = (value: string, path: string): void => {
    if (charsMax !== undefined && value.length > charsMax) {
      throw wrongField(path, `may have ${charsMax} characters at most`);
    }
    if (pattern !== undefined && !pattern.test(value)) throw wrongField(path, rule);
    check?.(value, path);
  };
  const emptyIsAbsent =
    options.mayBeEmpty !== true && (options.required === true || options.default !== undefined);
  const isAbsent = (value: string): boolean =>
    options.required === true ? value.trim() === '' : value === '';
  return field(described, { ...options, check: checked }, (reader, name) => {
    const sent = reader.text(name);
    const value = options.trimmed === true ? sent?.trim() : sent;
    return value !== undefined && emptyIsAbsent && isAbsent(value) ? undefined : value;
  });
}

/** A text; an empty one counts as absent. */
export function filledText(
  options: Omit<TextOptions, 'required' | 'default'> = {},
): Field<string, 'optional'> {
  const inner = text(options);
  return {
    ...inner,
    presence: 'optional',
    read: (reader, name) => {
      const sent = reader.text(name);
      const isEmpty = (options.trimmed === true ? sent?.trim() : sent) === '';
      return isEmpty ? undefined : inner.read(reader, name);
    },
  };
}

/** A boolean. With a default it is of primitive type: null is false. */
export function flag<const O extends Options<boolean>>(
  options: O = {} as O,
): Field<boolean, PresenceOf<O>> {
  const { about, default: fallback } = options;
  const described = schema.flag(about, fallback === undefined ? {} : { default: fallback });
  return field(described, options, (reader, name) =>
    fallback === undefined ? reader.optionalFlag(name) : reader.flag(name, fallback),
  );
}

interface NumberOptions extends Options<number> {
  readonly min?: number;
  readonly max?: number;
  /** Told in the API description; what does not fit is reported later, with all that is wrong. */
  readonly told?: Pick<Schema, 'minimum' | 'maximum' | 'default'>;
}

/** An integer of 32 bits. */
export function integer<const O extends NumberOptions>(
  options: O = {} as O,
): Field<number, PresenceOf<O>> {
  return bounded(schema.integer(options.about, boundsOf(options)), options, (reader, name) =>
    reader.optionalInteger(name),
  );
}

/** An integer of 53 bits. */
export function long<const O extends NumberOptions>(
  options: O = {} as O,
): Field<number, PresenceOf<O>> {
  return bounded(schema.integer(options.about, boundsOf(options)), options, (reader, name) =>
    reader.raw(name) === undefined ? undefined : reader.long(name, 0),
  );
}

/** A moment, epoch ms. 0 counts as absent, as clients send it for a time that is not set. */
export function time<const O extends NumberOptions>(
  options: O = {} as O,
): Field<number, PresenceOf<O>> {
  return bounded(schema.time(options.about), options, (reader, name) => {
    const value = reader.long(name, 0);
    return value === 0 ? undefined : value;
  });
}

function boundsOf({ min, max, told }: NumberOptions): Pick<Schema, 'minimum' | 'maximum'> {
  return {
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...told,
  };
}

interface PrimitiveOptions extends Pick<NumberOptions, 'about' | 'told'> {
  readonly default: number;
}

/** An integer of 32 bits of primitive type: null is 0. */
export function primitiveInteger(options: PrimitiveOptions): Field<number, 'always'> {
  return primitive(options, (reader, name) => reader.integer(name, options.default));
}

/** An integer of 53 bits of primitive type: null is 0. */
export function primitiveLong(options: PrimitiveOptions): Field<number, 'always'> {
  return primitive(options, (reader, name) => reader.long(name, options.default));
}

function primitive(
  { about, default: fallback, told }: PrimitiveOptions,
  read: (reader: RecordReader, name: string) => number,
): Field<number, 'always'> {
  return {
    ...{ presence: 'always', read },
    schema: schema.integer(about, { default: fallback, ...told }),
  };
}

function bounded<O extends NumberOptions>(
  described: Schema,
  options: O,
  get: (reader: RecordReader, name: string) => number | undefined,
): Field<number, PresenceOf<O>> {
  const { min = -Infinity, max = Infinity, check } = options;
  const checked = (value: number, path: string): void => {
    if (value < min && min === 0) throw wrongField(path, 'must not be negative');
    if (value < min) throw wrongField(path, `must be ${min} or more`);
    if (value > max) throw wrongField(path, `must be ${max} or less`);
    check?.(value, path);
  };
  return field(described, { ...options, check: checked }, get) as Field<number, PresenceOf<O>>;
}

/** One of several texts, by its name or its position. */
export function choice<const V extends readonly string[], const O extends Options<V[number]>>(
  values: V,
  options: O = {} as O,
): Field<V[number], PresenceOf<O>> {
  return field<V[number], O>(schema.oneOf(values, options.about), options, (reader, name) => {
    const value = reader.choice(name, values);
    if (value !== undefined || options.required !== true) return value;
    throw wrongField(reader.pathOf(name), `must be one of ${values.join(', ')}`);
  });
}

interface ListOptions {
  readonly about?: string;
  readonly itemsMax?: number;
}

/** A list; empty when absent. `item` reads one; its schema is `described`. */
export function list<T>(
  item: { readonly schema: Schema; parse(input: unknown, path: string): T },
  { about, itemsMax = Infinity }: ListOptions = {},
): Field<readonly T[], 'always'> {
  return {
    presence: 'always',
    schema: atMost(itemsMax, schema.list(item.schema, about)),
    read(reader, name) {
      const items = reader.list(name, (input, path) => item.parse(input, path));
      if (items.length > itemsMax) {
        throw wrongField(reader.pathOf(name), `may have ${itemsMax} entries at most`);
      }
      return items;
    },
  };
}

function atMost(itemsMax: number, described: Schema): Schema {
  return itemsMax === Infinity ? described : { ...described, maxItems: itemsMax };
}

/** A list; undefined when it is absent or null, so that a save may leave it as it was. */
export function optionalList<T>(
  item: { readonly schema: Schema; parse(input: unknown, path: string): T },
  options: ListOptions = {},
): Field<readonly T[], 'optional'> {
  const inner = list(item, options);
  return keptUnless([], {
    ...inner,
    presence: 'optional',
    read: (reader, name) => (reader.raw(name) === undefined ? undefined : inner.read(reader, name)),
  });
}

/** A field that only replies or stored records have; it is never read from a request. */
export function told<T>(described: Schema): Field<T, 'optional'> {
  return { schema: described, presence: 'optional', read: () => undefined };
}

interface TextsOptions extends ListOptions {
  /** A text that stands there twice counts once. */
  readonly unique?: true;
  /** A rule of its own. Throws AppError 'bad-request' (`wrongField(path, rule)`). */
  readonly check?: (values: readonly string[], path: string) => void;
}

/** Texts; none when absent. */
export function texts({ about, itemsMax = Infinity, unique, check }: TextsOptions = {}): Field<
  readonly string[],
  'always'
> {
  return {
    presence: 'always',
    schema: atMost(itemsMax, schema.list(schema.text(), about)),
    read(reader, name) {
      const sent = reader.texts(name);
      const found = unique === true ? [...new Set(sent)] : sent;
      const path = reader.pathOf(name);
      if (found.length > itemsMax) throw wrongField(path, `may have ${itemsMax} entries at most`);
      check?.(found, path);
      return found;
    },
  };
}

/** A JSON object with any members. */
export function anyMap<const O extends Options<JsonMap>>(
  options: O = {} as O,
): Field<JsonMap, PresenceOf<O>> {
  const described =
    options.about === undefined
      ? schema.anyObject
      : { ...schema.anyObject, description: options.about };
  return field(described, options, (reader, name) => reader.optionalMap(name));
}

/** A JSON object with any members; an empty one of its own when absent. */
export function map(about?: string): Field<JsonMap, 'always'> {
  const { schema: described } = anyMap(about === undefined ? {} : { about });
  return { presence: 'always', schema: described, read: (reader, name) => reader.map(name) };
}

/** A map whose values are read by `item`; an empty one of its own when absent. */
export function mapOf<T>(
  item: { readonly schema: Schema; parse(input: unknown, path: string): T },
  about?: string,
): Field<{ readonly [key: string]: T }, 'always'> {
  return {
    presence: 'always',
    get schema() {
      return schema.mapOf(item.schema, about);
    },
    read: (reader, name) => reader.mapOf(name, (input, path) => item.parse(input, path)),
  };
}

/** A map of texts; null counts as an empty one. */
export function textMap(about?: string): Field<{ readonly [key: string]: string }, 'always'> {
  return {
    ...{ presence: 'always', schema: schema.mapOf(schema.text(), about) },
    read: (reader, name) => reader.textMap(name),
  };
}

/** A text that must not be empty; one that is, is reported later, with all that is wrong. */
export function checkedText(about: string): Field<string, 'required'> {
  return {
    ...{ presence: 'required', schema: schema.text(about) },
    read: (reader, name) => reader.text(name) ?? '',
  };
}

/** A record within the record. */
export function part<T, const O extends Options<T> = Options<T>>(
  shape: { readonly schema: Schema; parse(input: unknown, path: string): T },
  options: O = {} as O,
): Field<T, PresenceOf<O>> {
  return custom<T, O>(shape.schema, (value, path) => shape.parse(value, path), options);
}

/** A field that is read in its own way: `parse` is given what is neither absent nor null. */
export function custom<T, const O extends Options<T> = Options<T>>(
  described: Schema,
  parse: (value: unknown, path: string) => T,
  options: O = {} as O,
): Field<T, PresenceOf<O>> {
  return field<T, O>(described, options, (reader, name) => reader.record(name, parse));
}
