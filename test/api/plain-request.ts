// A request as an HTTP server hands it over, for tests of what handles it.
import { RequestBody } from '../../src/api/request-body.js';
import type { ApiRequest } from '../../src/api/http-server.js';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export function plainRequest(sent: Sent): ApiRequest {
  const { method = 'GET', path, query = '', headers = {}, body = '' } = sent;
  return {
    method,
    path,
    query,
    header: (name) => headers[name] ?? '',
    headers: () => headers,
    body: new RequestBody([Buffer.from(body)]),
    remoteAddress: '127.0.0.1',
    onAbort: () => undefined,
  };
}
