// The id and the trace context that a request carries, for logs and for the calls that are made
// because of it.
import { randomUUID } from 'node:crypto';
import type { Trace } from '../telemetry/trace.js';
import type { ApiRequest } from './http-server.js';

/** Short texts only, so that nothing can be smuggled into a log line or header. */
const requestIdPattern = /^[\w.:-]{1,128}$/;
/** Version, trace id, parent id, flags (W3C Trace Context, 3.2). */
const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * undefined when the request brought neither an X-Request-Id nor a traceparent. What has no proper
 * form is replaced or left out.
 */
export function traceOf(request: ApiRequest): Trace | undefined {
  const id = request.header('x-request-id');
  const traceparent = request.header('traceparent');
  if (id === '' && traceparent === '') return undefined;
  return {
    requestId: requestIdPattern.test(id) ? id : randomUUID(),
    traceparent: traceparentPattern.test(traceparent) ? traceparent : undefined,
  };
}

/** Gives ids to requests that brought none: unlike those of other processes, and in order. */
export function requestIds(): () => string {
  const process = randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}
