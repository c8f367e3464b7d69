// Serves the handbook at /docs: the files that the build left in dist/site. It is for everybody, as
// it says nothing of this server. Its list for language models is at /llms.txt too, as they expect.
import type { Page } from './page.js';
import type { ApiResponse } from './http-server.js';
import { fileAnswer, LazyFiles } from './static-files.js';

const root = '/docs';
const list = '/llms.txt';

const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'same-origin',
};

/** The handbook in a folder; where there is none, the answer says how it is built. */
export function createHandbook(folder: string): Page {
  const files = new LazyFiles(folder);
  return ({ http, path, basePath }) => {
    if (http.method !== 'GET' && http.method !== 'HEAD') return undefined;
    if (path === list) return listAtTheRoot(files);
    if (path !== root && !path.startsWith(`${root}/`)) return undefined;
    if (path === root) return { status: 308, headers: { Location: `${basePath}${root}/` } };
    const asked = path.slice(root.length);
    const file = files.get(asked.endsWith('/') ? `${asked}index.html` : asked);
    if (file !== undefined) return fileAnswer(file, http, 'no-cache', headers);
    return files.isEmpty ? notBuilt : undefined;
  };
}

/** The list with its links, which are relative, as they are from there. */
function listAtTheRoot(files: LazyFiles): ApiResponse | undefined {
  const file = files.get(list);
  if (file === undefined) return undefined;
  const body = file.plain.toString('utf8').replaceAll('](', `](${root.slice(1)}/`);
  const more = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };
  return { status: 200, contentType: file.contentType, headers: { ...headers, ...more }, body };
}

const notBuilt: ApiResponse = {
  status: 503,
  contentType: 'text/plain;charset=UTF-8',
  headers: { 'Cache-Control': 'no-store' },
  body: 'The handbook is not built: run `npm run build`.\n',
};

/** The first of several that has an answer. */
export function firstOf(...pages: readonly Page[]): Page {
  return (request) => {
    for (const page of pages) {
      const answer = page(request);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}
