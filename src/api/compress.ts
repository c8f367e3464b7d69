// Answers to GET in a compressed form, where the client takes one: brotli, else gzip. The work is
// done by the threads of zlib, never on the event loop, so it costs the loop one turn an answer.
// Not compressed are answers below a size, streams, files (they have a form of their own), and
// polls of workers: those stand beside the server more often than behind a slow line, and their
// clients ask for gzip without meaning it.
//
// A compressed answer can tell a secret by its length only to who makes a browser ask for it
// (BREACH); a request with the session's cookie must come from this origin (changing-gets.ts,
// session-cookie.ts), and tokens and secrets are answers to POST, which stay as they are.
import { constants, brotliCompress, gzip } from 'node:zlib';
import type { ApiHandler, ApiRequest, ApiResponse } from './http-server.js';

export interface CompressionSettings {
  /** Bytes of a body from which it is compressed; 0: none is. */
  readonly compressBytesMin: number;
}

/** Little time for most of the gain: an outline of 10,000 tasks, 1.25 MB, is 35 kB after 3 ms. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipOptions = { level: 5 };

const compressible = /^(?:application\/json|text\/plain)/;
/** Addresses below which nothing is compressed, as they are without a base path. */
const pollPath = /\/api\/tasks\/poll\//;

/** The same handler, whose answers are compressed. */
export function compressing(handler: ApiHandler, settings: CompressionSettings): ApiHandler {
  if (settings.compressBytesMin === 0) return handler;
  const answer = (request: ApiRequest): ReturnType<ApiHandler> => {
    const given = handler(request);
    const coding = codingOf(request);
    if (coding === undefined || pollPath.test(request.path)) return given;
    return given instanceof Promise
      ? given.then((one) => compressed(one, coding, settings))
      : compressed(given, coding, settings);
  };
  return Object.assign(answer, handler.begin && { begin: handler.begin });
}

type Coding = 'br' | 'gzip';

/**
 * The coding that the client takes; undefined: none of ours. A coding with weight 0 is refused by
 * it.
 */
function codingOf(request: ApiRequest): Coding | undefined {
  if (request.method !== 'GET') return undefined;
  const accepted = request.header('accept-encoding');
  if (accepted === '') return undefined;
  const taken = accepted
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim().toLowerCase()))
    .filter(([, ...parameters]) => !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)))
    .map(([name]) => name);
  if (taken.includes('br')) return 'br';
  return taken.includes('gzip') ? 'gzip' : undefined;
}

function compressed(
  answer: ApiResponse,
  coding: Coding,
  { compressBytesMin }: CompressionSettings,
): ApiResponse | Promise<ApiResponse> {
  const { body, headers, contentType = '' } = answer;
  if (body === undefined || body.length < compressBytesMin) return answer;
  if (!compressible.test(contentType) || headers?.['Content-Encoding'] !== undefined) return answer;
  const vary = { ...headers, Vary: 'Accept-Encoding' };
  return new Promise((resolve) => {
    const done = (error: Error | null, packed: Buffer): void => {
      // Without memory for it the answer goes as it is.
      if (error !== null) resolve({ ...answer, headers: vary });
      else resolve({ ...answer, headers: { ...vary, 'Content-Encoding': coding }, body: packed });
    };
    if (coding === 'br') brotliCompress(body, brotliOptions, done);
    else gzip(body, gzipOptions, done);
  });
}
