// Forms of parameters, bodies and replies, as JSON Schema (2020-12). Endpoints declare them; the
// API description and the tests that check replies are made from them. A form describes the wire;
// the parsers in `model` decide what is accepted.
import type { Json } from '../model/json.js';

/** The part of JSON Schema that forms use. */
export interface Form {
  readonly type?: FormType | readonly FormType[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Form;
  readonly items?: Form;
  readonly anyOf?: readonly Form[];
  readonly default?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Characters. */
  readonly maxLength?: number;
  /** Name under which the API description lists the form once and refers to it. */
  readonly title?: string;
}

type FormType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

type About = Omit<Form, 'type' | 'properties' | 'items'>;

export const text = (description = '', more: About = {}): Form => form('string', description, more);
export const integer = (description = '', more: About = {}): Form =>
  form('integer', description, more);
export const number = (description = '', more: About = {}): Form =>
  form('number', description, more);
export const flag = (description = '', more: About = {}): Form =>
  form('boolean', description, more);
/** Epoch milliseconds. */
export const time = (description = 'Epoch milliseconds'): Form =>
  form('integer', description, { format: 'int64' });
export const oneOf = (values: readonly string[], description = ''): Form =>
  form('string', description, { enum: values });
/** Any JSON value. */
export const anything: Form = {};
/** A JSON object with any members. */
export const anyObject: Form = { type: 'object', additionalProperties: true };

export function list(items: Form, description = ''): Form {
  return { ...form('array', description), items };
}

/** An object whose members all have one form. */
export function mapOf(values: Form, description = ''): Form {
  return form('object', description, { additionalProperties: values });
}

/**
 * An object. `required` names the members that are always there; others may be absent. Further
 * members are allowed, as servers of this API add some.
 */
export function object(
  title: string,
  properties: Readonly<Record<string, Form>>,
  required: readonly string[] = [],
): Form {
  return { type: 'object', title, properties, ...(required.length > 0 ? { required } : {}) };
}

export function nullable(inner: Form): Form {
  return { anyOf: [inner, { type: 'null' }] };
}

function form(type: FormType, description: string, more: About = {}): Form {
  return description === '' ? { type, ...more } : { type, description, ...more };
}
