// Parts that both HTTP servers share below the handler: limits that are not settings, status lines,
// and the answers given without a handler.
import { STATUS_CODES } from 'node:http';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  BegunRequest,
  HttpServerSettings,
} from './http-server.js';

/** Bytes of path and query (invariants S10). */
export const urlBytesMax = 8192;

/**
 * A connection without a request, or with one that does not come on, is closed after this time;
 * uWebSockets.js has it built in.
 */
export const idleSeconds = 10;

const statusLines: ReadonlyMap<number, string> = new Map([
  [200, '200 OK'],
  [201, '201 Created'],
  [204, '204 No Content'],
  [302, '302 Found'],
  [304, '304 Not Modified'],
  [400, '400 Bad Request'],
  [401, '401 Unauthorized'],
  [403, '403 Forbidden'],
  [404, '404 Not Found'],
  [405, '405 Method Not Allowed'],
  [408, '408 Request Timeout'],
  [409, '409 Conflict'],
  [413, '413 Content Too Large'],
  [414, '414 URI Too Long'],
  [415, '415 Unsupported Media Type'],
  [429, '429 Too Many Requests'],
  [431, '431 Request Header Fields Too Large'],
  [500, '500 Internal Server Error'],
  [501, '501 Not Implemented'],
  [503, '503 Service Unavailable'],
]);

export function statusLine(status: number): string {
  return statusLines.get(status) ?? `${status} ${STATUS_CODES[status] ?? 'Status'}`;
}

/** Answers of the servers themselves, in the form of contract-core 2.1. */
export const refusals = {
  urlTooLong: refusal(414, `The request address is longer than ${urlBytesMax} bytes`),
  bodyTooLarge: refusal(413, 'The request body is larger than this server accepts'),
  noRoom: {
    ...refusal(429, 'Too many request bodies are under way at this server or from this address'),
    headers: { 'Retry-After': '1' },
  },
  tooSlow: refusal(408, 'The request body came too slowly'),
  internal: refusal(500, 'Internal error'),
} as const;

/** The answer to a request whose framing is refused (framing.ts). */
export function badRequest(message: string): ApiResponse {
  return refusal(400, message);
}

/**
 * Of a request that is refused by its head so many bytes are read and dropped before the answer,
 * so that the client hears it; behind more the connection is closed.
 */
export const droppedBytesMax = 64 * 1024;

function refusal(status: number, message: string): ApiResponse {
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify({ status, message, retryable: status === 429 }),
  };
}

/** The answer of the handler to a request's head. */
export function begin(
  handler: ApiHandler,
  request: ApiRequest,
  { bodyBytesMax }: Pick<HttpServerSettings, 'bodyBytesMax'>,
): BegunRequest {
  if (handler.begin !== undefined) return handler.begin(request);
  return { bodyBytesMax, isStranger: false, refusal: undefined, run: () => handler(request) };
}

/** Address of the client that a request's bytes are counted for. */
export function addressOf(request: ApiRequest, settings: HttpServerSettings): string {
  return settings.addressOf?.(request) ?? request.remoteAddress;
}
