// Endpoints whose body and reply are typed by their declaration: the handler is given the parsed
// body, and what it returns is the reply. A reply that does not fit its form does not compile.
import { body, type Endpoint, type ReplyForm } from '../api/endpoint.js';
import { integer, list, object, text as textForm, type Form } from '../api/form.js';
import { empty, json, text, type RouteRequest } from '../api/route.js';
import type { Json } from '../model/json.js';
import type { RecordShape, Shape } from './record.js';

/** The answer of an endpoint: JSON of a form, a text, or nothing (`form` null). */
export interface Reply<T> {
  readonly form: Form | null;
  /** For people; absent: nothing more than the form says. */
  readonly about?: string;
  /** Answered as it is, with the content type of a text. */
  readonly isText?: true;
  /** Only a type; never there. */
  readonly value?: T;
}

export const nothing: Reply<void> = { form: null };

/** A text that is no JSON. */
export function plainText(about: string): Reply<string> {
  return { form: textForm(about), isText: true };
}

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

/** A body that is read in its own way. */
export interface Intake<B> {
  readonly form: Form;
  readonly isRequired: boolean;
  /** Throws AppError 'bad-request'. */
  of(request: RouteRequest): B;
}

type Entry<B, R> = Omit<Endpoint, 'body' | 'replies' | 'handle' | 'parameters' | 'errors'> & {
  /** Absent: none. */
  readonly parameters?: Endpoint['parameters'];
  /** Absent: it takes none. */
  readonly body?: Shape<B> | Intake<B>;
  readonly reply: Reply<R>;
  /** With which it answers; absent: 200. */
  readonly status?: 200 | 201 | 204;
  /** Absent: none beside those that any endpoint may answer. */
  readonly errors?: Endpoint['errors'];
  /** May throw or reject with an AppError. */
  readonly handle: (request: RouteRequest, body: B) => R | Promise<R>;
};

/** Declares an endpoint with one kind of reply. */
export function endpoint<R, B = undefined>({
  body: given,
  reply,
  status = 200,
  handle,
  parameters = {},
  errors = [],
  ...entry
}: Entry<B, R>): Endpoint {
  const intake = given && intakeOf(given);
  return {
    ...{ ...entry, parameters, errors },
    body: intake === undefined ? null : body(intake.form, intake.isRequired),
    replies: { [status]: replyForm(reply) },
    async handle(request) {
      const value = await handle(request, intake?.of(request) as B);
      if (reply.form === null || value === undefined) return empty(status === 204 ? 204 : 200);
      return reply.isText ? text(value as string) : { ...json(value as Json), status };
    },
  };
}

/** A shape is read from JSON. */
function intakeOf<B>(given: Shape<B> | Intake<B>): Intake<B> {
  if ('of' in given) return given;
  return { form: given.form, isRequired: true, of: (request) => given.parse(request.json()) };
}

function replyForm({ form, about, isText }: Reply<unknown>): ReplyForm {
  return {
    form,
    ...(about !== undefined && { description: about }),
    ...(isText && form && { contentType: 'text/plain;charset=UTF-8' }),
  };
}
