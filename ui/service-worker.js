// Keeps the page's own files in the browser, so that an address that is loaded anew while the server
// is away shows the page, which says so and goes on when the server is back. The build writes it to
// `sw.js` and puts `shell` before it: `version`, a hash of all files, `files`, their addresses below
// this one, and `main`, the script that index.html of this build loads.
//
// Kept are these files and index.html, and nothing else: no answer of the API, no address, nothing
// that a person typed. Files whose name holds a hash of their content are taken from the cache first.
// index.html is taken from the server whenever it answers. Each build has its own cache: it is filled
// before its worker takes over, and those of earlier builds are deleted then.
/* global shell, self, caches, fetch, Request, URL */

const scope = new URL('./', self.location.href);
const cachePrefix = `downbeat ${scope.pathname} `;
const cacheName = cachePrefix + shell.version;
const kept = new Map(shell.files.map((file) => [new URL(file, scope).href, file]));

self.addEventListener('install', (event) => {
  event.waitUntil(fill());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate' && opensPage(request.url)) event.respondWith(document(event));
  else if (kept.has(request.url)) event.respondWith(file(request));
});

/** Rejects, and so leaves the worker before in place, unless all files are of this build. */
async function fill() {
  const index = await fetch(
    new Request(scope, { cache: 'no-store', headers: { accept: 'text/html' } }),
  );
  const text = await index.clone().text();
  if (!index.ok || index.redirected || !text.includes(shell.main)) {
    throw new Error('The server has another build of the page by now.');
  }
  const cache = await caches.open(cacheName);
  await cache.put(scope, index);
  await cache.addAll([...kept.keys()]);
}

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(cachePrefix) && name !== cacheName) await caches.delete(name);
  }
  // The document is asked for while this worker starts.
  await self.registration.navigationPreload?.enable();
}

/** Whether the server answers an address with the page: as `reserved` in src/api/page.ts. */
function opensPage(address) {
  const path = new URL(address).pathname.slice(scope.pathname.length);
  return !/^(?:api|api-docs[^/]*|docs|health|metrics|assets)(?:\/|$)/.test(path);
}

async function document(event) {
  let answer;
  try {
    answer = (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    return (await keptDocument()) ?? Promise.reject(error);
  }
  return isAway(answer) ? ((await keptDocument()) ?? answer) : answer;
}

async function keptDocument() {
  return await (await caches.open(cacheName)).match(scope);
}

/** A proxy without its server, or a server that starts. Why a page was not built is plain text. */
function isAway({ status, headers }) {
  const contentType = headers.get('content-type') ?? '';
  return [502, 503, 504].includes(status) && !contentType.startsWith('text/plain');
}

async function file(request) {
  const cache = await caches.open(cacheName);
  return (await cache.match(request.url)) ?? (await fetch(request));
}
