// The HTTP server on node:http, used where the native binary of uWebSockets.js does not load or
// when `http.server` asks for it. Same contract and limits as uws-server.ts.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { idleSeconds, refusals, urlBytesMax } from './http-limits.js';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  HttpServer,
  HttpServerSettings,
} from './http-server.js';
import { StreamedBody } from './streamed-body.js';

export function createNodeServer(settings: HttpServerSettings, handler: ApiHandler): HttpServer {
  return new NodeServer(settings, handler);
}

class NodeServer implements HttpServer {
  readonly #server: Server;
  /** Bodies that are being streamed. */
  readonly #streams = new Set<StreamedBody>();
  #running = 0;
  #closing = false;
  #idle: (() => void) | undefined;

  constructor(
    private readonly settings: HttpServerSettings,
    private readonly handler: ApiHandler,
  ) {
    const idleMs = idleSeconds * 1000;
    const { tls } = settings;
    const accept = (request: IncomingMessage, response: ServerResponse): void =>
      this.#accept(request, response);
    const options = {
      maxHeaderSize: settings.headerBytesMax,
      keepAliveTimeout: idleMs,
      headersTimeout: idleMs,
      // A body may take its time only while it flows (the socket's time limit); this bounds the
      // whole request.
      requestTimeout: Math.max(idleMs, requestMsMax),
      connectionsCheckingInterval: Math.min(idleMs, 5000),
    };
    this.#server =
      tls === undefined
        ? createServer(options, accept)
        : createTlsServer(
            { ...options, cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) },
            accept,
          );
    this.#server.maxConnections = settings.connectionsMax;
  }

  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.settings.port, this.settings.host, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(drainMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    for (const stream of this.#streams) stream.end();
    if (this.#running > 0) {
      const endAt = performance.now() + drainMs;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, endAt - performance.now()));
        this.#idle = () => {
          clearTimeout(timer);
          setImmediate(resolve);
        };
      });
    }
    this.#server.closeAllConnections();
    await closed;
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const exchange = new Exchange(request, response);
    response.on('close', () => exchange.abort());
    request.on('error', () => exchange.abort());
    if ((request.url ?? '').length > urlBytesMax) {
      exchange.answer(refusals.urlTooLong, true);
      return;
    }
    if (exchange.method === 'GET') {
      request.resume();
      this.#run(exchange);
      return;
    }
    const { bodyBytesMax } = this.settings;
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) {
      exchange.answer(refusals.bodyTooLarge, true);
      return;
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      if (exchange.done) return;
      bytes += piece.length;
      if (bytes > bodyBytesMax) exchange.answer(refusals.bodyTooLarge, true);
      else pieces.push(piece);
    });
    request.on('end', () => {
      if (exchange.done) return;
      exchange.body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      this.#run(exchange);
    });
  }

  #run(exchange: Exchange): void {
    this.#running++;
    void Promise.resolve()
      .then(() => this.handler(exchange))
      .then(
        (answer) => this.#answer(exchange, answer),
        () => exchange.answer(refusals.internal, this.#closing),
      )
      .finally(() => {
        if (--this.#running === 0) this.#idle?.();
      });
  }

  #answer(exchange: Exchange, answer: ApiResponse): void {
    const stream = exchange.answer(answer, this.#closing, this.settings.streamBytesUnsentMax);
    if (stream === undefined) return;
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
  }
}

/** Upper bound on receiving one request, ms. */
const requestMsMax = 300_000;
const noBody = Buffer.alloc(0);

class Exchange implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  body: Buffer = noBody;
  /** Answered or gone. */
  done = false;
  #aborted = false;
  #listeners: (() => void)[] = [];
  #stream: StreamedBody | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.method = request.method ?? '';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  header(name: string): string {
    const value = this.request.headers[name];
    return typeof value === 'string' ? value : '';
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    for (const name of Object.keys(this.request.headers)) headers[name] = this.header(name);
    return headers;
  }

  /** The library keeps them anyway. */
  keepHeaders(): void {}

  get remoteAddress(): string {
    return this.request.socket.remoteAddress ?? '';
  }

  onAbort(listener: () => void): void {
    if (this.#aborted) listener();
    else this.#listeners.push(listener);
  }

  abort(): void {
    this.#stream?.closed();
    if (this.done) return;
    this.done = true;
    this.#aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners = [];
  }

  /** Gives the streamed body, if the answer has one that is sent. */
  answer(
    answer: ApiResponse,
    closeConnection: boolean,
    bytesUnsentMax = 0,
  ): StreamedBody | undefined {
    if (this.done) return undefined;
    this.done = true;
    this.#listeners = [];
    this.response.writeHead(answer.status, headersOf(answer, closeConnection));
    if (answer.stream !== undefined && this.method !== 'HEAD') {
      return this.#startStream(answer.stream, bytesUnsentMax);
    }
    this.response.end(answer.body ?? '');
    // The rest of a refused body is not read.
    if (closeConnection && !this.request.complete)
      this.response.once('finish', () => this.request.destroy());
    return undefined;
  }

  #startStream(
    produce: (sink: StreamedBody) => void,
    bytesUnsentMax: number,
  ): StreamedBody | undefined {
    const { response } = this;
    const stream = new StreamedBody(
      {
        write: (bytes) => response.write(bytes),
        flush: () => undefined,
        end: () => response.end(),
        close: () => response.destroy(),
      },
      bytesUnsentMax,
    );
    this.#stream = stream;
    response.on('drain', () => stream.writable());
    produce(stream);
    return stream;
  }
}

function headersOf(
  answer: ApiResponse,
  closeConnection: boolean,
): Record<string, string | number | string[]> {
  const headers: Record<string, string | number | string[]> = { ...answer.headers };
  if (answer.contentType !== undefined) headers['Content-Type'] = answer.contentType;
  if (answer.cookies !== undefined) headers['Set-Cookie'] = [...answer.cookies];
  const hasLength = answer.stream === undefined && answer.status !== 204 && answer.status !== 304;
  if (hasLength) headers['Content-Length'] = Buffer.byteLength(answer.body ?? '');
  if (closeConnection) headers['Connection'] = 'close';
  return headers;
}
