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

/** A record; fields that it does not have are never looked at. */
export function record<F extends Fields>(title: string, fields: F): RecordShape<Values<F>> {
  return {
    schema: schemaOf(title, fields, ['required']),
    shown: { schema: schemaOf(title, fields, ['required', 'always']) },
    parse: (input, path = '') => readFields(new RecordReader(input, path), fields),
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
  return objectOf(
    title,
    Object.fromEntries(all.map(([name, field]) => [name, field.schema])),
    always.map(([name]) => name),
  );
}
