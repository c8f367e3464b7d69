import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPage, type Page } from '../../src/api/page.js';
import type { ApiResponse } from '../../src/api/http-server.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { plainRequest } from './plain-request.js';

let folder: string;
let page: Page;
const index = '<meta content="__NONCE__" /><base href="/" /><div id="root"></div>';

beforeAll(() => {
  folder = createFolder();
  const root = path.join(folder, 'ui');
  // A start reads nothing: what is built until somebody asks is served.
  page = createPage(root);
  fs.mkdirSync(path.join(root, 'assets'), { recursive: true });
  fs.writeFileSync(path.join(root, 'index.html'), index);
  fs.writeFileSync(path.join(root, 'assets', 'main-1.js'), 'plain');
  fs.writeFileSync(path.join(root, 'assets', 'main-1.js.br'), 'brotli');
  fs.writeFileSync(path.join(root, 'assets', 'main-1.js.gz'), 'gzip');
});
afterAll(() => removeFolder(folder));

function ask(
  asked: string,
  headers: Record<string, string> = {},
  basePath = '',
): ApiResponse | undefined {
  const http = plainRequest({ method: 'GET', path: basePath + asked, headers });
  return page({ http, path: asked, basePath });
}

const html = { accept: 'text/html' };

describe('the page', () => {
  it('answers its own addresses with index.html, filled in for the base path', () => {
    const answer = ask('/executions/1', html, '/tools/flows');
    expect(answer?.status).toBe(200);
    expect(String(answer?.body)).toContain('<base href="/tools/flows/"');
    expect(answer?.headers?.['Cache-Control']).toBe('no-cache');
  });

  it('allows the styles of this answer only', () => {
    const nonceOf = (answer: ApiResponse | undefined): string =>
      /content="([^"]+)"/.exec(String(answer?.body))?.[1] ?? '';
    const [first, second] = [ask('/'), ask('/')];
    const policy = first?.headers?.['Content-Security-Policy'];
    expect(policy).toContain(`'nonce-${nonceOf(first)}'`);
    expect(nonceOf(first)).not.toBe(nonceOf(second));
  });

  it('may load from this server, and from no other one', () => {
    const policy = String(ask('/')?.headers?.['Content-Security-Policy']);
    const directives = new Map(
      policy.split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources];
      }),
    );
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('connect-src')).toEqual(["'self'"]);
    const own = /^('none'|'self'|'nonce-.+'|data:)$/;
    expect([...directives.values()].flat().filter((source) => !own.test(source))).toEqual([]);
  });

  it.each(['/api/unknown', '/api', '/health/x', '/metrics/x', '/assets/missing.js'])(
    'leaves %s to the API',
    (asked) => {
      expect(ask(asked, html)).toBeUndefined();
    },
  );

  it('leaves unknown paths to the API when no browser asks', () => {
    expect(ask('/executions', { accept: 'application/json' })).toBeUndefined();
  });

  it.each([
    ['br, gzip', 'brotli', 'br'],
    ['gzip', 'gzip', 'gzip'],
    ['', 'plain', undefined],
  ])('serves assets as %s allows, for ever', (accepted, content, encoding) => {
    const answer = ask('/assets/main-1.js', { 'accept-encoding': accepted });
    expect(String(answer?.body)).toBe(content);
    expect(answer?.headers?.['Content-Encoding']).toBe(encoding);
    expect(answer?.headers?.['Cache-Control']).toContain('immutable');
  });

  it('says that an asset is unchanged', () => {
    const etag = ask('/assets/main-1.js')?.headers?.['ETag'] ?? '';
    const again = ask('/assets/main-1.js', { 'if-none-match': etag });
    expect(again?.status).toBe(304);
    expect(again?.body).toBeUndefined();
  });
});

describe('a page that is not there', () => {
  it('says why at its addresses and leaves the API alone', () => {
    fs.writeFileSync(path.join(folder, 'none-failure.txt'), 'vite ended with 1');
    page = createPage(path.join(folder, 'none'));
    expect(ask('/')?.status).toBe(503);
    expect(String(ask('/')?.body)).toContain('vite ended with 1');
    expect(ask('/api/unknown', html)).toBeUndefined();
  });
});
