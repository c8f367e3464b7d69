// Serves the web page: the files that the build left in dist/ui, read when somebody first asks for
// one and held in memory with their compressed forms. Names of assets hold a hash of their content,
// so browsers keep them for ever; index.html is filled in for each request with a nonce and the
// base path. Paths that no endpoint knows and a browser opens as a page get index.html, as the page
// has its own addresses.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type { ApiRequest, ApiResponse } from './http-server.js';
import { fileAnswer, readFiles } from './static-files.js';

/** Answers a request that no endpoint knows; undefined when it is not for the page either. */
export type Page = (request: PageRequest) => ApiResponse | undefined;

export interface PageRequest {
  readonly http: ApiRequest;
  /** Path below the base path. */
  readonly path: string;
  /** Base path under which the request came, '' for none. */
  readonly basePath: string;
}

/** Paths of the API: never answered with the page. */
const reserved = /^\/(?:api|api-docs[^/]*|docs|health|metrics)(?:\/|$)/;

/** The worker that keeps the page in the browser; it asks no other server for its files. */
const workerFile = '/sw.js';
const workerPolicy = "default-src 'none'; connect-src 'self'";

/**
 * The page in a folder. Where there is none, `/` says why: `build-failure.txt` beside the folder
 * holds the reason. A start reads none of it, which is a tenth of its processor time; the first
 * request reads all of it, so that all files are of one build.
 */
export function createPage(folder: string): Page {
  let page: Page | undefined;
  return (request) => {
    if (request.http.method !== 'GET' && request.http.method !== 'HEAD') return undefined;
    page ??= readPage(folder);
    return page(request);
  };
}

function readPage(folder: string): Page {
  const files = readFiles(folder);
  const index = files.get('/index.html')?.plain.toString('utf8');
  if (index === undefined) return missingPage(`${folder}-failure.txt`);
  files.delete('/index.html');
  return ({ http, path: asked, basePath }) => {
    const file = files.get(asked);
    if (file !== undefined) {
      const more = asked === workerFile ? { 'Content-Security-Policy': workerPolicy } : {};
      return fileAnswer(file, http, cachedFor(asked), more);
    }
    return opensPage(http, asked) ? indexAnswer(index, basePath) : undefined;
  };
}

/** Names of assets hold a hash of their content. */
function cachedFor(asked: string): string {
  return asked.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function missingPage(failureFile: string): Page {
  const reason = fs.existsSync(failureFile)
    ? `its build failed:\n\n${fs.readFileSync(failureFile, 'utf8')}`
    : 'it is not built. Run `npm run build`, or start without --no-ui.';
  const answer: ApiResponse = {
    status: 503,
    contentType: 'text/plain;charset=UTF-8',
    headers: { 'Cache-Control': 'no-store' },
    body: `The page cannot be shown: ${reason}\nThe API is served below /api.\n`,
  };
  return ({ http, path: asked }) => (opensPage(http, asked) ? answer : undefined);
}

function opensPage(http: ApiRequest, asked: string): boolean {
  if (asked === '/') return true;
  if (reserved.test(asked) || asked.startsWith('/assets/')) return false;
  return http.header('accept').includes('text/html');
}

function indexAnswer(index: string, basePath: string): ApiResponse {
  const nonce = randomBytes(16).toString('base64');
  return {
    status: 200,
    contentType: 'text/html;charset=UTF-8',
    headers: {
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentSecurityPolicy(nonce),
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    },
    body: index.replace('__NONCE__', nonce).replace('<base href="/"', `<base href="${basePath}/"`),
  };
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
