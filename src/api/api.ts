// One request from the HTTP server to its endpoint and back: finds the endpoint, asks who calls and
// whether that caller may, runs the handler and turns what it throws into an answer. `server.ts` is
// given the result as its handler.
import { everythingAllowed, type AccessRules } from '../access/access-rules.js';
import { AppError } from '../model/errors.js';
import { anonymous, localAdministrator, type Caller } from '../model/caller.js';
import { contextIn, inTrace } from '../telemetry/trace.js';
import { loggedTrace } from '../telemetry/trace-context.js';
import { isRecorded, recorded, type Auditor } from './audit.js';
import { createGuard, type Guard } from './access-guard.js';
import type { Endpoint } from './endpoint.js';
import type { ErrorAnswers } from './errors.js';
import { hasEffects } from './changing-gets.js';
import type { ApiHandler, ApiRequest, ApiResponse, BegunRequest } from './http-server.js';
import type { JsonLimits } from './json-body.js';
import type { LargeBodies } from './large-bodies.js';
import type { Page } from './page.js';
import { requestIds, traceOf } from './request-trace.js';
import { RouteRequest } from './route.js';
import { Router, type Match } from './router.js';
import { SharedHeaders } from './shared-headers.js';
import { plainId } from '../model/subject.js';

/** Called after each request, for metrics and logs. `pattern` is undefined for an unknown path. */
export type RequestObserver = (
  method: string,
  pattern: string | undefined,
  status: number,
  milliseconds: number,
) => void;

/** The line of the access log for one request (docs/metrics.md, Access log). */
export interface AccessEntry {
  readonly method: string;
  /** Pattern of the endpoint: a path may hold what is secret. Absent: an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestId: string;
  /** '' = nobody who is known. */
  readonly caller: string;
  /** Where the request brought a trace context. */
  readonly trace_id?: string;
  readonly span_id?: string;
}

/**
 * Finds out who asks, from the headers of a request. `changes`: whether the endpoint changes
 * something, which a session's request of another site may not. Throws AppError 'unauthenticated'
 * (contract-admin 1.4). Not asked for public endpoints.
 */
export type Authenticate = (request: ApiRequest, changes: boolean) => Caller;

/** Bytes that a body may have (docs/access.md, Requests of strangers). */
export interface BodyLimits {
  /** Of callers who showed a token. */
  readonly bytesMax: number;
  /** Of endpoints that ask for no token and declare nothing else. */
  readonly strangersBytesMax: number;
}

export interface ApiParts {
  readonly errors: ErrorAnswers;
  readonly json: JsonLimits;
  /** Reads large bodies in a thread. Absent: they are read as small ones are. */
  readonly large?: LargeBodies;
  /** Absent: as the HTTP server says. */
  readonly bodies?: BodyLimits;
  /** Headers of every answer, such as Strict-Transport-Security. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: authentication is off and everybody is the local administrator. */
  readonly authenticate?: Authenticate;
  /**
   * The caller of the same token as it is now: a body may come for minutes after the head that was
   * authenticated. Throws AppError 'unauthenticated'. Absent: callers stay as they are.
   */
  readonly renewed?: (caller: Caller) => Caller;
  /** Absent: everything is allowed. */
  readonly access?: AccessRules;
  /** Absent: nothing is recorded. */
  readonly auditor?: Auditor;
  /** Path below which everything is served too, such as `/tools/downbeat`. */
  readonly basePath?: string;
  /** Asked about paths that no endpoint has. */
  readonly page?: Page;
  /** Costs two clock reads a request, about 0.1 us. */
  readonly observe?: RequestObserver;
  /** Called for each answer. Absent: there is no access log. */
  readonly logAccess?: (entry: AccessEntry) => void;
}

type Found = Extract<Match, { kind: 'found' }>;

/** The handler that answers every request by the given endpoints. */
export function createApi(endpoints: readonly Endpoint[], parts: ApiParts): ApiHandler {
  const { errors, observe, logAccess, basePath = '' } = parts;
  const nextId = requestIds();
  const { authenticate = withoutAuthentication, renewed = asItIs } = parts;
  const router = new Router(endpoints);
  const kept = new SharedHeaders(parts.headers ?? {});
  const common = new SharedHeaders({ ...unkept, ...parts.headers });
  const isBelowBase = isBelow(basePath);
  const { routedOf, run } = answeringOf(endpoints, parts);
  const begin = (request: ApiRequest): BegunRequest => {
    const startAt = performance.now();
    const { method, path } = request;
    const below = isBelowBase(path) ? path.slice(basePath.length) : path;
    const match = router.find(method, below);
    const endpoint = match.kind === 'found' ? match.endpoint : undefined;
    const pattern = endpoint?.pattern;
    const trace = traceOf(request);
    const requestId = trace?.requestId ?? nextId();
    const refusalOf = (error: unknown): ApiResponse =>
      errors.answer(error, `${method} ${path.slice(0, 200)}`, { requestId, trace });
    const done = (answer: ApiResponse): ApiResponse => {
      const milliseconds = performance.now() - startAt;
      observe?.(method, pattern, answer.status, milliseconds);
      if (logAccess !== undefined) {
        const { status } = answer;
        const asked = { method, route: pattern, status, milliseconds, requestId };
        logAccess({ ...asked, caller: plainId(caller.id), ...loggedTrace(contextIn(trace)) });
      }
      const whole = answer.stream === undefined ? answer : guarded(answer, refusalOf);
      const isKept = method === 'POST' && !isStranger;
      return withHeaders(whole, isKept ? kept : common, requestId);
    };
    const failed = (error: unknown): ApiResponse => done(refusalOf(error));
    let isStranger = endpoint === undefined || endpoint.access.rule === 'public';
    let caller = anonymous;
    let refusal: ApiResponse | undefined;
    try {
      if (endpoint !== undefined && !isStranger) {
        caller = authenticate(request, method !== 'GET' || hasEffects(endpoint));
      } else if (match.kind === 'found' && endpoint?.admit !== undefined) {
        endpoint.admit(routedOf(request, match, anonymous));
        isStranger = false;
      }
    } catch (error) {
      refusal = failed(error);
    }
    return {
      isStranger,
      refusal,
      bodyBytesMax: bytesMaxOf(endpoint, isStranger, parts.bodies),
      run: () => {
        try {
          if (method !== 'GET' && caller !== anonymous) caller = renewed(caller);
          const answer =
            trace === undefined
              ? run(request, match, caller)
              : inTrace(trace, () => run(request, match, caller));
          return answer instanceof Promise ? answer.then(done, failed) : done(answer);
        } catch (error) {
          return failed(error);
        }
      },
    };
  };
  const answer = (request: ApiRequest): Answer => {
    const begun = begin(request);
    return begun.refusal ?? begun.run();
  };
  return Object.assign(answer, { begin });
}

/**
 * Everybody who reaches the port is the administrator, but not every page that a browser beside it
 * shows: a page of another site makes it send a GET, or a POST of plain text, to this machine
 * (docs/access.md, Callers). Browsers say so and nothing else does. Throws AppError 'forbidden'.
 */
function withoutAuthentication(request: ApiRequest, changes: boolean): Caller {
  if (changes && request.header('sec-fetch-site') === 'cross-site') {
    throw new AppError(
      'forbidden',
      'A page of another site made this request (Sec-Fetch-Site: cross-site); it may not change anything',
    );
  }
  return localAdministrator;
}

function asItIs(caller: Caller): Caller {
  return caller;
}

interface Answering {
  routedOf(request: ApiRequest, match: Found, caller: Caller): RouteRequest;
  /** Throws or rejects where the handler does. */
  run(request: ApiRequest, match: Match, caller: Caller): Answer;
}

/** Answers a request once it is known who asks: endpoints, the page, and paths that are neither. */
function answeringOf(endpoints: readonly Endpoint[], parts: ApiParts): Answering {
  const { errors, json, large, auditor, page, basePath = '' } = parts;
  const isBelowBase = isBelow(basePath);
  const guards = guardsOf(endpoints, parts.access ?? everythingAllowed);
  const routedOf = (
    request: ApiRequest,
    { declared, values }: Found,
    caller: Caller,
  ): RouteRequest => new RouteRequest(request, declared, values, { json, caller, large });
  const handle = (request: ApiRequest, match: Found, caller: Caller): Answer => {
    const { endpoint } = match;
    const routed = routedOf(request, match, caller);
    const answer = (): Answer => {
      guards.get(endpoint)?.(routed);
      return endpoint.handle(routed);
    };
    if (auditor === undefined || !isRecorded(endpoint, caller)) return answer();
    const address = auditor.addressOf(request);
    return recorded(auditor, { endpoint, request: routed, address }, answer);
  };
  const unknownPath = (http: ApiRequest): ApiResponse => {
    const below = isBelowBase(http.path) ? basePath : '';
    const answer = page?.({ http, path: http.path.slice(below.length), basePath: below });
    return answer ?? errors.unknownPath(http.path);
  };
  const run = (request: ApiRequest, match: Match, caller: Caller): Answer => {
    if (match.kind === 'unknown') return unknownPath(request);
    if (match.kind === 'wrong-method') {
      return request.method === 'OPTIONS'
        ? { status: 204, headers: { Allow: ['OPTIONS', ...match.allowed].join(', ') } }
        : errors.wrongMethod(request.method, match.allowed);
    }
    return handle(request, match, caller);
  };
  return { routedOf, run };
}

/** Whether a path lies below another one; nothing does below an empty one. */
function isBelow(basePath: string): (path: string) => boolean {
  const base = `${basePath}/`;
  return (path) => basePath !== '' && path.startsWith(base);
}

function bytesMaxOf(
  endpoint: Endpoint | undefined,
  isStranger: boolean,
  limits: BodyLimits = { bytesMax: Number.MAX_SAFE_INTEGER, strangersBytesMax: 64 * 1024 },
): number {
  return endpoint?.bodyBytesMax ?? (isStranger ? limits.strangersBytesMax : limits.bytesMax);
}

type Answer = ApiResponse | Promise<ApiResponse>;

/** Endpoints that anybody who is signed in may call, or whose operation asks, have no guard. */
function guardsOf(
  endpoints: readonly Endpoint[],
  access: AccessRules,
): ReadonlyMap<Endpoint, Guard> {
  const guards = new Map<Endpoint, Guard>();
  for (const endpoint of endpoints) {
    const guard = createGuard(endpoint.access, access);
    if (guard !== undefined) guards.set(endpoint, guard);
  }
  return guards;
}

/** A producer that fails has its failure logged, and its body ends. */
function guarded(answer: ApiResponse, refusal: (error: unknown) => ApiResponse): ApiResponse {
  const { stream } = answer;
  return {
    ...answer,
    stream: (sink) => {
      try {
        stream?.(sink);
      } catch (error) {
        refusal(error);
        sink.end();
      }
    },
  };
}

/**
 * Headers that answers have beside their own. The answer to a GET, and any answer without a token,
 * belongs to its caller alone, so no cache keeps it unless the endpoint or the page says so;
 * answers to other methods are not kept anyway.
 */
const unkept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** `shared`: headers of the answer unless it has them itself. */
function withHeaders(answer: ApiResponse, shared: SharedHeaders, requestId: string): ApiResponse {
  const { status, contentType, headers, cookies, stream, body = '' } = answer;
  const isPlain = headers === undefined && cookies === undefined && stream === undefined;
  if (isPlain && contentType !== undefined) return { status, contentType, body, shared, requestId };
  return { ...answer, headers: { ...shared.fields, ...headers, 'X-Request-Id': requestId } };
}
