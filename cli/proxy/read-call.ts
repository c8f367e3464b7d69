// A request to the proxy, read and checked: what neither server could understand is refused here,
// with a sentence, and asked of neither.
import type http from 'node:http';

export interface Call {
  readonly method: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  /** Path with query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly isGone: () => boolean;
}

/** The caller's mistake; its message is answered. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Of a request that is passed on. */
const bodyBytesMax = 32 * 1024 * 1024;
const shownCharsMax = 100;
const passedHeaders = [
  ...['accept', 'content-type', 'x-authorization', 'authorization', 'traceparent', 'tracestate'],
  ...['x-request-id', 'x-idempotency-key', 'x-on-conflict', 'user-agent'],
];

/** Throws Refused. */
export async function readCall(
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<Call> {
  const path = request.url ?? '';
  const url = urlOf(path);
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return {
    method: request.method ?? 'GET',
    pathname: url.pathname,
    query: url.searchParams,
    path,
    headers,
    body: await bodyOf(request),
    isGone: () => response.destroyed || request.socket.destroyed,
  };
}

/** `//host/path` is a path here, and the address of another server to `new URL`. */
function urlOf(path: string): URL {
  const shown = path.length > shownCharsMax ? `${path.slice(0, shownCharsMax)}...` : path;
  if (!path.startsWith('/') || path.startsWith('//') || !URL.canParse(`http://proxy${path}`)) {
    throw new Refused(400, `A request names a path that begins with one slash, not '${shown}'.`);
  }
  const url = new URL(`http://proxy${path}`);
  try {
    decodeURIComponent(url.pathname);
  } catch {
    throw new Refused(400, `The path '${shown}' has a % that begins no character.`);
  }
  return url;
}

async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const tooLarge = new Refused(413, `A request has at most ${bodyBytesMax} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The answer still goes out where reading ends early.
  const read = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of read) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** undefined: not given. Throws Refused. */
export function wholeNumberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text.trim() === '') return undefined;
  if (!/^\d{1,9}$/.test(text.trim())) {
    const shown = text.slice(0, shownCharsMax);
    throw new Refused(400, `'${name}' must be a whole number from 0, not '${shown}'.`);
  }
  return Number(text);
}
