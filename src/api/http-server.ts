// The contract between the API and the HTTP library. Two implementations: `uws-server.ts`
// (uWebSockets.js) and `node-server.ts` (node:http), chosen by `server.ts`; the same tests run on
// both. Limits (sizes, connections, slow peers) are enforced below this contract, before a handler
// runs.
import type { BodyPermitSettings } from './body-permits.js';
import type { RequestBody } from './request-body.js';
import type { SharedHeaders } from './shared-headers.js';

export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path as sent, without query, not decoded. */
  readonly path: string;
  /** Raw query string without `?`. */
  readonly query: string;
  /**
   * Lower-case name; '' when absent. The values of a repeated header are joined with ', ' (cookies
   * with '; ') where it may be repeated, such as X-Forwarded-For; else the first one counts.
   */
  header(name: string): string;
  /** All headers by lower-case name. */
  headers(): Readonly<Record<string, string>>;
  /** Empty when there was none. UTF-8 is not checked yet. */
  readonly body: RequestBody;
  /** Client address, for logs. */
  readonly remoteAddress: string;
  /** Called once if the client goes away before the answer; at once if it has already gone. */
  onAbort(listener: () => void): void;
}

export interface ApiResponse {
  readonly status: number;
  /** Absent: no Content-Type header (contract-core 1.4). */
  readonly contentType?: 'application/json' | 'text/plain;charset=UTF-8' | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent too, but for those that `headers` name. */
  readonly shared?: SharedHeaders;
  /** Absent: as `headers` say, else that of the request, else a new one. */
  readonly requestId?: string;
  /** One Set-Cookie header each. */
  readonly cookies?: readonly string[];
  /** Absent or '': Content-Length 0. None is sent for HEAD and with the statuses 204 and 304. */
  readonly body?: string | Buffer;
  /**
   * In place of `body`: called once with where to write. The head may leave with the first piece
   * only, so a stream of events begins with one, such as a comment. Not called for HEAD.
   */
  readonly stream?: (sink: BodySink) => void;
}

/** Takes a body piece by piece. */
export interface BodySink {
  /**
   * Sends a piece. False when it is not sent because the body has ended: by `end`, because the
   * client has gone, or because it took less than it was sent (setting `streamBytesUnsentMax`).
   */
  write(piece: string | Uint8Array): boolean;
  /** Ends the body once all of it is sent. */
  end(): void;
  /** Resolves when nothing waits for the client any more, or the body has ended. */
  drained(): Promise<void>;
  /** Called once when the body has ended, for any reason; at once if it has already. */
  onClose(listener: () => void): void;
}

/** Must always answer: a rejection is answered with 500 by the server and counted. */
export interface ApiHandler {
  (request: ApiRequest): ApiResponse | Promise<ApiResponse>;
  /**
   * Asked in place of the call itself for a request with a body, when its head is there. Must not
   * throw. Absent: every body is taken, up to `bodyBytesMax`.
   */
  readonly begin?: (request: ApiRequest) => BegunRequest;
}

/** The facts of a request in its head. */
export interface BegunRequest {
  /** Bytes that its body may have. */
  readonly bodyBytesMax: number;
  /** Whether it is served without a token. */
  readonly isStranger: boolean;
  /** The answer already, whatever the body holds, which is not kept: the caller may not do this. */
  readonly refusal: ApiResponse | undefined;
  /** Carries the request out. Called once, when the body is there. */
  run(): ApiResponse | Promise<ApiResponse>;
}

/** Files in PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface HttpServerSettings {
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Other processes of this user may listen on the port too; the system spreads connections. */
  readonly sharesPort?: boolean;
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly connectionsMax: number;
  /** Bytes of one streamed body that may wait for a slow client. */
  readonly streamBytesUnsentMax: number;
  /** Bounds of bodies that have begun and not ended; absent: none. */
  readonly bodyPermits?: BodyPermitSettings;
  /** Address of a client, behind trusted proxies too; absent: that of the connection. */
  readonly addressOf?: (request: ApiRequest) => string;
}

export interface HttpServer {
  /** Resolves with the port it listens on. */
  listen(): Promise<number>;
  /**
   * From now on each answer is the last one of its connection (`Connection: close`): clients turn
   * to another node before this one closes.
   */
  leave(): void;
  /**
   * Stops accepting, ends streamed bodies, lets running requests finish for up to `drainMs`, waits
   * until no request has come for a moment on the connections that are left, then closes.
   */
  close(drainMs: number): Promise<void>;
}
