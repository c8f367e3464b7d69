// One request from the HTTP server to its route and back: the composition of router, handlers and
// error table that `server.ts` is given as its handler.
import type { ErrorAnswers } from './errors.js';
import type { OperationLimits } from '../operation/context.js';
import type { ApiHandler, ApiRequest, ApiResponse, HttpServerSettings } from './http-server.js';
import type { JsonLimits } from './json-body.js';
import { RouteRequest, type Route } from './route.js';
import { traceOf } from './request-trace.js';
import { inTrace, type Trace } from '../telemetry/trace.js';
import type { HttpLibrary } from './server.js';
import { Router, type Match } from './router.js';

/** Settings of this folder and of the operations, as the configuration provides them. */
export interface ApiSettings {
  /** Name of this server in error bodies. */
  readonly instance: string;
  /** Setting `http.server`. */
  readonly library: HttpLibrary;
  readonly http: HttpServerSettings;
  readonly json: JsonLimits;
  readonly operations: OperationLimits;
}

/**
 * Called after each request, for metrics and logs. `pattern` is undefined when no route matched.
 */
export type RequestObserver = (
  method: string,
  pattern: string | undefined,
  status: number,
  milliseconds: number,
) => void;

/**
 * The handler that answers every request by the given routes. `observe` costs two clock reads a
 * request, about 0.1 us.
 */
export function createApi(
  routes: readonly Route[],
  errors: ErrorAnswers,
  json: JsonLimits,
  observe?: RequestObserver,
): ApiHandler {
  const router = new Router(routes);

  const failed = (request: ApiRequest, error: unknown, trace: Trace | undefined): ApiResponse =>
    errors.answer(error, `${request.method} ${request.path.slice(0, 200)}`, trace);

  /** Throws or rejects where the handler does. */
  const run = (request: ApiRequest, match: Match): ApiResponse | Promise<ApiResponse> => {
    if (match.kind === 'unknown') return errors.unknownPath(request.path);
    if (match.kind === 'wrong-method') return errors.wrongMethod(request.method, match.allowed);
    return match.route.handle(new RouteRequest(request, match.names, match.values, json));
  };
  return (request) => {
    const startAt = performance.now();
    const match = router.find(request.method, request.path);
    const pattern = match.kind === 'found' ? match.route.pattern : undefined;
    const trace = traceOf(request);
    const done = (answer: ApiResponse): ApiResponse => {
      observe?.(request.method, pattern, answer.status, performance.now() - startAt);
      return trace === undefined ? answer : named(answer, trace);
    };
    const broken = (error: unknown): ApiResponse => done(failed(request, error, trace));
    try {
      const answer =
        trace === undefined ? run(request, match) : inTrace(trace, () => run(request, match));
      return answer instanceof Promise ? answer.then(done, broken) : done(answer);
    } catch (error) {
      return broken(error);
    }
  };
}

function named(answer: ApiResponse, trace: Trace): ApiResponse {
  return { ...answer, headers: { ...answer.headers, 'X-Request-Id': trace.requestId } };
}
