// The HTTP server on uWebSockets.js. Its request object lives on the stack of the call that
// announces it, so method, path, query and headers are copied at once (1 us a request); the copy is
// where the framing of the request is checked. Order for each request: abort listener first, then
// limits, then what the head says about the caller, then the body collected once, then the handler,
// then one answer.
//
// uWebSockets.js itself bounds what is below that: header fields that arrive in pieces
// (`UWS_HTTP_MAX_HEADERS_SIZE`, set by server.ts before the library loads; fields that arrive in
// one piece stay in its fixed receive buffer), slow bodies (16 KiB/s), idle connections (10 s) and
// pipelining behind an unanswered request (the connection is closed). It never announces a header
// that it cannot read, such as a request without any field: the connection is closed after some 10
// s, however many bytes follow.
import type {
  HttpRequest,
  HttpResponse,
  us_listen_socket,
  us_socket,
  TemplatedApp,
} from 'uWebSockets.js';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  HttpServer,
  HttpServerSettings,
} from './http-server.js';
import { sendable } from './answer-headers.js';
import { BodyIntake } from './body-intake.js';
import { BodyPermits, unboundedBodies } from './body-permits.js';
import { loadBinary } from './listener-binary.js';
import { addressFault, framingOf } from './framing.js';
import { addressOf, badRequest, begin, refusals, statusLine, urlBytesMax } from './http-limits.js';
import { lastRequests, whenAccepted } from './last-requests.js';
import { noBody } from './request-body.js';
import { requestIdOf } from './request-trace.js';
import { StreamedBody, type BodyPort } from './streamed-body.js';
import { whyNotListening } from './why-not-listening.js';

const uws = loadBinary();

export function createUwsServer(settings: HttpServerSettings, handler: ApiHandler): HttpServer {
  return new UwsServer(settings, handler);
}

class UwsServer implements HttpServer {
  readonly #app: TemplatedApp;
  readonly #bodies: BodyPermits;
  #socket: us_listen_socket | undefined;
  /** Bodies that are being streamed. */
  readonly #streams = new Set<StreamedBody>();
  #connections = 0;
  #running = 0;
  #closing = false;
  /** Each answer is the last one of its connection. */
  #leaving = false;
  #newestAt = 0;

  constructor(
    private readonly settings: HttpServerSettings,
    private readonly handler: ApiHandler,
  ) {
    const { tls } = settings;
    this.#app =
      tls === undefined
        ? uws.App()
        : uws.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile });
    const { bodyPermits } = settings;
    this.#bodies = bodyPermits === undefined ? unboundedBodies : new BodyPermits(bodyPermits);
    this.#app.filter((response, count) => {
      this.#connections += Number(count);
      if (count === 1 && this.#connections > settings.connectionsMax) response.close();
    });
    this.#app.any('/*', (response, request) => this.#accept(response, request));
  }

  listen(): Promise<number> {
    const { host, port } = this.settings;
    return new Promise((resolve, reject) => {
      const listening = (socket: us_listen_socket | false): void => {
        if (socket === false) {
          void whyNotListening(host, port).then(reject);
          return;
        }
        this.#socket = socket;
        resolve(uws.us_socket_local_port(socket as us_listen_socket & us_socket));
      };
      // The typings leave out that host, port and options go together.
      (this.#app as TemplatedApp & ListeningApp).listen(
        host,
        port,
        this.settings.sharesPort ? sharedPort : exclusivePort,
        listening,
      );
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
    if (this.#socket !== undefined) uws.us_listen_socket_close(this.#socket);
    for (const stream of this.#streams) stream.end();
    await lastRequests(
      () => ({
        running: this.#running,
        connections: this.#connections,
        newestAt: this.#newestAt,
      }),
      drainMs,
    );
    // One turn later, so that the last answer is on its way.
    await new Promise((resolve) => setImmediate(resolve));
    this.#app.close();
  }

  #accept(response: HttpResponse, request: HttpRequest): void {
    if (this.#leaving) this.#newestAt = performance.now();
    const exchange = new Exchange(response, request);
    response.onAborted(exchange.abort);
    if (exchange.path.length + exchange.query.length >= urlBytesMax) {
      exchange.answer(refusals.urlTooLong, true);
      return;
    }
    if (exchange.fault !== undefined) {
      exchange.answer(badRequest(exchange.fault), true);
      return;
    }
    if (exchange.method === 'GET') {
      this.#run(exchange, () => this.handler(exchange));
      return;
    }
    this.#collect(response, exchange);
  }

  #collect(response: HttpResponse, exchange: Exchange): void {
    const begun = begin(this.handler, exchange, this.settings);
    const intake = new BodyIntake(begun, () =>
      this.#bodies.enter(addressOf(exchange, this.settings), begun.isStranger),
    );
    const early = intake.announced(Number(exchange.header('content-length')));
    if (early !== undefined) {
      exchange.answer(early, true);
      return;
    }
    exchange.onEnd(() => intake.leave());
    response.onData((chunk, isLast) => {
      if (exchange.done) return;
      const { byteLength } = chunk;
      const refusal = intake.arrives(byteLength, isLast);
      if (refusal !== undefined) {
        exchange.answer(refusal, true);
        return;
      }
      // The chunk is gone when this call returns: copy it.
      if (byteLength > 0 && intake.keeps) {
        const copy = Buffer.allocUnsafe(byteLength);
        copy.set(new Uint8Array(chunk));
        intake.keep(copy, isLast);
      }
      if (!isLast) return;
      exchange.body = intake.end();
      const handle = (): ReturnType<ApiHandler> => begun.refusal ?? begun.run();
      // While it is not answered, the library closes the connection at the next request.
      if (exchange.isLast) setImmediate(() => this.#run(exchange, handle));
      else this.#run(exchange, handle);
    });
  }

  #run(exchange: Exchange, handle: () => ReturnType<ApiHandler>): void {
    if (exchange.done) return;
    let answer: ApiResponse | Promise<ApiResponse>;
    try {
      answer = handle();
    } catch {
      exchange.answer(refusals.internal, this.#leaving);
      return;
    }
    if (!(answer instanceof Promise)) {
      this.#answer(exchange, answer);
      return;
    }
    this.#running++;
    answer.then(
      (value) => this.#finish(exchange, value),
      () => this.#finish(exchange, refusals.internal),
    );
  }

  #finish(exchange: Exchange, answer: ApiResponse): void {
    this.#answer(exchange, answer);
    this.#running--;
  }

  #answer(exchange: Exchange, given: ApiResponse): void {
    const answer = sendable(given);
    if (answer.stream === undefined) {
      exchange.answer(answer, this.#leaving);
      return;
    }
    const stream = exchange.stream(answer, this.settings.streamBytesUnsentMax);
    if (stream === undefined) return;
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
  }
}

interface ListeningApp {
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: us_listen_socket | false) => void,
  ): void;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: a second server on the port fails instead of sharing it. */
const exclusivePort = 1;
/** LIBUS_LISTEN_DEFAULT: servers that all say so share the port (SO_REUSEPORT). */
const sharedPort = 0;

/** Headers that proxies and clients send several times instead of with commas. */
const listHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'cookie',
  'forwarded',
  'if-none-match',
  'x-forwarded-for',
]);

function joined(name: string, before: string, value: string): string {
  return before === '' ? value : before + (name === 'cookie' ? '; ' : ', ') + value;
}

class Exchange implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  body = noBody;
  /** Why the request is refused at once; undefined: it is not. */
  readonly fault: string | undefined;
  /** Whether nothing that follows on the connection is heard (framing.ts). */
  readonly isLast: boolean;
  /** Answered or gone. */
  done = false;
  #aborted = false;
  /** Names and values by turns. */
  readonly #headers: string[] = [];
  #stream: StreamedBody | undefined;
  #listeners: (() => void)[] | undefined;
  #atEnd: (() => void) | undefined;

  constructor(
    private readonly response: HttpResponse,
    request: HttpRequest,
  ) {
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    const headers = this.#headers;
    request.forEach((name, value) => void headers.push(name, value));
    const { fault, closes } = framingOf(headers);
    this.fault = fault ?? addressFault(this.path, this.query);
    this.isLast = closes;
  }

  header(name: string): string {
    const headers = this.#headers;
    let found = '';
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i] !== name) continue;
      if (!listHeaders.has(name)) return headers[i + 1] as string;
      found = joined(name, found, headers[i + 1] as string);
    }
    return found;
  }

  headers(): Readonly<Record<string, string>> {
    const headers = this.#headers;
    const all: Record<string, string> = {};
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] as string;
      const before = Object.hasOwn(all, name) ? (all[name] as string) : '';
      all[name] = joined(name, before, headers[i + 1] as string);
    }
    return all;
  }

  get remoteAddress(): string {
    return this.done ? '' : Buffer.from(this.response.getRemoteAddressAsText()).toString('latin1');
  }

  onAbort(listener: () => void): void {
    if (this.#aborted) listener();
    else (this.#listeners ??= []).push(listener);
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

  readonly abort = (): void => {
    this.#end();
    this.#aborted = true;
    this.#stream?.closed();
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  };

  answer(answer: ApiResponse, closeConnection: boolean): void {
    if (this.done) return;
    this.#end();
    this.#listeners = undefined;
    this.response.cork(() => this.#write(answer, closeConnection || this.isLast));
  }

  /** Gives the streamed body, if one is sent. */
  stream(answer: ApiResponse, bytesUnsentMax: number): StreamedBody | undefined {
    if (this.done) return undefined;
    this.#end();
    this.#listeners = undefined;
    const { response } = this;
    if (this.method === 'HEAD') {
      response.cork(() => {
        this.#writeHead(answer);
        response.endWithoutBody();
      });
      return undefined;
    }
    const stream = new StreamedBody(portOf(response), bytesUnsentMax);
    this.#stream = stream;
    response.onWritable(() => {
      stream.writable();
      return true;
    });
    response.cork(() => {
      this.#writeHead(answer);
      answer.stream?.(stream);
    });
    return stream;
  }

  #writeHead(answer: ApiResponse): void {
    const response = this.response;
    const { status, contentType, headers, shared, requestId, cookies } = answer;
    if (status !== 200) response.writeStatus(statusLine(status));
    if (shared !== undefined && headers === undefined && contentType !== undefined) {
      // The library sends a value as it is, so one call writes all that most answers have.
      const id = requestId ?? requestIdOf(this);
      response.writeHeader('Content-Type', `${contentType}${shared.lines}\r\nX-Request-Id: ${id}`);
    } else this.#writeHeaders(answer);
    if (cookies !== undefined) {
      for (const cookie of cookies) response.writeHeader('Set-Cookie', cookie);
    }
  }

  #writeHeaders({ contentType, headers, shared, requestId }: ApiResponse): void {
    const response = this.response;
    const fields: Readonly<Record<string, string>> = { ...shared?.fields, ...headers };
    if (contentType !== undefined) response.writeHeader('Content-Type', contentType);
    for (const name of Object.keys(fields)) response.writeHeader(name, fields[name] as string);
    if (fields['X-Request-Id'] === undefined) {
      response.writeHeader('X-Request-Id', requestId ?? requestIdOf(this));
    }
  }

  #write(answer: ApiResponse, closeConnection: boolean): void {
    const response = this.response;
    this.#writeHead(answer);
    if (answer.status === 204 || answer.status === 304) {
      // The library takes a given `undefined` for a length.
      if (closeConnection) response.endWithoutBody(0, true);
      else response.endWithoutBody();
    } else if (this.method === 'HEAD') {
      const length = Buffer.byteLength(answer.body ?? '');
      if (closeConnection) {
        response.endWithoutBody(length, true);
        return;
      }
      // Told the length, the library waits for the bytes and closes the connection at the next
      // request.
      response.writeHeader('Content-Length', String(length));
      response.endWithoutBody();
    } else {
      response.end(answer.body ?? '', closeConnection);
    }
  }
}

/** Each call is corked: it runs outside of the library's own calls. */
function portOf(response: HttpResponse): BodyPort {
  return {
    write: (bytes) => {
      let taken = false;
      response.cork(() => {
        taken = response.write(bytes);
      });
      return taken;
    },
    // With a listener for `writable` the library waits for the next write; the end of a cork counts
    // as one.
    flush: () => void response.cork(() => undefined),
    end: () => void response.cork(() => response.end()),
    close: () => void response.close(),
  };
}
