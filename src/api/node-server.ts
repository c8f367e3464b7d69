// The HTTP server on node:http, used where the native binary of uWebSockets.js does not load or
// when `http.server` asks for it. Same contract and limits as uws-server.ts.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { sendable } from './answer-headers.js';
import { BodyIntake } from './body-intake.js';
import { BodyPermits, unboundedBodies } from './body-permits.js';
import { framingOf, versionFault } from './framing.js';
import { addressOf, badRequest, begin, idleSeconds, refusals, urlBytesMax } from './http-limits.js';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  HttpServer,
  HttpServerSettings,
} from './http-server.js';
import { lastRequests, whenAccepted } from './last-requests.js';
import { noBody } from './request-body.js';
import { requestIdOf } from './request-trace.js';
import { StreamedBody } from './streamed-body.js';

export function createNodeServer(settings: HttpServerSettings, handler: ApiHandler): HttpServer {
  return new NodeServer(settings, handler);
}

class NodeServer implements HttpServer {
  readonly #server: Server;
  readonly #bodies: BodyPermits;
  /** Bodies that are being streamed. */
  readonly #streams = new Set<StreamedBody>();
  #running = 0;
  #connections = 0;
  #closing = false;
  /** Each answer is the last one of its connection. */
  #leaving = false;
  #newestAt = 0;

  constructor(
    private readonly settings: HttpServerSettings,
    private readonly handler: ApiHandler,
  ) {
    const idleMs = idleSeconds * 1000;
    const { tls, bodyPermits } = settings;
    this.#bodies = bodyPermits === undefined ? unboundedBodies : new BodyPermits(bodyPermits);
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
    this.#server.on('connection', (socket: Socket) => {
      this.#connections++;
      socket.once('close', () => this.#connections--);
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      const { host, port, sharesPort = false } = this.settings;
      this.#server.listen({ host, port, ...(sharesPort && { reusePort: true }) }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  leave(): void {
    this.#leaving = true;
  }

  async close(drainMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.leave();
    await whenAccepted();
    const closed = this.#stopListening();
    for (const stream of this.#streams) stream.end();
    await lastRequests(
      () => ({
        running: this.#running,
        connections: this.#connections,
        newestAt: this.#newestAt,
      }),
      drainMs,
    );
    await new Promise((resolve) => setImmediate(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** The HTTP server would close idle connections too; TCP below it only stops to listen. */
  #stopListening(): Promise<void> {
    return new Promise((resolve) => {
      NetServer.prototype.close.call(this.#server, () => resolve());
    });
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    if (this.#leaving) this.#newestAt = performance.now();
    const exchange = new Exchange(request, response);
    response.on('close', () => exchange.abort());
    request.on('error', () => exchange.abort());
    if ((request.url ?? '').length > urlBytesMax) {
      exchange.answer(refusals.urlTooLong, true);
      return;
    }
    const { fault } = exchange;
    if (fault !== undefined) {
      exchange.answer(badRequest(fault), true);
      return;
    }
    if (exchange.method === 'GET') {
      request.resume();
      this.#run(exchange, () => this.handler(exchange));
      return;
    }
    this.#collect(request, exchange);
  }

  #collect(request: IncomingMessage, exchange: Exchange): void {
    const begun = begin(this.handler, exchange, this.settings);
    const intake = new BodyIntake(begun, () =>
      this.#bodies.enter(addressOf(exchange, this.settings), begun.isStranger),
    );
    const early = intake.announced(Number(request.headers['content-length'] ?? 0));
    if (early !== undefined) {
      exchange.answer(early, true);
      return;
    }
    const pace = new BodyPace(() => exchange.answer(refusals.tooSlow, true));
    exchange.onEnd(() => {
      pace.stop();
      intake.leave();
    });
    request.on('data', (piece: Buffer) => {
      if (exchange.done) return;
      pace.moved(piece.length);
      const refusal = intake.arrives(piece.length, request.complete);
      if (refusal !== undefined) exchange.answer(refusal, true);
      else if (intake.keeps) intake.keep(piece, false);
    });
    request.on('end', () => {
      if (exchange.done) return;
      pace.stop();
      exchange.body = intake.end();
      this.#run(exchange, () => begun.refusal ?? begun.run());
    });
  }

  #run(exchange: Exchange, handle: () => ApiResponse | Promise<ApiResponse>): void {
    this.#running++;
    void Promise.resolve()
      .then(handle)
      .then(
        (answer) => this.#answer(exchange, answer),
        () => exchange.answer(refusals.internal, this.#leaving),
      )
      .finally(() => {
        this.#running--;
      });
  }

  #answer(exchange: Exchange, given: ApiResponse): void {
    const answer = sendable(given);
    const stream = exchange.answer(answer, this.#leaving, this.settings.streamBytesUnsentMax);
    if (stream === undefined) return;
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
  }
}

/** Watches that a body comes on: one that brings too little within a time is given up. */
class BodyPace {
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  constructor(tooSlow: () => void) {
    this.#timer = setInterval(() => {
      if (this.#bytes < bodyBytesMin) {
        this.stop();
        tooSlow();
      }
      this.#bytes = 0;
    }, idleSeconds * 1000);
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Bytes of a body that must come within `idleSeconds`. */
const bodyBytesMin = 16 * 1024;
/** Upper bound on receiving one request, ms. */
const requestMsMax = 300_000;

class Exchange implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  body = noBody;
  /** Why the request is refused at once; undefined: it is not. */
  readonly fault: string | undefined;
  /** Answered or gone. */
  done = false;
  #aborted = false;
  #listeners: (() => void)[] = [];
  #stream: StreamedBody | undefined;
  #atEnd: (() => void) | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.method = request.method ?? '';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    const fields = request.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text));
    const { httpVersion: version } = request;
    this.fault = versionFault(version) ?? framingOf(fields, version !== '1.0').fault;
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

  get remoteAddress(): string {
    return this.request.socket.remoteAddress ?? '';
  }

  onAbort(listener: () => void): void {
    if (this.#aborted) listener();
    else this.#listeners.push(listener);
  }

  /** Called once, when the request is answered or its client has gone. */
  onEnd(listener: () => void): void {
    this.#atEnd = listener;
  }

  #end(): void {
    this.done = true;
    const ended = this.#atEnd;
    this.#atEnd = undefined;
    ended?.();
  }

  abort(): void {
    this.#stream?.closed();
    if (this.done) return;
    this.#end();
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
    this.#end();
    this.#listeners = [];
    const headers = headersOf(answer, closeConnection);
    headers['X-Request-Id'] ??= answer.requestId ?? requestIdOf(this);
    this.response.writeHead(answer.status, headers);
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
  const headers: Record<string, string | number | string[]> = {
    ...answer.shared?.fields,
    ...answer.headers,
  };
  if (answer.contentType !== undefined) headers['Content-Type'] = answer.contentType;
  if (answer.cookies !== undefined) headers['Set-Cookie'] = [...answer.cookies];
  const hasLength = answer.stream === undefined && answer.status !== 204 && answer.status !== 304;
  if (hasLength) headers['Content-Length'] = Buffer.byteLength(answer.body ?? '');
  if (closeConnection) headers['Connection'] = 'close';
  return headers;
}
