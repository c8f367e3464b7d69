// One request from the HTTP server to its endpoint and back: finds the endpoint, asks who calls and
// whether that caller may, runs the handler and turns what it throws into an answer. `server.ts` is
// given the result as its handler.
import { everythingAllowed, type AccessRules } from '../access/access-rules.js';
import { anonymous, localAdministrator, type Caller } from '../model/caller.js';
import { inTrace, type Trace } from '../telemetry/trace.js';
import { isRecorded, recorded, type Auditor } from './audit.js';
import { createGuard, type Guard } from './access-guard.js';
import type { Endpoint } from './endpoint.js';
import type { ErrorAnswers } from './errors.js';
import type { ApiHandler, ApiRequest, ApiResponse } from './http-server.js';
import type { JsonLimits } from './json-body.js';
import type { Page } from './page.js';
import { traceOf } from './request-trace.js';
import { RouteRequest } from './route.js';
import { Router, type Match } from './router.js';

/** Called after each request, for metrics and logs. `pattern` is undefined for an unknown path. */
export type RequestObserver = (
  method: string,
  pattern: string | undefined,
  status: number,
  milliseconds: number,
) => void;

/**
 * Finds out who asks, from the headers of a request. Throws or rejects with AppError
 * 'unauthenticated' (contract-admin 1.4). Not asked for public endpoints.
 */
export type Authenticate = (request: ApiRequest) => Caller | Promise<Caller>;

export interface ApiParts {
  readonly errors: ErrorAnswers;
  readonly json: JsonLimits;
  /** Absent: authentication is off and everybody is the local administrator. */
  readonly authenticate?: Authenticate;
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
}

type Found = Extract<Match, { kind: 'found' }>;

/** The handler that answers every request by the given endpoints. */
export function createApi(endpoints: readonly Endpoint[], parts: ApiParts): ApiHandler {
  const { errors, json, observe, auditor, page, basePath = '' } = parts;
  const authenticate = parts.authenticate ?? (() => localAdministrator);
  const router = new Router(endpoints);
  const guards = guardsOf(endpoints, parts.access ?? everythingAllowed);

  const handle = (request: ApiRequest, match: Found, caller: Caller): Answer => {
    const { endpoint, declared, values } = match;
    const routed = new RouteRequest(request, declared, values, { json, caller });
    const answer = (): Answer => {
      guards.get(endpoint)?.(routed);
      return endpoint.handle(routed);
    };
    if (auditor === undefined || !isRecorded(endpoint, caller)) return answer();
    const address = auditor.addressOf(request);
    return recorded(auditor, { endpoint, request: routed, address }, answer);
  };
  const base = basePath === '' ? '' : `${basePath}/`;
  const isBelowBase = (path: string): boolean => base !== '' && path.startsWith(base);
  const unknownPath = (http: ApiRequest): ApiResponse => {
    const below = isBelowBase(http.path) ? basePath : '';
    const answer = page?.({ http, path: http.path.slice(below.length), basePath: below });
    return answer ?? errors.unknownPath(http.path);
  };
  /** Throws or rejects where the handler does. */
  const run = (request: ApiRequest, match: Match): Answer => {
    if (match.kind === 'unknown') return unknownPath(request);
    if (match.kind === 'wrong-method') {
      return request.method === 'OPTIONS'
        ? { status: 204, headers: { Allow: ['OPTIONS', ...match.allowed].join(', ') } }
        : errors.wrongMethod(request.method, match.allowed);
    }
    if (match.endpoint.access.rule === 'public') return handle(request, match, anonymous);
    const caller = authenticate(request);
    if (!(caller instanceof Promise)) return handle(request, match, caller);
    request.keepHeaders();
    return caller.then((known) => handle(request, match, known));
  };
  return (request) => {
    const startAt = performance.now();
    const { path } = request;
    const isBelow = isBelowBase(path);
    const match = router.find(request.method, isBelow ? path.slice(basePath.length) : path);
    const pattern = match.kind === 'found' ? match.endpoint.pattern : undefined;
    const trace = traceOf(request);
    const refusal = (error: unknown): ApiResponse =>
      errors.answer(error, `${request.method} ${path.slice(0, 200)}`, trace);
    const done = (answer: ApiResponse): ApiResponse => {
      observe?.(request.method, pattern, answer.status, performance.now() - startAt);
      const whole = answer.stream === undefined ? answer : guarded(answer, refusal);
      return trace === undefined ? whole : named(whole, trace);
    };
    const failed = (error: unknown): ApiResponse => done(refusal(error));
    try {
      const answer =
        trace === undefined ? run(request, match) : inTrace(trace, () => run(request, match));
      return answer instanceof Promise ? answer.then(done, failed) : done(answer);
    } catch (error) {
      return failed(error);
    }
  };
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

function named(answer: ApiResponse, trace: Trace): ApiResponse {
  return { ...answer, headers: { ...answer.headers, 'X-Request-Id': trace.requestId } };
}
