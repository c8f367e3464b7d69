import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpLibrary } from '../../src/api/server.js';
import type { ApiRequest, ApiResponse, HttpServer } from '../../src/api/http-server.js';

const bodyBytesMax = 64 * 1024;

describe.each<HttpLibrary>(['uws', 'node'])('the HTTP server on %s', (library) => {
  let server: HttpServer;
  let port: number;
  let base: string;
  let handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

  beforeAll(async () => {
    server = await createHttpServer(
      library,
      {
        host: '127.0.0.1',
        port: 0,
        bodyBytesMax,
        headerBytesMax: 16 * 1024,
        connectionsMax: 20,
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
        request.body.toString(),
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

  /**
   * Sends text, then each part once the one before was taken; resolves with all that came until the
   * first answer ended.
   */
  function raw(text: string, parts: string[] = []): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.setNoDelay(true);
      socket.on('data', (data) => {
        answer += data.toString();
        socket.end();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
      const send = (i: number): void => {
        const part = i < 0 ? text : parts[i];
        if (part === undefined || answer !== '') return;
        socket.write(part, () => setImmediate(() => setImmediate(send, i + 1)));
      };
      send(-1);
    });
  }
});
