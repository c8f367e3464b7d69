import { afterEach, describe, expect, it } from 'vitest';
import type { ApiHandler, HttpServer } from '../../src/api/http-server.js';
import { createHttpServer, type HttpLibrary } from '../../src/api/server.js';
import { SharedHeaders } from '../../src/api/shared-headers.js';
import { sendRaw } from '../attack/raw-http.js';
import { httpLibraries } from '../support/http-libraries.js';

describe('headers that answers share', () => {
  let server: HttpServer | undefined;

  async function serve(library: HttpLibrary, handler: ApiHandler): Promise<number> {
    const settings = {
      ...{ host: '127.0.0.1', port: 0, bodyBytesMax: 1024, headerBytesMax: 16 * 1024 },
      ...{ connectionsMax: 20, streamBytesUnsentMax: 64 * 1024 },
    };
    server = await createHttpServer(library, settings, handler, () => undefined);
    return await server.listen();
  }
  afterEach(() => server?.close(100));

  it.each([
    [{ 'X-A': 'b\r\nX-Evil: 1' }, 'X-A'],
    [{ 'X A': 'b' }, 'X A'],
    [{ 'X-A': 'é' }, 'X-A'],
  ])('are refused when a field could not be sent: %j', (fields, name) => {
    expect(() => new SharedHeaders(fields)).toThrow(`'${name}' cannot be sent`);
  });

  it.each(httpLibraries)('are sent once each by %s', async (library) => {
    const shared = new SharedHeaders({ 'Cache-Control': 'no-store', 'X-Two': 'a, b' });
    const port = await serve(library, ({ path }) => ({
      status: path === '/missing' ? 404 : 200,
      ...(path !== '/untyped' && { contentType: 'text/plain' }),
      ...(path !== '/named' && { requestId: 'own' }),
      ...(path === '/over' && { headers: { 'Cache-Control': 'max-age=9', 'X-Two': 'c' } }),
      ...{ shared, cookies: ['a=1', 'b=2'], body: 'body' },
    }));
    for (const path of ['/typed', '/untyped', '/missing', '/named', '/over']) {
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: r1\r\n\r\n`;
      const raw = await sendRaw(port, request);
      const [head = '', body] = raw.text.split('\r\n\r\n');
      const fields = head.split('\r\n').slice(1);
      const some = fields.filter((field) => /^(cache|x-|content-type|set-)/i.test(field));
      expect(some.sort(), path).toEqual([
        `Cache-Control: ${path === '/over' ? 'max-age=9' : 'no-store'}`,
        ...(path === '/untyped' ? [] : ['Content-Type: text/plain']),
        ...['Set-Cookie: a=1', 'Set-Cookie: b=2'],
        `X-Request-Id: ${path === '/named' ? 'r1' : 'own'}`,
        `X-Two: ${path === '/over' ? 'c' : 'a, b'}`,
      ]);
      expect([raw.statuses, body]).toEqual([[path === '/missing' ? 404 : 200], 'body']);
    }
  });
});
