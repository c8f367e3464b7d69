// Fields and replies that the nouns of identities are declared with.
import { list, object, text, type Schema } from '../../model/schema.js';
import { shownOf, type Reply } from '../../api/endpoint.js';
import { keptUnless, told, type Field } from '../../model/field.js';
import { record, type Fields, type Values } from '../../model/record.js';
import { refused, type RecordReader } from '../../model/record-reader.js';

export interface Shown<T> extends Reply<T> {
  readonly schema: Schema;
}

export type ValueOf<S> = S extends Shown<infer T> ? T : never;

export function shown<F extends Fields>(title: string, fields: F): Shown<Values<F>> {
  const made = record(title, fields);
  return { ...shownOf(made), schema: made.shown.schema };
}

/** A field that every reply has. */
export function always<T>(described: Schema): Field<T, 'always'> {
  return { ...told<T>(described), presence: 'always' };
}

/** A field that a request must have; `read` refuses one without. */
export function given<T>(
  described: Schema,
  read: (reader: RecordReader, name: string) => T,
): Field<T, 'required'> {
  return { presence: 'required', schema: described, read };
}

/** A field that a request may leave out, to keep what is stored; `read` is told of one only. */
export function ifThere<T>(
  described: Schema,
  read: (reader: RecordReader, name: string) => T,
): Field<T, 'optional'> {
  return keptUnless(described.type === 'object' ? {} : [], {
    ...{ presence: 'optional', schema: described },
    read: (reader, name) => (reader.has(name) ? read(reader, name) : undefined),
  });
}

/** Longest id or name, characters. */
const nameLengthMax = 256;

/** A name of somebody or something, which may not be blank. */
export function named(about: string): Field<string, 'required'> {
  return given(text(about), nameOf);
}

export function nameOf(reader: RecordReader, field: string): string {
  const name = reader.text(field);
  if (name === undefined || name.trim() === '' || name.length > nameLengthMax) {
    throw refused(reader.pathOf(field), `must be a text of 1 to ${nameLengthMax} characters`);
  }
  return name;
}

/** An id given in a path. Throws AppError 'bad-request'. */
export function checkId(id: string, what: string): string {
  if (id.trim() === '' || id.length > nameLengthMax) {
    throw refused(what, `must be a text of 1 to ${nameLengthMax} characters`);
  }
  return id;
}

/** A text that must be there and not be empty. */
export function filled(about: string): Field<string, 'required'> {
  return given(text(about), (reader, name) => {
    const value = reader.text(name);
    if (value === undefined || value === '') throw refused(reader.pathOf(name), 'must be given');
    return value;
  });
}

/** One name or several. */
export const namesSchema: Schema = { anyOf: [text(), list(text())] };

/** Told of what was done. */
export const message: Shown<{ readonly message: string }> = shown('Message', {
  message: always<string>(text('What was done')),
});

export const endedSessions: Shown<{ readonly ended: number }> = {
  schema: object('EndedSessions', { ended: { type: 'integer', description: 'How many' } }, [
    'ended',
  ]),
};
