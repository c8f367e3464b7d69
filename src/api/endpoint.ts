// An endpoint is one entry in the table of its area. The entry declares what the endpoint takes,
// what it answers and who may call it; an omission does not compile. Router, access check, API
// description and the tests of all routes are made from these entries. `endpoint` declares one: the
// handler is given the parsed body, and what it returns is the reply. A reply that does not fit its
// schema does not compile.
import type { ErrorKind } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { Right, TargetType } from '../access/access-rules.js';
import {
  integer,
  list,
  object,
  text as textSchema,
  type Schema,
  type Shape,
} from '../model/schema.js';
import type { ApiResponse } from './http-server.js';
import { empty, json, jsonText, text, type RouteRequest } from './route.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/**
 * The callers that may use an endpoint (contract-admin 1.6, 5, 6).
 * - `public`: anybody, without a token.
 * - `caller`: anybody who is signed in.
 * - `administrator`: callers with the role ADMIN.
 * - `permission`: callers one of whose roles has one of these permissions (contract-admin 5.1).
 * - `target`: callers with this right on the resource that a path variable or query names.
 * - `each`: the operation checks each object that it touches, or filters what it lists.
 */
export type AccessRule =
  | { readonly rule: 'public' }
  | { readonly rule: 'caller' }
  | { readonly rule: 'administrator' }
  | { readonly rule: 'permission'; readonly anyOf: readonly string[] }
  | {
      readonly rule: 'target';
      readonly type: TargetType;
      readonly right: Right;
      /** Path variable, or `?name` for a query parameter, that holds the target's id. */
      readonly id: string;
    }
  | { readonly rule: 'each'; readonly type: TargetType; readonly right: Right };

/**
 * Whether the audit log records a call (api/audit.ts), which also says whether it changes anything.
 * - `changes`: each call; any method but GET that says nothing else.
 * - `persons`: calls of people only, because workers and programs call it all the time.
 * - `routine`: it changes something, and no call is recorded.
 * - `handler`: the handler records the call, with what only it knows.
 * - `reads`: it only reads; a GET that says nothing else.
 * - `secret-reads`: it only reads, but values that rest sealed; the same within a minute is one
 *   entry.
 */
export type AuditRule = 'changes' | 'persons' | 'routine' | 'handler' | 'reads' | 'secret-reads';

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly schema: Schema;
  readonly required?: boolean;
  /** May be given several times, or once with commas. */
  readonly repeated?: boolean;
}

export interface DeclaredBody {
  readonly schema: Schema;
  readonly required: boolean;
  /** `application/json` unless another one is read. */
  readonly contentType?: string;
}

/** A reply: `null` says that it has no body. */
export interface DeclaredReply {
  readonly schema: Schema | null;
  readonly contentType?: string;
  readonly description?: string;
  /** Headers of its own, by name, with what each says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The resource of a list, told with the endpoint of the list (api/described-resources.ts). */
export interface ListedResource {
  /** One of them, such as `Outgoing webhook`; its plural has an s. */
  readonly called: string;
  /** Why there are such records, in a sentence; absent: nothing more is told. */
  readonly about?: string;
  /** Schema of what callers write. */
  readonly written: Schema;
  /** Schema of a row. */
  readonly shown: Schema;
  /** Fields that stand in a table; absent: the simple ones among those that callers write. */
  readonly columns?: readonly string[];
  /** A row is a version; absent: a name. */
  readonly rows?: 'versions';
  /** Members that name one, in the order of its path; absent: as the path calls its variables. */
  readonly key?: readonly string[];
  /** Pattern of one; absent: that of the list and its key. */
  readonly one?: string;
  /** Member of an item of the answer that holds the rows; absent: the items are the rows. */
  readonly within?: string;
  /** With which the list has all of them; absent: it has them without. */
  readonly query?: string;
}

export interface Endpoint {
  readonly method: Method;
  /** Starts with `/`; a segment `:name` is a variable. Literal segments win over variables. */
  readonly pattern: string;
  /** Unique name, camelCase verb and noun: the operation's name in the API description. */
  readonly name: string;
  /** One sentence for people. */
  readonly summary: string;
  readonly access: AccessRule;
  /** Absent: `reads` for a GET, `changes` for every other method. */
  readonly audit?: AuditRule;
  /** Query parameters and headers; path variables are texts unless listed in `path`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The handler may read every header, as an incoming webhook does. */
  readonly allHeaders?: true;
  /** The handler may read every query parameter, as an incoming webhook does. */
  readonly allQueries?: true;
  /** Schemas of path variables that are no plain texts. */
  readonly path?: Readonly<Record<string, Schema>>;
  readonly body: DeclaredBody | null;
  /**
   * Bytes that a body may have. Absent: `bodyBytesMax`, or `strangerBodyBytesMax` where no token is
   * asked for.
   */
  readonly bodyBytesMax?: number;
  /**
   * Of an endpoint without a token: checks what the request proves itself with instead, such as the
   * signature of its URL, before its body is taken. Throws AppError.
   */
  readonly admit?: (request: RouteRequest) => void;
  /** Replies by status; at least one below 400. */
  readonly replies: Readonly<Record<number, DeclaredReply>>;
  /**
   * Kinds of refusal beside those that any endpoint may answer ('bad-request', 401, 403, 429, 503).
   */
  readonly errors: readonly ErrorKind[];
  /** The resource whose list it is; absent: it is none that can be drawn from its declaration. */
  readonly lists?: ListedResource;
  /** May throw or reject with an AppError. */
  readonly handle: (request: RouteRequest) => ApiResponse | Promise<ApiResponse>;
}

export function auditRuleOf({ method, audit }: Pick<Endpoint, 'method' | 'audit'>): AuditRule {
  return audit ?? (method === 'GET' ? 'reads' : 'changes');
}

export function query(schema: Schema, more: Omit<Parameter, 'in' | 'schema'> = {}): Parameter {
  return { in: 'query', schema, ...more };
}

export function header(schema: Schema): Parameter {
  return { in: 'header', schema };
}

/** Replies with JSON of this schema and status 200. */
export function replies(
  schema: Schema | null,
  more: Readonly<Record<number, DeclaredReply>> = {},
  headers?: DeclaredReply['headers'],
): Readonly<Record<number, DeclaredReply>> {
  return { 200: { schema, ...(headers !== undefined && { headers }) }, ...more };
}

export function body(schema: Schema, required = true, contentType?: string): DeclaredBody {
  return contentType === undefined ? { schema, required } : { schema, required, contentType };
}

/** The answer of an endpoint: JSON of a schema, a text, or nothing (`schema` null). */
export interface Reply<T> {
  readonly schema: Schema | null;
  /** For people; absent: nothing more than the schema says. */
  readonly about?: string;
  /** `text`: no JSON, with the content type of a text. `json`: JSON already. */
  readonly isWritten?: 'text' | 'json';
  /** Only a type; never there. */
  readonly value?: T;
}

/** A value that the handler returns is not sent. */
export const nothing: Reply<unknown> = { schema: null };

/** A text that is no JSON. */
export function plainText(about: string): Reply<string> {
  return { schema: textSchema(about), isWritten: 'text' };
}

/** JSON that the operation has written already, because values of this schema can be large. */
export function writtenJson(schema: Schema): Reply<string> {
  return { schema, isWritten: 'json' };
}

/** One value of a shape. */
export function one<T>({ schema }: { readonly schema: Schema<T> }): Reply<T> {
  return { schema };
}

export function shownOf<T>({
  shown,
}: {
  readonly shown: { readonly schema: Schema<T> };
}): Reply<T> {
  return { schema: shown.schema };
}

/** As another reply; no body for undefined. */
export function orNothing<T>(
  reply: Schema<T> | Reply<T>,
  about = 'No body when there is none',
): Reply<T | undefined> {
  return { schema: replyOf(reply).schema, about };
}

/** All values of a shape. */
export function listOf<T>({ schema }: { readonly schema: Schema<T> }): Reply<readonly T[]> {
  return { schema: list(schema) };
}

/** One page of what was found, and how much was found in all. */
export interface Page<T> {
  readonly totalHits: number;
  readonly results: readonly T[];
}

/** A page of values of a shape. */
export function pageOf<T>(
  title: string,
  { schema }: { readonly schema: Schema<T> },
): Reply<Page<T>> {
  return {
    schema: object(title, { totalHits: integer(), results: list(schema) }, [
      'totalHits',
      'results',
    ]),
  };
}

/** A body that is read in its own way. */
export interface Intake<B> {
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** Throws AppError 'bad-request'. */
  of(request: RouteRequest): B;
}

/** An absent member means: no parameters, no body, no errors of its own. */
type Common<B> = Omit<Endpoint, 'body' | 'replies' | 'handle' | 'parameters' | 'errors'> & {
  readonly parameters?: Endpoint['parameters'];
  readonly errors?: Endpoint['errors'];
  /** A schema alone: the handler reads the body itself. */
  readonly body?: Shape<B> | Intake<B> | DeclaredBody;
};

type Entry<B, R> = Common<B> & {
  readonly reply: Schema<R> | Reply<R>;
  /** With which it answers; absent: 200. */
  readonly status?: 200 | 201 | 204;
  /** May throw or reject with an AppError. */
  readonly handle: (request: RouteRequest, body: B) => NoInfer<R> | Promise<NoInfer<R>>;
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
  const answers = replyOf(reply);
  return {
    ...{ ...entry, parameters, errors },
    body: intake === undefined ? null : body(intake.schema, intake.isRequired, intake.contentType),
    replies: { [status]: declaredReply(answers) },
    async handle(request) {
      const value = await handle(request, intake?.of(request) as B);
      if (answers.schema === null || value === undefined) return empty(status === 204 ? 204 : 200);
      if (answers.isWritten === 'text') return text(value as string);
      const written = answers.isWritten === 'json';
      return { ...(written ? jsonText(value as string) : json(value as Json)), status };
    },
  };
}

type RawEntry = Omit<Endpoint, 'body' | 'parameters' | 'errors'> &
  Partial<Pick<Endpoint, 'body' | 'parameters' | 'errors'>>;

/**
 * Declares an endpoint whose handler makes the answer itself: with headers, without JSON, or of
 * several kinds.
 */
export function rawEndpoint(entry: RawEntry): Endpoint {
  return { parameters: {}, body: null, errors: [], ...entry };
}

/** A shape is read from JSON; the handler reads what has a schema alone. */
function intakeOf<B>(
  given: Shape<B> | Intake<B> | DeclaredBody,
): Intake<B | undefined> & Pick<DeclaredBody, 'contentType'> {
  if ('of' in given) return given;
  if ('required' in given) {
    return { ...given, isRequired: given.required, of: () => undefined };
  }
  return { schema: given.schema, isRequired: true, of: (request) => given.parse(request.json()) };
}

function replyOf<R>(reply: Schema<R> | Reply<R>): Reply<R> {
  return 'schema' in reply ? reply : { schema: reply };
}

function declaredReply({ schema, about, isWritten }: Reply<unknown>): DeclaredReply {
  return {
    schema,
    ...(about !== undefined && { description: about }),
    ...(isWritten === 'text' && schema && { contentType: 'text/plain;charset=UTF-8' }),
  };
}
