import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer } from '../../src/api/server.js';
import type { ApiRequest, ApiResponse, BodySink, HttpServer } from '../../src/api/http-server.js';
import { httpLibraries } from '../support/http-libraries.js';

const bodyBytesMax = 64 * 1024;
const streamBytesUnsentMax = 64 * 1024;

describe.each(httpLibraries)('the HTTP server on %s', (library) => {
  let server: HttpServer;
  let port: number;
  let base: string;
  let handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

  beforeAll(async () => {
    server = await createHttpServer(
      library,
      {
        ...{ host: '127.0.0.1', port: 0, bodyBytesMax, headerBytesMax: 16 * 1024 },
        ...{ connectionsMax: 20, streamBytesUnsentMax },
      },
      (request) => handle(request),
      () => undefined,
    );
    port = await server.listen();
    base = `http://127.0.0.1:${port}`;
  });
  afterAll(() => server.close(1000));

  it('hands over method, path, query, headers and body as sent', async () => {
    handle = (request) => ({
      status: 200,
      contentType: 'application/json',
      body: JSON.stringify([
        request.method,
        request.path,
        request.query,
        request.header('content-type'),
        request.header('x-on-conflict'),
        request.body.whole.toString(),
        request.remoteAddress,
      ]),
    });
    const answer = await fetch(`${base}/api/a%2Fb/?x=1&y=%20`, {
      method: 'POST',
      headers: { 'content-type': 'text/x', 'X-On-Conflict': 'FAIL' },
      body: 'héllo',
    });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual([
      'POST',
      '/api/a%2Fb/',
      'x=1&y=%20',
      'text/x',
      'FAIL',
      'héllo',
      '127.0.0.1',
    ]);
  });

  it('reads headers and no query of a GET', async () => {
    handle = (request) => ({
      status: 200,
      body: `${request.header('x-request-id')}|${request.query}|`,
    });
    const answer = await fetch(`${base}/a`, { headers: { 'x-request-id': 'r1' } });
    expect(await answer.text()).toBe('r1||');
  });

  it('hands over every header, and keeps them for handlers that wait', async () => {
    const sent = { 'x-hub-signature': 'sha256=1', cookie: 'a=1; b=2', origin: 'http://x' };
    handle = async (request) => {
      await new Promise(setImmediate);
      const all = request.headers();
      const each = Object.keys(sent).map((name) => [name, request.header(name)]);
      const same = each.every(([name, value]) => all[name as string] === value);
      return { status: 200, body: JSON.stringify([Object.fromEntries(each), same, all['host']]) };
    };
    const host = base.slice('http://'.length);
    for (const options of [{}, { method: 'POST', body: 'x' }]) {
      const answer = await fetch(`${base}/a`, { headers: sent, ...options });
      expect(await answer.json()).toEqual([sent, true, host]);
    }
    handle = (request) => ({ status: 200, body: request.headers()['x-hub-signature'] ?? '' });
    expect(await (await fetch(`${base}/a`, { headers: sent })).text()).toBe('sha256=1');
  });

  it('joins the values of a header that proxies repeat', async () => {
    handle = (request) => ({
      status: 200,
      body: `${request.header('x-forwarded-for')}|${request.header('cookie')}|`,
    });
    const repeated =
      'Host: a\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n' +
      'Cookie: a=1\r\nCookie: b=2\r\n';
    const expected = /1\.1\.1\.1, 2\.2\.2\.2\|a=1; b=2\|$/;
    expect(await raw(`GET /a HTTP/1.1\r\n${repeated}\r\n`)).toMatch(expected);
    const post = `POST /a HTTP/1.1\r\n${repeated}Content-Length: 1\r\n\r\nx`;
    expect(await raw(post)).toMatch(expected);
  });

  it('sets several cookies', async () => {
    handle = () => ({ status: 200, cookies: ['a=1; HttpOnly', 'b=2'], body: 'x' });
    const answer = await fetch(`${base}/a`);
    expect(answer.headers.getSetCookie()).toEqual(['a=1; HttpOnly', 'b=2']);
  });

  it('answers 304 with its headers and nothing else, and keeps the connection', async () => {
    handle = ({ path }) =>
      path === '/a' ? { status: 304, headers: { ETag: '"1"' } } : { status: 200, body: 'next' };
    const answers = await raw(
      'GET /a HTTP/1.1\r\nHost: a\r\n\r\n',
      ['GET /b HTTP/1.1\r\nHost: a\r\n\r\n'],
      /next$/,
    );
    const [head = ''] = answers.split('HTTP/1.1 200 OK');
    expect(head).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
    expect(head).toMatch(/etag: "1"\r\n/i);
    expect(head.toLowerCase()).not.toMatch(/content-length|transfer-encoding/);
    expect(answers).toMatch(/next$/);
  });

  it('sends compressed assets as they are', async () => {
    const text = 'asset '.repeat(1000);
    const body = gzipSync(text);
    const headers = { 'Content-Encoding': 'gzip', 'Cache-Control': 'immutable' };
    handle = () => ({ status: 200, contentType: 'text/css', headers, body });
    const answer = await fetch(`${base}/a.css`);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toBe(text);
    const head = await fetch(`${base}/a.css`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(body.length));
  });

  it('answers an empty 200 with a length and without a type, a 204 with neither', async () => {
    handle = () => ({ status: 200 });
    const ok = await raw('PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    expect(ok.toLowerCase()).toContain('content-length: 0\r\n');
    expect(ok.toLowerCase()).not.toContain('content-type');
    handle = () => ({ status: 204 });
    const none = await raw('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(none).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
    expect(none.toLowerCase()).not.toMatch(/content-length|content-type|transfer-encoding/);
  });

  it('answers later, with status and own headers, and keeps the connection', async () => {
    handle = async () => {
      await new Promise(setImmediate);
      return {
        status: 503,
        contentType: 'application/json',
        headers: { 'Retry-After': '7' },
        body: '{}',
      };
    };
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(`${base}/a`);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('7');
      expect(await answer.text()).toBe('{}');
    }
  });

  it('collects a body that comes in pieces', async () => {
    handle = (request) => ({ status: 200, body: String(request.body.length) });
    const text = await raw('POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', [
      '3\r\nabc\r\n',
      '4\r\ndefg\r\n',
      '0\r\n\r\n',
    ]);
    expect(text.endsWith('7')).toBe(true);
  });

  it('sends a large body whole', async () => {
    const big = 'ü'.repeat(3_000_000);
    handle = () => ({ status: 200, contentType: 'text/plain;charset=UTF-8', body: big });
    expect((await (await fetch(`${base}/a`)).text()).length).toBe(big.length);
  });

  it('refuses a body that is announced or grows too large', async () => {
    let handled = 0;
    handle = () => {
      handled++;
      return { status: 200 };
    };
    const announced = await raw(
      `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyBytesMax + 1}\r\n\r\n`,
    );
    expect(announced).toMatch(/^HTTP\/1\.1 413 /);
    const piece = 'x'.repeat(bodyBytesMax / 2 + 1);
    const grown = await raw('POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', [
      `${piece.length.toString(16)}\r\n${piece}\r\n`,
      `${piece.length.toString(16)}\r\n${piece}\r\n`,
    ]);
    expect(grown).toMatch(/^HTTP\/1\.1 413 /);
    expect(grown).toContain('"status":413');
    expect(handled).toBe(0);
  });

  it('refuses an address or header fields that are too long', async () => {
    handle = () => ({ status: 200 });
    expect((await fetch(`${base}/${'a'.repeat(9000)}`)).status).toBe(414);
    const half = 'y'.repeat(9000);
    expect(await raw(`GET /a HTTP/1.1\r\nHost: a\r\nx-a: ${half}`, [`${half}\r\n\r\n`])).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it('gives every answer of its own an id, the one of the request where it has one', async () => {
    handle = (request) => {
      if (request.path === '/throws') throw new Error('x');
      return { status: 200, body: '', ...(request.path === '/own' && { headers: own }) };
    };
    const own = { 'X-Request-Id': 'handler' };
    const idOf = async (path: string, headers = {}): Promise<string | null> =>
      (await fetch(`${base}${path}`, { headers })).headers.get('x-request-id');
    for (const path of ['/plain', '/throws', `/${'x'.repeat(9000)}`]) {
      expect(await idOf(path, { 'x-request-id': 'r1' }), path.slice(0, 9)).toBe('r1');
      expect(await idOf(path), path.slice(0, 9)).toMatch(/^[\w-]{36}$/);
      expect(await idOf(path, { 'x-request-id': 'a b' })).toMatch(/^[\w-]{36}$/);
    }
    expect(await idOf('/own', { 'x-request-id': 'r1' })).toBe('handler');
    const large = await fetch(base, { method: 'POST', body: 'x'.repeat(bodyBytesMax + 1) });
    expect([large.status, large.headers.get('x-request-id')?.length]).toEqual([413, 36]);
  });

  it('answers 500 for a handler that throws or rejects', async () => {
    handle = () => {
      throw new Error('secret text');
    };
    const thrown = await fetch(`${base}/a`);
    expect([thrown.status, (await thrown.text()).includes('secret')]).toEqual([500, false]);
    handle = () => Promise.reject(new Error('secret text'));
    const rejected = await fetch(`${base}/a`, { method: 'POST', body: 'x' });
    expect([rejected.status, (await rejected.text()).includes('secret')]).toEqual([500, false]);
  });

  it('tells once when the client has gone, and survives a late answer', async () => {
    let arrived = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    let calls = 0;
    let late: unknown;
    const aborted = new Promise<void>((resolve) => {
      handle = (request) =>
        new Promise((answer) => {
          request.onAbort(() => {
            calls++;
            request.onAbort(() => (late = 'told at once'));
            answer({ status: 200, body: 'too late' });
            resolve();
          });
          arrived();
        });
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx');
    await arrival;
    socket.destroy();
    await aborted;
    handle = () => ({ status: 200, body: 'alive' });
    expect(await (await fetch(`${base}/a`)).text()).toBe('alive');
    expect(calls).toBe(1);
    expect(late).toBe('told at once');
  });

  it('does not tell of connections that end after the answer', async () => {
    let calls = 0;
    handle = (request) => {
      request.onAbort(() => calls++);
      return { status: 200, body: 'x' };
    };
    await raw('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await (await fetch(`${base}/a`)).text()).toBe('x');
    expect(calls).toBe(0);
  });

  it('answers HEAD without the body and keeps the connection', async () => {
    handle = (request) => ({ status: 200, contentType: 'text/plain', body: `to ${request.path}` });
    const answers = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let seen = '';
      socket.on('error', reject);
      socket.on('data', (data) => {
        // The second request follows the head of the first answer.
        if (seen === '') socket.write('GET /second HTTP/1.1\r\nHost: a\r\n\r\n');
        seen += data.toString();
        if (seen.includes('to /second')) socket.end();
      });
      socket.on('close', () => resolve(seen));
      socket.write('HEAD /first HTTP/1.1\r\nHost: a\r\n\r\n');
    });
    expect(answers).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answers).toMatch(/content-length: 9\r\n/i);
    expect(answers).not.toContain('to /first');
    expect(answers).toContain('to /second');
  });

  describe('a streamed answer', () => {
    /** Answers each request with a stream; the first sink comes out. */
    function streaming(): Promise<BodySink> {
      return new Promise((resolve) => {
        handle = () => ({ status: 200, contentType: 'text/event-stream', stream: resolve });
      });
    }

    it('is sent piece by piece, at once, and ends', async () => {
      const started = streaming();
      const asked = fetch(`${base}/events`);
      const sink = await started;
      sink.write(': begin\n\n');
      const answer = await asked;
      expect(answer.headers.get('content-type')).toBe('text/event-stream');
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      expect(String(Buffer.from((await reader.read()).value as Uint8Array))).toBe(': begin\n\n');
      for (const piece of ['data: 1\n\n', 'data: ü\n\n', Buffer.from('data: 3\n\n')]) {
        expect(sink.write(piece)).toBe(true);
        const { value } = await reader.read();
        expect(Buffer.from(value as Uint8Array).toString()).toBe(piece.toString());
      }
      expect(sink.write('')).toBe(true);
      sink.end();
      expect((await reader.read()).done).toBe(true);
      expect(sink.write('late')).toBe(false);
      handle = () => ({ status: 200, body: 'next' });
      expect(await (await fetch(`${base}/a`)).text()).toBe('next');
    });

    it('arrives whole when it is written faster than it is read', async () => {
      const piece = Buffer.alloc(50_000, 'x');
      const pieces = 100;
      handle = () => ({
        status: 200,
        stream: (sink) => {
          const send = async (): Promise<void> => {
            for (let i = 0; i < pieces; i++) {
              sink.write(piece);
              await sink.drained();
            }
            sink.end();
          };
          void send();
        },
      });
      const text = await (await fetch(`${base}/export`)).text();
      expect(text.length).toBe(piece.length * pieces);
    });

    it('arrives whole when its client starts reading late, though nothing more is written', async () => {
      const started = streaming();
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n');
      const sink = await started;
      // More than the buffers of both sockets take.
      const bytes = 12 * 1024 * 1024;
      sink.write(Buffer.concat([Buffer.alloc(bytes, 'x'), Buffer.from('the end')]));
      let seen = 0;
      let tail = '';
      const arrived = new Promise<void>((resolve) => {
        socket.on('data', (data) => {
          seen += data.length;
          tail = (tail + data.toString('latin1')).slice(-20);
          if (tail.includes('the end')) resolve();
        });
      });
      socket.resume();
      await arrived;
      expect(seen).toBeGreaterThan(bytes);
      socket.destroy();
    });

    it('is cut off when its client does not read', async () => {
      const started = streaming();
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      socket.on('error', () => undefined);
      socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n');
      const sink = await started;
      let closed = 0;
      sink.onClose(() => closed++);
      const piece = 'x'.repeat(10_000);
      let written = 0;
      while (sink.write(piece)) {
        written += piece.length;
        // Buffers of sockets come first; without the bound this would go on for ever.
        if (written > 100 * 1024 * 1024) break;
        await new Promise(setImmediate);
      }
      expect(written).toBeLessThan(100 * 1024 * 1024);
      expect(closed).toBe(1);
      sink.onClose(() => closed++);
      expect(closed).toBe(2);
      socket.resume();
      await gone;
    });

    it('tells its producer when the client has gone', async () => {
      const started = streaming();
      const socket = connect(port, '127.0.0.1');
      socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n');
      const sink = await started;
      const closed = new Promise<void>((resolve) => sink.onClose(resolve));
      socket.destroy();
      await closed;
      expect(sink.write('late')).toBe(false);
      await sink.drained();
    });

    it('has no body for HEAD, and its producer is not called', async () => {
      let produced = 0;
      handle = () => ({ status: 200, contentType: 'text/event-stream', stream: () => produced++ });
      const answer = await fetch(`${base}/events`, { method: 'HEAD' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream',
      ]);
      expect(await answer.text()).toBe('');
      expect(produced).toBe(0);
    });

    it('ends when the server closes', async () => {
      const settings = {
        host: '127.0.0.1',
        port: 0,
        bodyBytesMax,
        headerBytesMax: 16 * 1024,
        connectionsMax: 10,
        streamBytesUnsentMax,
      };
      let started = (): void => undefined;
      const start = new Promise<void>((resolve) => (started = resolve));
      const stream = (sink: BodySink): void => {
        sink.write('first');
        started();
      };
      const events = (): ApiResponse => ({ status: 200, stream });
      const other = await createHttpServer(library, settings, events, () => undefined);
      const otherPort = await other.listen();
      const asked = fetch(`http://127.0.0.1:${otherPort}/events`);
      await start;
      const answer = await asked;
      await other.close(5000);
      expect(await answer.text()).toBe('first');
    });
  });

  it('closes connections beyond the limit and serves again when some have gone', async () => {
    handle = () => ({ status: 200, body: 'x' });
    const sockets = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        const end = new Promise<'closed'>((resolve) => socket.on('close', () => resolve('closed')));
        const answer = new Promise<'answered'>((resolve) =>
          socket.on('data', () => resolve('answered')),
        );
        socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
        return { socket, outcome: await Promise.race([end, answer]) };
      }),
    );
    const answered = sockets.filter((s) => s.outcome === 'answered').length;
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThanOrEqual(20);
    await Promise.all(
      sockets.map(
        ({ socket }) =>
          new Promise<void>((resolve) => {
            if (socket.closed) return resolve();
            socket.on('close', () => resolve());
            socket.destroy();
          }),
      ),
    );
    await expect
      .poll(() =>
        fetch(`${base}/a`).then(
          (a) => a.status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it('finishes what it runs when it closes, and refuses a taken port', async () => {
    let release = (): void => undefined;
    let arrived = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const settings = {
      host: '127.0.0.1',
      port,
      bodyBytesMax,
      headerBytesMax: 16 * 1024,
      connectionsMax: 10,
      streamBytesUnsentMax,
    };
    const slow = (): Promise<ApiResponse> =>
      new Promise((answer) => {
        release = () => answer({ status: 200, body: 'finished' });
        arrived();
      });
    const taken = await createHttpServer(library, settings, slow, () => undefined);
    await expect(taken.listen()).rejects.toThrow();
    const other = await createHttpServer(library, { ...settings, port: 0 }, slow, () => undefined);
    const otherPort = await other.listen();
    const answer = fetch(`http://127.0.0.1:${otherPort}/a`).then((a) => a.text());
    await arrival;
    const closed = other.close(5000);
    release();
    expect(await answer).toBe('finished');
    await closed;
    await other.close(5000);
    await expect(fetch(`http://127.0.0.1:${otherPort}/a`)).rejects.toThrow();
  });

  it('answers on the connections that it has when it closes, and says that each is over', async () => {
    const settings = {
      ...{ host: '127.0.0.1', port: 0, bodyBytesMax, headerBytesMax: 16 * 1024 },
      ...{ connectionsMax: 10, streamBytesUnsentMax },
    };
    const answer: ApiResponse = { status: 200, body: 'served' };
    const other = await createHttpServer(
      library,
      settings,
      () => answer,
      () => undefined,
    );
    const otherPort = await other.listen();
    const text = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n';
    const socket = connect(otherPort, '127.0.0.1');
    const ended = once(socket, 'close');
    const ask = async (): Promise<string> => {
      socket.write(text);
      return String((await once(socket, 'data'))[0]);
    };
    expect(await ask()).not.toMatch(/^connection: close/im);
    const closed = other.close(5000);
    // The connection is idle when the close begins: a request that comes now is not lost.
    expect(await ask()).toMatch(/^connection: close/im);
    await ended;
    await closed;
  });

  it('says that a connection is over, and serves, from when it leaves', async () => {
    const settings = {
      ...{ host: '127.0.0.1', port: 0, bodyBytesMax, headerBytesMax: 16 * 1024 },
      ...{ connectionsMax: 10, streamBytesUnsentMax },
    };
    const answer: ApiResponse = { status: 200, body: 'served' };
    const other = await createHttpServer(
      library,
      settings,
      () => answer,
      () => undefined,
    );
    const url = `http://127.0.0.1:${await other.listen()}/a`;
    expect((await fetch(url)).headers.get('connection')).not.toBe('close');
    other.leave();
    for (let i = 0; i < 2; i++) {
      expect((await fetch(url)).headers.get('connection')).toBe('close');
    }
    await other.close(5000);
  });

  /**
   * Sends text, then each part once the one before was taken; resolves with all that came until the
   * first answer ended, or until `last` fits.
   */
  function raw(text: string, parts: string[] = [], last?: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      let sent = 0;
      socket.setNoDelay(true);
      socket.on('data', (data) => {
        answer += data.toString();
        if (last === undefined || last.test(answer)) socket.end();
        else if (parts[sent] !== undefined) send(sent);
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
      const send = (i: number): void => {
        const part = i < 0 ? text : parts[i];
        if (part === undefined || (answer !== '' && last === undefined)) return;
        sent = i + 1;
        socket.write(part, () => {
          if (last === undefined) setImmediate(() => setImmediate(send, i + 1));
        });
      };
      send(-1);
    });
  }
});
