// An endpoint is one entry in the table of its area. The entry declares what the endpoint takes,
// what it answers and who may call it; an omission does not compile. Router, access check, API
// description and the tests of all routes are made from these entries.
import type { ErrorKind } from '../model/errors.js';
import type { Right, TargetType } from '../access/access-rules.js';
import type { Form } from './form.js';
import type { ApiResponse } from './http-server.js';
import type { RouteRequest } from './route.js';

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
  readonly form: Form;
  readonly required?: boolean;
  /** May be given several times, or once with commas. */
  readonly repeated?: boolean;
}

export interface BodyForm {
  readonly form: Form;
  readonly required: boolean;
  /** `application/json` unless another one is read. */
  readonly contentType?: string;
}

/** A reply: `null` says that it has no body. */
export interface ReplyForm {
  readonly form: Form | null;
  readonly contentType?: string;
  readonly description?: string;
  /** Headers of its own, by name, with what each says. */
  readonly headers?: Readonly<Record<string, string>>;
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
  /** Forms of path variables that are no plain texts. */
  readonly path?: Readonly<Record<string, Form>>;
  readonly body: BodyForm | null;
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
  readonly replies: Readonly<Record<number, ReplyForm>>;
  /**
   * Kinds of refusal beside those that any endpoint may answer ('bad-request', 401, 403, 429, 503).
   */
  readonly errors: readonly ErrorKind[];
  /** May throw or reject with an AppError. */
  readonly handle: (request: RouteRequest) => ApiResponse | Promise<ApiResponse>;
}

export function auditRuleOf({ method, audit }: Pick<Endpoint, 'method' | 'audit'>): AuditRule {
  return audit ?? (method === 'GET' ? 'reads' : 'changes');
}

/** Declares a query parameter. */
export function query(form: Form, more: Omit<Parameter, 'in' | 'form'> = {}): Parameter {
  return { in: 'query', form, ...more };
}

/** Declares a header. */
export function header(form: Form): Parameter {
  return { in: 'header', form };
}

/** Replies with JSON of this form and status 200. */
export function replies(
  form: Form | null,
  more: Readonly<Record<number, ReplyForm>> = {},
): Readonly<Record<number, ReplyForm>> {
  return { 200: { form }, ...more };
}

/** Replies with plain text and status 200. */
export function repliesText(form: Form): Readonly<Record<number, ReplyForm>> {
  return { 200: { form, contentType: 'text/plain;charset=UTF-8' } };
}

export function body(form: Form, required = true, contentType?: string): BodyForm {
  return contentType === undefined ? { form, required } : { form, required, contentType };
}
