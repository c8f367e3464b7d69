// Serves the web page: the files that the build left in dist/ui, held in memory with their
// compressed forms. Names of assets hold a hash of their content, so browsers keep them for ever;
// index.html is filled in for each request with a nonce and the base path. Paths that no endpoint
// knows and a browser opens as a page get index.html, as the page has its own addresses.
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { ApiRequest, ApiResponse } from './http-server.js';

/** Answers a request that no endpoint knows; undefined when it is not for the page either. */
export type Page = (request: PageRequest) => ApiResponse | undefined;

export interface PageRequest {
  readonly http: ApiRequest;
  /** Path below the base path. */
  readonly path: string;
  /** Base path under which the request came, '' for none. */
  readonly basePath: string;
}

interface PageFile {
  readonly contentType: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** Paths of the API: never answered with the page. */
const reserved = /^\/(?:api|api-docs[^/]*|health|metrics)(?:\/|$)/;

/**
 * The page in a folder. Where there is none, `/` says why: `build-failure.txt` beside the folder
 * holds the reason.
 */
export function createPage(folder: string): Page {
  const files = readFiles(folder);
  const index = files.get('/index.html')?.plain.toString('utf8');
  if (index === undefined) return missingPage(`${folder}-failure.txt`);
  files.delete('/index.html');
  return ({ http, path: asked, basePath }) => {
    if (http.method !== 'GET' && http.method !== 'HEAD') return undefined;
    const file = files.get(asked);
    if (file !== undefined) return fileAnswer(file, http, asked);
    return opensPage(http, asked) ? indexAnswer(index, basePath) : undefined;
  };
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
  return ({ http, path: asked }) =>
    (http.method === 'GET' || http.method === 'HEAD') && opensPage(http, asked)
      ? answer
      : undefined;
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

function fileAnswer(file: PageFile, http: ApiRequest, asked: string): ApiResponse {
  const headers = {
    ETag: file.etag,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': asked.startsWith('/assets/')
      ? 'public, max-age=31536000, immutable'
      : 'no-cache',
  };
  if (http.header('if-none-match').includes(file.etag)) return { status: 304, headers };
  const accepted = http.header('accept-encoding');
  const answer = { status: 200, contentType: file.contentType };
  if (file.brotli !== undefined && /\bbr\b/.test(accepted)) {
    return { ...answer, headers: { ...headers, 'Content-Encoding': 'br' }, body: file.brotli };
  }
  if (file.gzip !== undefined && /\bgzip\b/.test(accepted)) {
    return { ...answer, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: file.gzip };
  }
  return { ...answer, headers, body: file.plain };
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html;charset=UTF-8',
  '.js': 'text/javascript;charset=UTF-8',
  '.css': 'text/css;charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Files by their path below the base path. */
function readFiles(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!fs.existsSync(folder)) return files;
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    const contentType = contentTypes[path.extname(name)];
    if (contentType === undefined || !fs.statSync(file).isFile()) continue;
    const plain = fs.readFileSync(file);
    files.set(`/${name.split(path.sep).join('/')}`, {
      contentType,
      etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 20)}"`,
      plain,
      brotli: readIfAny(`${file}.br`),
      gzip: readIfAny(`${file}.gz`),
    });
  }
  return files;
}

function readIfAny(file: string): Buffer | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
}
