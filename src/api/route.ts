// The request that a handler is given, and the answer that it returns. The router finds the
// endpoint of a request, and `errors.ts` turns what a handler throws into an answer.
import { AppError } from '../model/errors.js';
import type { Caller, Control } from '../model/caller.js';
import type { Json, JsonForm, JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import type { ApiRequest, ApiResponse } from './http-server.js';
import { readJson, readText, type JsonLimits } from './json-body.js';
import { asMap, largeBodyBytesMin, type LargeBodies, type LargeMap } from './large-bodies.js';

/**
 * The declarations in an endpoint's entry that a request may read; the router makes one per
 * endpoint.
 */
export interface Declared {
  /** Path variables in the order of the pattern. */
  readonly variables: readonly string[];
  /** Query parameters with their defaults; undefined: none. */
  readonly queries: ReadonlyMap<string, Json | undefined>;
  /** Headers in lower case. */
  readonly headers: ReadonlySet<string>;
  readonly allHeaders: boolean;
  readonly allQueries: boolean;
}

/** The parts of a request. */
export interface RouteCall {
  readonly json: JsonLimits;
  readonly caller: Caller;
  /** Absent: large bodies are read as small ones are. */
  readonly large?: LargeBodies | undefined;
}

/**
 * One request as a handler sees it. Nothing is decoded before it is asked for. A handler that reads
 * what its endpoint does not declare is broken and fails at each request (one lookup in a small
 * set, about 6 ns).
 */
export class RouteRequest {
  #query: URLSearchParams | undefined;
  readonly #objects: string[] = [];

  /** `values[i]` is the raw segment of the variable `declared.variables[i]`. */
  constructor(
    private readonly http: ApiRequest,
    private readonly declared: Declared,
    private readonly values: readonly string[],
    private readonly call: RouteCall,
  ) {}

  get caller(): Caller {
    return this.call.caller;
  }

  /**
   * The caller that controls, and the reason: the query parameter `reason`, which the entry must
   * declare.
   */
  control(): Control {
    return { caller: this.caller, reason: this.query('reason') };
  }

  /** Names an object that the body brought, for the audit log. */
  noteObject(id: string): void {
    if (this.#objects.length < objectsNotedMax) this.#objects.push(id);
  }

  /** As `noteObject`, for several. */
  noteObjects(ids: readonly string[]): void {
    this.#objects.push(...ids.slice(0, objectsNotedMax - this.#objects.length));
  }

  /** The objects that it was told of. */
  get objects(): readonly string[] {
    return this.#objects;
  }

  /** Percent-decoded path variable. Throws AppError 'bad-request' for a broken escape. */
  param(name: string): string {
    const index = this.declared.variables.indexOf(name);
    if (index < 0) throw undeclared('path variable', name);
    return decodeSegment(this.values[index] as string);
  }

  /** First value of a query parameter. `''` is a given value; undefined when it was not sent. */
  query(name: string): string | undefined {
    if (!this.declared.queries.has(name)) throw undeclared('query parameter', name);
    if (this.http.query === '') return undefined;
    return this.#parameters().get(name) ?? undefined;
  }

  /**
   * All values of a repeatable query parameter; a single one is split at commas (contract-core
   * 1.1).
   */
  queryAll(name: string): string[] {
    if (!this.declared.queries.has(name)) throw undeclared('query parameter', name);
    if (this.http.query === '') return [];
    const values = this.#parameters().getAll(name);
    return values.length === 1 ? (values[0] as string).split(',').filter((v) => v !== '') : values;
  }

  /**
   * Refuses a query parameter that the entry does not declare: for operations that take all where
   * none is named, so that a misspelt one does not. Throws AppError 'bad-request' that names it.
   */
  onlyDeclaredQueries(): void {
    if (this.http.query === '') return;
    for (const name of this.#parameters().keys()) {
      if (this.declared.queries.has(name)) continue;
      throw new AppError('bad-request', `There is no parameter '${name.slice(0, 100)}'`);
    }
  }

  /**
   * Boolean parameter, also 1/0, on/off, yes/no. Absent or empty: its default, or false. Throws
   * AppError 'bad-request'.
   */
  queryBoolean(name: string): boolean {
    const text = this.query(name);
    if (text === undefined || text === '') return this.declared.queries.get(name) === true;
    const value = booleans.get(text.toLowerCase());
    if (value === undefined) throw notA('boolean', name, text);
    return value;
  }

  /**
   * Integer parameter of 32 bits. Absent or empty: undefined. Throws AppError 'bad-request' for
   * anything else.
   */
  queryInteger(name: string): number | undefined {
    const text = this.query(name);
    return text === undefined || text === '' ? undefined : toInteger(name, text);
  }

  /** As `queryInteger`, of a parameter that has a default: absent or empty, it is that. */
  queryNumber(name: string): number {
    const value = this.queryInteger(name) ?? this.declared.queries.get(name);
    if (typeof value !== 'number') throw undeclared('default of the query parameter', name);
    return value;
  }

  /**
   * Integer parameter of up to 19 digits (clients ask until the largest integer of 64 bits); beyond
   * 2^53 it counts as that. Absent or empty: undefined. Throws AppError 'bad-request' for anything
   * else.
   */
  queryLong(name: string): number | undefined {
    const text = this.query(name);
    if (text === undefined || text === '') return undefined;
    if (!/^[+-]?\d{1,19}$/.test(text)) throw notA('number', name, text);
    const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: most } = Number;
    return Math.min(Math.max(Number(text), least), most);
  }

  /**
   * Values of a parameter that names some of `known`, as `queryAll` reads them. Throws AppError
   * 'bad-request' for another one.
   */
  queryChoices<T extends string>(name: string, known: readonly T[]): T[] {
    return this.queryAll(name).map((text) => {
      const found = known.find((each) => each === text);
      if (found !== undefined) return found;
      throw new AppError('bad-request', `Parameter '${name}' must be one of ${known.join(', ')}`);
    });
  }

  /** Path variable that is an integer of 32 bits. Throws AppError 'bad-request'. */
  paramInteger(name: string): number {
    return toInteger(name, this.param(name));
  }

  /** Parameter that must be given (it may be empty). Throws AppError 'bad-request'. */
  queryRequired(name: string): string {
    const text = this.query(name);
    if (text === undefined) {
      throw new AppError('bad-request', `Required request parameter '${name}' is not present`);
    }
    return text;
  }

  /** Lower-case name; undefined when absent or empty. */
  header(name: string): string | undefined {
    if (!this.declared.headers.has(name)) throw undeclared('header', name);
    return this.http.header(name) || undefined;
  }

  /** All headers by lower-case name. Only where the entry says `allHeaders`. */
  headers(): Readonly<Record<string, string>> {
    if (!this.declared.allHeaders) throw undeclared('use of', 'all headers');
    return this.http.headers();
  }

  /** All query parameters with all their values. Only where the entry says `allQueries`. */
  queries(): ReadonlyMap<string, readonly string[]> {
    if (!this.declared.allQueries) throw undeclared('use of', 'all query parameters');
    const parameters = this.#parameters();
    return new Map([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
  }

  get hasBody(): boolean {
    return this.http.body.length > 0;
  }

  /**
   * Body as JSON, whatever its content type. Throws AppError 'bad-request' when missing, malformed
   * or beyond a limit.
   */
  json(): Json {
    return readJson(this.http.body.whole, this.call.json);
  }

  /** Body as a JSON object. Throws AppError 'bad-request' for everything else. */
  jsonMap(): JsonMap {
    return asMap(this.json());
  }

  /**
   * A large body as a JSON object whose `member`, if it is a map, stays text; undefined: it is
   * small. Nobody may ask for the body again. Rejects with AppError as LargeBodies.read does.
   */
  largeMap(member: string): Promise<LargeMap> | undefined {
    const { large, caller } = this.call;
    const { body } = this.http;
    if (large === undefined || body.length < largeBodyBytesMin) return undefined;
    return large.read(body.pieces, member, caller.id);
  }

  /** As `jsonMap`, but a missing body or `null` is undefined. */
  jsonMapIfAny(): JsonMap | undefined {
    if (!this.hasBody || this.http.body.whole.equals(jsonNull)) return undefined;
    return this.jsonMap();
  }

  /** Body as it came; empty when there was none. */
  get bytes(): Buffer {
    return this.http.body.whole;
  }

  /** Body as text. Throws AppError 'bad-request' when it is not UTF-8. */
  text(): string {
    return readText(this.http.body.whole);
  }

  /**
   * Line of text: with a JSON content type a JSON string is decoded, everything else is the raw
   * text (contract-core 15.4).
   */
  textLine(): string {
    const text = this.text();
    if (!this.http.header('content-type').includes('json') || !text.startsWith('"')) return text;
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'string' ? value : text;
    } catch {
      return text;
    }
  }

  /** Calls back once when the client has gone before its answer. */
  onAbort(listener: () => void): void {
    this.http.onAbort(listener);
  }

  /** Aborted once the client has gone before its answer. */
  whenGone(): AbortSignal {
    const gone = new AbortController();
    this.onAbort(() => gone.abort(new AppError('unavailable', 'The caller has gone')));
    return gone.signal;
  }

  get remoteAddress(): string {
    return this.http.remoteAddress;
  }

  #parameters(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.http.query));
  }
}

/** 200 with a JSON value. */
export function json<T extends JsonForm<T>>(value: T): ApiResponse {
  return jsonText(toJsonText(value));
}

/** 200 with text that is JSON already. */
export function jsonText(body: string): ApiResponse {
  return { status: 200, contentType: 'application/json', body };
}

/** 200 with plain text (contract-core 1.3). */
export function text(body: string): ApiResponse {
  return { status: 200, contentType: 'text/plain;charset=UTF-8', body };
}

/** No body and no content type (contract-core 1.4). */
export function empty(status: 200 | 204 = 200): ApiResponse {
  return status === 200 ? emptyOk : noContent;
}

/** Objects of one request that the audit log names. */
const objectsNotedMax = 100;

const emptyOk: ApiResponse = { status: 200 };
const noContent: ApiResponse = { status: 204 };
const jsonNull = Buffer.from('null');

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['on', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['off', false],
  ['no', false],
]);

/** Throws AppError 'bad-request' when `text` is no integer of 32 bits. */
function toInteger(name: string, text: string): number {
  const value = Number(text);
  if (!/^[+-]?\d{1,10}$/.test(text) || value !== (value | 0)) throw notA('number', name, text);
  return value;
}

function undeclared(what: string, name: string): Error {
  return new Error(`The endpoint does not declare the ${what} ${name}`);
}

function notA(kind: string, name: string, text: string): AppError {
  return new AppError(
    'bad-request',
    `Parameter '${name}' is not a ${kind}: '${text.slice(0, 100)}'`,
  );
}

function decodeSegment(raw: string): string {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch (cause) {
    throw new AppError('bad-request', 'The path has a broken percent escape', { cause });
  }
}
