// The contract between the API and the HTTP library. Two implementations: `uws-server.ts`
// (uWebSockets.js) and `node-server.ts` (node:http), chosen by `server.ts`; the same tests run on
// both. Limits (sizes, connections, slow peers) are enforced below this contract, before a handler
// runs.

export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path as sent, without query, not decoded. */
  readonly path: string;
  /** Raw query string without `?`. */
  readonly query: string;
  /** Lower-case name; '' when absent. */
  header(name: string): string;
  /**
   * Keeps the headers for later. Without it they can be read in the synchronous part of a handler
   * only, when the request has no body.
   */
  keepHeaders(): void;
  /** Whole body; empty when there was none. UTF-8 is not checked yet. */
  readonly body: Buffer;
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
  /** Absent or '': Content-Length 0. */
  readonly body?: string | Buffer;
}

/** Must always answer: a rejection is answered with 500 by the server and counted. */
export type ApiHandler = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

export interface HttpServerSettings {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly connectionsMax: number;
}

export interface HttpServer {
  /** Resolves with the port it listens on. */
  listen(): Promise<number>;
  /** Stops accepting, lets running requests finish for up to `drainMs`, then closes. */
  close(drainMs: number): Promise<void>;
}

export type CreateHttpServer = (settings: HttpServerSettings, handler: ApiHandler) => HttpServer;
