// The handbook at /docs: files of a folder, for everybody, without scripts or calls of others.
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHandbook, firstOf } from '../../src/api/handbook.js';
import type { ApiResponse } from '../../src/api/http-server.js';
import type { Page } from '../../src/api/page.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { plainRequest } from './plain-request.js';

let folder: string;
let handbook: Page;

beforeAll(() => {
  folder = createFolder();
  // A start reads nothing: what is built until somebody asks is served.
  handbook = createHandbook(folder);
  fs.mkdirSync(path.join(folder, 'decisions'));
  fs.writeFileSync(path.join(folder, 'index.html'), 'begin');
  fs.writeFileSync(path.join(folder, 'settings.md'), '# Settings');
  fs.writeFileSync(path.join(folder, 'decisions', 'index.html'), 'why');
  fs.writeFileSync(path.join(folder, 'packed.html.gz'), gzipSync('packed'));
  fs.writeFileSync(path.join(folder, 'llms.txt.gz'), gzipSync('- [Settings](settings.md)'));
  fs.writeFileSync(path.join(folder, 'secret.pem'), 'no kind that is served');
});
afterAll(() => removeFolder(folder));

function ask(asked: string, basePath = '', headers = {}): ApiResponse | undefined {
  const http = plainRequest({ method: 'GET', path: basePath + asked, headers });
  return handbook({ http, path: asked, basePath });
}

it('answers with its pages, and below a base path', () => {
  expect(ask('/docs')).toMatchObject({ status: 308, headers: { Location: '/docs/' } });
  expect(ask('/docs', '/tools')).toMatchObject({ headers: { Location: '/tools/docs/' } });
  expect(String(ask('/docs/')?.body)).toBe('begin');
  expect(String(ask('/docs/decisions/')?.body)).toBe('why');
  expect(ask('/docs/settings.md')?.contentType).toBe('text/markdown;charset=UTF-8');
});

it('answers with a packed page as it lies there, or unpacked to who takes no other', () => {
  expect(String(ask('/docs/packed.html')?.body)).toBe('packed');
  const answer = ask('/docs/packed.html', '', { 'accept-encoding': 'br, gzip' });
  expect(answer?.headers?.['Content-Encoding']).toBe('gzip');
  expect(gunzipSync(answer?.body as Buffer).toString()).toBe('packed');
});

it('answers with its list at the root too, where the links lead to the same pages', () => {
  expect(String(ask('/docs/llms.txt')?.body)).toBe('- [Settings](settings.md)');
  expect(ask('/llms.txt')).toMatchObject({
    status: 200,
    contentType: 'text/plain;charset=UTF-8',
    body: '- [Settings](docs/settings.md)',
  });
});

it('leaves everything else to others', () => {
  const others = [
    '/',
    '/docsx',
    '/docs/packed.html.gz',
    '/docs/none.html',
    '/docs/../index.html',
    '/docs/secret.pem',
  ];
  for (const asked of others) expect(ask(asked)).toBeUndefined();
});

it('lets nothing of others in, and no other frame it', () => {
  const policy = String(ask('/docs/')?.headers?.['Content-Security-Policy']);
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
});

it('is not sent again to who has it', () => {
  const etag = String(ask('/docs/')?.headers?.['ETag']);
  expect(ask('/docs/', '', { 'if-none-match': etag })?.status).toBe(304);
});

it('says how it is built where it is not', () => {
  const none = createHandbook(path.join(folder, 'none'));
  const http = plainRequest({ method: 'GET', path: '/docs/', headers: {} });
  expect(none({ http, path: '/docs/', basePath: '' })).toMatchObject({
    status: 503,
    body: expect.stringContaining('npm run build') as string,
  });
});

it('stands before the page', () => {
  const page: Page = () => ({ status: 200, body: 'page' });
  const both = firstOf(handbook, page);
  const bodyOf = (asked: string): string => {
    const http = plainRequest({ method: 'GET', path: asked, headers: {} });
    return String(both({ http, path: asked, basePath: '' })?.body);
  };
  expect([bodyOf('/docs/'), bodyOf('/executions')]).toEqual(['begin', 'page']);
});
