// Compressed answers, over both HTTP libraries: who gets one, and that it is the same.
import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressing } from '../../src/api/compress.js';
import type { ApiResponse, HttpServer } from '../../src/api/http-server.js';
import { createHttpServer } from '../../src/api/server.js';
import { SharedHeaders } from '../../src/api/shared-headers.js';
import { httpLibraries } from '../support/http-libraries.js';

const rows = JSON.stringify(
  Array.from({ length: 500 }, (_, n) => ({ workflowId: `id-${n}`, status: 'RUNNING', name: 'ä' })),
);
const json = 'application/json';
const shared = new SharedHeaders({ 'Cache-Control': 'no-store' });

const answers: Readonly<Record<string, ApiResponse>> = {
  '/rows': { status: 200, contentType: json, body: rows, headers: { 'Cache-Control': 'no-store' } },
  '/bytes': { status: 200, contentType: json, body: Buffer.from(rows) },
  '/shared': { status: 200, contentType: json, body: rows, requestId: 'r1', shared },
  '/small': { status: 200, contentType: json, body: '{"a":1}' },
  '/image': { status: 200, contentType: 'image/png', body: rows },
  '/asset': {
    ...{ status: 200, contentType: json, body: rows },
    headers: { 'Content-Encoding': 'identity' },
  },
  '/stream': {
    ...{ status: 200, contentType: json },
    stream: (sink) => {
      sink.write(rows);
      sink.end();
    },
  },
  '/tools/api/tasks/poll/batch/t': { status: 200, contentType: json, body: rows },
  '/none': { status: 204 },
};

interface Heard {
  readonly status: number;
  readonly coding: string | undefined;
  readonly vary: string | undefined;
  readonly body: Buffer;
}

describe.each(httpLibraries)('compressed answers on %s', (library) => {
  let server: HttpServer;
  let port: number;

  beforeAll(async () => {
    const settings = {
      ...{ host: '127.0.0.1', port: 0, bodyBytesMax: 65_536, headerBytesMax: 16_384 },
      ...{ connectionsMax: 100, streamBytesUnsentMax: 1_000_000 },
    };
    const handler = compressing(
      ({ path }) => {
        const answer = answers[path] ?? { status: 404 };
        return path === '/bytes' ? Promise.resolve(answer) : answer;
      },
      { compressBytesMin: 1000 },
    );
    server = await createHttpServer(library, settings, handler, () => undefined);
    port = await server.listen();
  });
  afterAll(() => server.close(1000));

  const ask = (path: string, accepted?: string, method = 'GET'): Promise<Heard> =>
    new Promise((resolve, reject) => {
      const headers = accepted === undefined ? {} : { 'Accept-Encoding': accepted };
      const asked = http.request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            coding: answer.headers['content-encoding'],
            vary: answer.headers.vary,
            body: Buffer.concat(chunks),
          }),
        );
      });
      asked.on('error', reject);
      asked.end();
    });

  it.each(['/rows', '/bytes', '/shared'])(
    '%s is brotli where that is taken, else gzip',
    async (path) => {
      const brotli = await ask(path, 'gzip, deflate, br');
      expect([brotli.coding, brotli.vary]).toEqual(['br', 'Accept-Encoding']);
      expect(brotliDecompressSync(brotli.body).toString()).toBe(rows);
      expect(brotli.body.length).toBeLessThan(rows.length / 5);
      const gzip = await ask(path, 'gzip;q=1.0, br;q=0');
      expect(gzip.coding).toBe('gzip');
      expect(gunzipSync(gzip.body).toString()).toBe(rows);
    },
  );

  it.each([undefined, 'identity', 'deflate', 'br;q=0, gzip;q=0.0'])(
    'none is sent to a client that takes %s',
    async (accepted) => {
      const { coding, body } = await ask('/rows', accepted);
      expect(coding).toBeUndefined();
      expect(body.toString()).toBe(rows);
    },
  );

  it.each(['/small', '/image', '/stream', '/tools/api/tasks/poll/batch/t', '/none'])(
    '%s stays as it is',
    async (path) => {
      const plain = await ask(path);
      const { status, coding, body } = await ask(path, 'gzip, br');
      expect(coding).toBeUndefined();
      expect([status, body]).toEqual([plain.status, plain.body]);
    },
  );

  it('an answer in a form of its own stays in it, and one to POST is plain', async () => {
    expect((await ask('/asset', 'gzip, br')).coding).toBe('identity');
    expect((await ask('/rows', 'gzip, br', 'POST')).coding).toBeUndefined();
  });

  it('many at once are each whole', async () => {
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ask(n % 2 === 0 ? '/rows' : '/small', 'br')),
    );
    for (const [n, { body }] of all.entries()) {
      const text = n % 2 === 0 ? brotliDecompressSync(body).toString() : body.toString();
      expect(text).toBe(n % 2 === 0 ? rows : '{"a":1}');
    }
  });
});
