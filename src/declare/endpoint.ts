// Endpoints whose body and reply are typed by their declaration: the handler is given the parsed
// body, and what it returns is the reply. A reply that does not fit its form does not compile.
import { body, type Endpoint } from '../api/endpoint.js';
import { integer, list, object, type Form } from '../api/form.js';
import { empty, json, type RouteRequest } from '../api/route.js';
import type { Json } from '../model/json.js';
import type { RecordShape, Shape } from './record.js';

/** What an endpoint answers with status 200: JSON of a form, or nothing (`form` null). */
export interface Reply<T> {
  readonly form: Form | null;
  /** For people; absent: nothing more than the form says. */
  readonly about?: string;
  /** Only a type; never there. */
  readonly value?: T;
}

export const nothing: Reply<void> = { form: null };

/** One value of a shape. */
export function one<T>(shape: Pick<Shape<T>, 'form'>): Reply<T> {
  return { form: shape.form };
}

/** As another reply; no body for undefined. */
export function orNothing<T>({ form }: Reply<T>): Reply<T | undefined> {
  return { form, about: 'No body when there is none' };
}

/** A record as it is shown. */
export function shownOf<T>({ shown }: RecordShape<T>): Reply<T> {
  return { form: shown.form };
}

/** All values of a shape. */
export function listOf<T>({ form }: { readonly form: Form; readonly value?: T }): Reply<T[]> {
  return { form: list(form) };
}

/** One page of what was found, and how much was found in all. */
export interface Page<T> {
  readonly totalHits: number;
  readonly results: T[];
}

/** A page of values of a shape. */
export function pageOf<T>(
  title: string,
  { form }: { readonly form: Form; readonly value?: T },
): Reply<Page<T>> {
  return {
    form: object(title, { totalHits: integer(), results: list(form) }, ['totalHits', 'results']),
  };
}

type Entry<B, R> = Omit<Endpoint, 'body' | 'replies' | 'handle' | 'parameters' | 'errors'> & {
  /** Absent: none. */
  readonly parameters?: Endpoint['parameters'];
  /** Absent: it takes none. */
  readonly body?: Shape<B>;
  readonly reply: Reply<R>;
  /** Absent: none beside those that any endpoint may answer. */
  readonly errors?: Endpoint['errors'];
  /** May throw or reject with an AppError. */
  readonly handle: (request: RouteRequest, body: B) => R | Promise<R>;
};

/** Declares an endpoint with one kind of reply. */
export function endpoint<R, B = undefined>({
  body: shape,
  reply,
  handle,
  parameters = {},
  errors = [],
  ...entry
}: Entry<B, R>): Endpoint {
  return {
    ...{ ...entry, parameters, errors },
    body: shape === undefined ? null : body(shape.form),
    replies: {
      200: { form: reply.form, ...(reply.about !== undefined && { description: reply.about }) },
    },
    async handle(request) {
      const value = await handle(request, shape?.parse(request.json()) as B);
      const isEmpty = reply.form === null || value === undefined;
      return isEmpty ? empty() : json(value as Json);
    },
  };
}
