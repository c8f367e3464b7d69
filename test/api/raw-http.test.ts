// Raw requests against both HTTP libraries: framing, header values of answers, bodies of strangers
// (docs/access.md, Requests of strangers).
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpLibrary } from '../../src/api/server.js';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  BegunRequest,
  HttpServer,
  HttpServerSettings,
} from '../../src/api/http-server.js';
import { faultOf, rawCases, sendRaw } from '../attack/raw-http.js';
import { httpLibraries } from '../support/http-libraries.js';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(
  library: HttpLibrary,
  handler: ApiHandler,
  over: Partial<HttpServerSettings> = {},
): Promise<number> {
  const settings = {
    ...{ host: '127.0.0.1', port: 0, bodyBytesMax: 1024 * 1024, headerBytesMax: 16 * 1024 },
    ...{ connectionsMax: 2000, streamBytesUnsentMax: 64 * 1024, ...over },
  };
  const server: HttpServer = await createHttpServer(library, settings, handler, () => undefined);
  open.push(() => server.close(100));
  return await server.listen();
}

function socketTo(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  open.push(() => void socket.destroy());
  return socket;
}

/** All that comes until `until` fits, or the connection ends. */
function heard(socket: Socket, until: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
      if (until.test(text)) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}

describe.each(httpLibraries)('raw requests to %s', (library) => {
  it('are refused where servers could read them differently', { timeout: 60_000 }, async () => {
    const outcomes = rawCases.map(async (raw) => {
      const handled: string[] = [];
      const port = await serve(library, (request) => {
        handled.push(request.path);
        return { status: 200, body: 'x' };
      });
      return faultOf(raw, await sendRaw(port, raw.bytes), handled);
    });
    expect((await Promise.all(outcomes)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it.each<[string, Partial<ApiResponse>]>([
    ['a content type', { contentType: 'text/plain\r\nX-Evil: 1\r\n\r\n<script>' }],
    ['a header', { headers: { 'X-A': 'b\r\nX-Evil: 1' } }],
    ['the name of a header', { headers: { 'X-A: b\r\nX-Evil': '1' } }],
    ['an id of the request', { requestId: 'a\r\nX-Evil: 1' }],
    ['a cookie', { cookies: ['a=1\nX-Evil: 1'] }],
    ['a header with a zero byte', { headers: { 'X-A': 'b\0X-Evil' } }],
  ])('never get an answer that %s splits', async (_what, over) => {
    const port = await serve(library, ({ path }) =>
      path === '/split' ? { status: 200, body: 'x', ...over } : { status: 200, body: 'alive' },
    );
    const split = await sendRaw(port, 'GET /split HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(split.statuses).toEqual([500]);
    expect(split.text).not.toContain('X-Evil');
    const next = await sendRaw(port, 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(next.text).toMatch(/alive$/);
  });

  describe('with a body', () => {
    const begunWith =
      (over: (request: ApiRequest) => Partial<BegunRequest>) =>
      (request: ApiRequest): BegunRequest => ({
        ...{ bodyBytesMax: 1024 * 1024, isStranger: false, refusal: undefined },
        run: () => ({ status: 200, body: `took ${request.body.length}` }),
        ...over(request),
      });
    const handlerOf = (over: (request: ApiRequest) => Partial<BegunRequest>): ApiHandler =>
      Object.assign(() => ({ status: 200 }), { begin: begunWith(over) });

    it('are answered before it, when their head is refused', async () => {
      const refusal = { status: 401, body: 'no token' };
      const port = await serve(
        library,
        handlerOf(() => ({ refusal })),
      );
      const head = 'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
      const early = await sendRaw(port, head);
      expect([early.statuses, early.closed]).toEqual([[401], true]);
      // A short one is read to its end, so that the client hears the answer and keeps its
      // connection.
      const short = await sendRaw(
        port,
        'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy',
      );
      expect([short.statuses, short.closed]).toEqual([[401], false]);
    });

    it('may be as long as their endpoint says', async () => {
      const port = await serve(
        library,
        handlerOf(() => ({ bodyBytesMax: 3 })),
      );
      const head = 'POST /a HTTP/1.1\r\nHost: a\r\n';
      const announced = await sendRaw(port, `${head}Content-Length: 4\r\n\r\nabcd`);
      expect([announced.statuses, announced.closed]).toEqual([[413], true]);
      const grown = `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n`;
      expect((await sendRaw(port, grown)).statuses).toEqual([413]);
      const fits = await sendRaw(port, `${head}Content-Length: 3\r\n\r\nabc`);
      expect(fits.text).toMatch(/took 3$/);
    });

    /** Begins a body and resolves when it is refused, or the server has had time to. */
    async function beginBody(port: number, address: string, bytes: number): Promise<Socket> {
      const socket = socketTo(port);
      const head = `POST /${address} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
      socket.write(`${head}${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`);
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    }
    const end = '0\r\n\r\n';
    const bodyPermits = { bytesMax: 400_000, strangersMax: 8 };
    const addressOf = ({ path }: ApiRequest): string => path;

    it('of strangers are few at a time, from one address and in all', async () => {
      const port = await serve(
        library,
        handlerOf(() => ({ isStranger: true })),
        {
          bodyPermits,
          addressOf,
        },
      );
      const outcomes = async (address: string, many: number): Promise<number> => {
        const sockets = await Promise.all(
          Array.from({ length: many }, () => beginBody(port, address, 10)),
        );
        let refusedMany = 0;
        for (const socket of sockets) {
          void heard(socket, / 429 /).then((text) => (refusedMany += / 429 /.test(text) ? 1 : 0));
        }
        // Each address may have two of the eight.
        await expect.poll(() => refusedMany).toBe(many - 2);
        return refusedMany;
      };
      await outcomes('one', 5);
      for (const address of ['two', 'three', 'four']) await outcomes(address, 3);
      const full = await beginBody(port, 'five', 10);
      expect(await heard(full, / 429 /)).toMatch(/^HTTP\/1\.1 429 /);
    });

    it('have room for so many bytes while they come, and give it back', async () => {
      const port = await serve(
        library,
        handlerOf(() => ({})),
        { bodyPermits, addressOf },
      );
      const first = await beginBody(port, 'one', 90_000);
      const second = await beginBody(port, 'one', 90_000);
      const other = await beginBody(port, 'two', 90_000);
      // One of the two of one address has no room any more.
      const refusals = [first, second].map((socket) => heard(socket, / 429 /));
      expect(await Promise.race(refusals)).toMatch(/^HTTP\/1\.1 429 /);
      other.write(end);
      expect(await heard(other, /took/)).toMatch(/took 90000$/);
      first.destroy();
      second.destroy();
      await expect
        .poll(async () => {
          const again = await beginBody(port, 'one', 90_000);
          again.write(end);
          return /took 90000$/.test(await heard(again, /took \d|429/));
        })
        .toBe(true);
    });

    it('are closed when the body does not come on', { timeout: 60_000 }, async () => {
      const port = await serve(
        library,
        handlerOf(() => ({})),
      );
      const socket = socketTo(port);
      socket.write('POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 500);
      open.push(() => clearInterval(drip));
      expect(await heard(socket, /never/)).not.toContain('200');
    });
  });
});
