// The id and the trace context that a request carries, for logs and for the calls that are made
// because of it.
import { randomUUID } from 'node:crypto';
import type { Trace } from '../telemetry/trace.js';
import { readContext } from '../telemetry/trace-context.js';
import type { ApiRequest } from './http-server.js';

/** Short texts only, so that nothing can be smuggled into a log line or header. */
const requestIdPattern = /^[\w.:-]{1,128}$/;

/**
 * undefined when the request brought neither an X-Request-Id nor a traceparent. A value without a
 * proper form is replaced or left out.
 */
export function traceOf(request: ApiRequest): Trace | undefined {
  const id = request.header('x-request-id');
  const traceparent = request.header('traceparent');
  if (id === '' && traceparent === '') return undefined;
  const context =
    traceparent === '' ? undefined : readContext(traceparent, request.header('tracestate'));
  return {
    requestId: requestIdPattern.test(id) ? id : randomUUID(),
    traceparent: context?.traceparent,
    ...(context?.tracestate !== undefined && { tracestate: context.tracestate }),
  };
}

/** The id of a request that nothing but the listener has answered: its own, or a new one. */
export function requestIdOf(request: ApiRequest): string {
  const id = request.header('x-request-id');
  return requestIdPattern.test(id) ? id : randomUUID();
}

/** Gives ids to requests that brought none: unlike those of other processes, and in order. */
export function requestIds(): () => string {
  const process = randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}
