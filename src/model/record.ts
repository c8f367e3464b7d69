// A record of fields: its TypeScript type, its parser and its schema in the API description come
// from one declaration.
import { list, objectOf, type Schema, type RecordShape, type Shape } from './schema.js';
import { wrongField } from './errors.js';
import { parseList, RecordReader } from './record-reader.js';
import type { Field } from './field.js';

export type Fields = Readonly<Record<string, Field<unknown>>>;

type Named<F extends Fields, P> = {
  [K in keyof F]: F[K]['presence'] extends P ? K : never;
}[keyof F];
type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The values of a record's fields; optional ones may be absent. */
export type Values<F extends Fields> = {
  readonly [K in Named<F, 'required' | 'always'>]: ValueOf<F[K]>;
} & { readonly [K in Named<F, 'optional'>]?: ValueOf<F[K]> };

/** The same type, of a record that its maker may still change. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A record; fields that it does not have are never looked at. */
export function record<F extends Fields>(title: string, fields: F): RecordShape<Values<F>> {
  return {
    schema: schemaOf(title, fields, ['required']),
    shown: { schema: schemaOf(title, fields, ['required', 'always']) },
    parse: (input, path = '') => readFields(new RecordReader(input, path), fields),
  };
}

/**
 * The body of an operation of this server's own, which no SDK sends: a field that it does not have
 * is refused by name, since it is a misspelt one.
 */
export function ownRecord<F extends Fields>(title: string, fields: F): Shape<Values<F>> {
  const schema = { ...schemaOf(title, fields, ['required']), additionalProperties: false };
  return {
    schema,
    parse(input, path = '') {
      const reader = new RecordReader(input, path);
      reader.only(Object.keys(fields));
      return readFields(reader, fields);
    },
  };
}

/** A body that is a list; `many` names the items in its refusal. */
export function sentList<T>(item: Shape<T>, many: string, itemsMax: number): Shape<readonly T[]> {
  return {
    schema: list(item.schema),
    parse(input) {
      if (Array.isArray(input) && input.length > itemsMax) {
        throw wrongField('the body', `may have ${itemsMax} ${many} at most`);
      }
      return parseList(input, '', (each, path) => item.parse(each, path));
    },
  };
}

/** The values of the fields; what is absent is left out. Throws AppError 'bad-request'. */
export function readFields<F extends Fields>(reader: RecordReader, fields: F): Values<F> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = (fields[name] as Field<unknown>).read(reader, name);
    if (value !== undefined) values[name] = value;
  }
  return values as Values<F>;
}

/** The schema of a record; members with one of the presences are always there. */
export function schemaOf<T>(
  title: string,
  fields: Fields,
  presences: readonly Field<unknown>['presence'][],
): Schema<T> {
  const all = Object.entries(fields);
  const always = all.filter(([, { presence }]) => presences.includes(presence));
  const properties: Record<string, Schema> = {};
  // Read when they are asked for: a schema may refer to itself.
  for (const [name, field] of all) {
    Object.defineProperty(properties, name, { enumerable: true, get: () => field.schema });
  }
  return objectOf(
    title,
    properties,
    always.map(([name]) => name),
  );
}
