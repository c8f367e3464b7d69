// The only way out over HTTP (invariants S1): connection pools by origin, checked addresses, no
// redirects unless asked (each is checked like a first request), and limits on time and size.
// Answers are collected whole; what is longer than the limit is cut off while it comes in.
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Clock, TimerHandle } from '../std/clock.js';
import { AccessRules, type OutboundAccess, type ResolveName } from './outbound-access.js';
import type { Fetch, OutboundRequest, OutboundResponse } from './outbound-request.js';
import { isSocketEnd, OutboundError, toOutboundError } from './outbound-error.js';

export interface OutboundSettings extends OutboundAccess {
  /** Bytes of an answer's body. */
  readonly responseBytesMax: number;
  /** Bytes of an answer's header. */
  readonly responseHeaderBytesMax: number;
  /** Longest time for one request with its redirects, ms; also caps what a task asks for. */
  readonly requestTimeMsMax: number;
  /** Connections to one origin. */
  readonly connectionsPerOriginMax: number;
  /** Redirects followed when a request asks for it. */
  readonly redirectsMax: number;
}

export const defaultOutboundSettings: OutboundSettings = {
  allowInside: false,
  allowedHosts: [],
  responseBytesMax: 8 * 1024 * 1024,
  responseHeaderBytesMax: 64 * 1024,
  requestTimeMsMax: 300_000,
  connectionsPerOriginMax: 256,
  redirectsMax: 5,
};

const keepAliveMs = 10_000;
/** Attempts to connect are given up by then, also when nobody waits for them any more. */
const connectTimeMsMax = 30_000;
const redirectCodes = new Set([301, 302, 303, 307, 308]);
/** A kept connection that the peer closed just now costs these methods one more attempt. */
const repeatableMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** Not sent on to another origin. */
const privateHeaders = new Set(['authorization', 'cookie', 'proxy-authorization']);

export class OutboundClient {
  /**
   * Made for the first request: loading the library costs 120 ms, which a start has no time for.
   */
  #agent: Promise<Agent> | undefined;

  constructor(
    private readonly settings: OutboundSettings,
    private readonly clock: Clock,
    private readonly resolve?: ResolveName,
  ) {}

  /** Rejects with OutboundError only. */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const until = this.clock.monotonic() + this.settings.requestTimeMsMax;
    let current = request;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#withOneRepeat(current, until);
      const next = request.followRedirects ? redirected(current, response) : undefined;
      if (next === undefined) return response;
      if (redirects >= this.settings.redirectsMax) {
        throw new OutboundError('broken', `More than ${this.settings.redirectsMax} redirects`);
      }
      current = next;
    }
  }

  /**
   * The standard `fetch` under the same rules, for libraries that bring a protocol of their own:
   * checked addresses, no redirects, a bounded body that may be read while it comes in. `signal`
   * ends it with everything that is still open.
   */
  fetchFor(signal: AbortSignal): Fetch {
    return async (url, init) => {
      const { fetch } = await import('undici');
      // The library's types differ from those of the platform in what nobody uses here.
      const send = fetch as typeof fetch & ((url: string | URL, init: object) => Promise<Response>);
      const dispatcher = await this.#connected();
      const signals = [signal, init?.signal].filter((each) => each instanceof AbortSignal);
      const ruled = { redirect: 'manual', dispatcher, signal: AbortSignal.any(signals) };
      try {
        const response = await send(url, { ...init, ...ruled });
        return bounded(response, this.settings.responseBytesMax);
      } catch (error) {
        throw toOutboundError(error instanceof TypeError ? (error.cause ?? error) : error);
      }
    };
  }

  /** Ends all connections; requests under way fail. */
  async stop(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #connected(): Promise<Agent> {
    return (this.#agent ??= createAgent(this.settings, this.resolve));
  }

  async #withOneRepeat(request: OutboundRequest, until: number): Promise<OutboundResponse> {
    try {
      return await this.#once(request, until);
    } catch (error) {
      const isClosed = error instanceof OutboundError && error.kind === 'broken';
      if (!isClosed || !isSocketEnd(error.cause) || !repeatableMethods.has(request.method)) {
        throw error;
      }
      return this.#once(request, until);
    }
  }

  async #once(request: OutboundRequest, until: number): Promise<OutboundResponse> {
    const { url, method, body } = request;
    const agent = await this.#connected();
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, this.settings, this.clock, until, resolve, reject);
      try {
        agent.dispatch(
          {
            origin: url.origin,
            path: url.pathname + url.search,
            method: method as Dispatcher.HttpMethod,
            headers: [...request.headers].flatMap(([name, value]) =>
              typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]),
            ),
            body: body ?? null,
          },
          exchange,
        );
      } catch (error) {
        exchange.fail(toOutboundError(error));
      }
    });
  }
}

/**
 * One request on its way: what the dispatcher tells, the timers, the collected body. Settles once.
 */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #timer: TimerHandle;
  readonly #endTimer: TimerHandle;
  #settled = false;
  #statusCode = 0;
  #reasonPhrase = '';
  #headers: { [name: string]: string[] } = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  readonly #cancel = (): void => this.fail(new OutboundError('cancelled', 'Cancelled'));

  constructor(
    private readonly request: OutboundRequest,
    private readonly settings: OutboundSettings,
    private readonly clock: Clock,
    until: number,
    private readonly resolve: (response: OutboundResponse) => void,
    private readonly reject: (error: OutboundError) => void,
  ) {
    const { connectTimeoutMs, signal } = request;
    this.#timer = clock.after(connectTimeoutMs, () =>
      this.fail(new OutboundError('timeout', `Connect timed out after ${connectTimeoutMs} ms`)),
    );
    this.#endTimer = clock.after(until - clock.monotonic(), () =>
      this.fail(
        new OutboundError('timeout', `No end of the answer within ${settings.requestTimeMsMax} ms`),
      ),
    );
    if (signal.aborted) queueMicrotask(this.#cancel);
    else signal.addEventListener('abort', this.#cancel, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('nobody waits for the answer'));
      return;
    }
    this.#controller = controller;
    this.#expectSign();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _headers: unknown,
    statusMessage?: string,
  ): void {
    if (statusCode < 200 || this.#settled) return;
    this.#statusCode = statusCode;
    this.#reasonPhrase = statusMessage ?? '';
    this.#headers = headerLists(controller.rawHeaders);
    this.#expectSign();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    const { responseBytesMax } = this.settings;
    if (this.#bytes > responseBytesMax) {
      this.fail(
        new OutboundError('too-large', `The answer is longer than ${responseBytesMax} bytes`),
      );
      return;
    }
    this.#chunks.push(chunk);
    this.#expectSign();
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    this.resolve({
      statusCode: this.#statusCode,
      reasonPhrase: this.#reasonPhrase,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
    });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(toOutboundError(error));
  }

  fail(error: OutboundError): void {
    if (!this.#settle()) return;
    this.#controller?.abort(error);
    this.reject(error);
  }

  /** The peer has `readTimeoutMs` for its next sign of life. */
  #expectSign(): void {
    this.#timer.cancel();
    const { readTimeoutMs } = this.request;
    this.#timer = this.clock.after(readTimeoutMs, () =>
      this.fail(new OutboundError('timeout', `Read timed out after ${readTimeoutMs} ms`)),
    );
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#timer.cancel();
    this.#endTimer.cancel();
    this.request.signal.removeEventListener('abort', this.#cancel);
    return true;
  }
}

/** The same answer, whose body fails beyond so many bytes. */
function bounded(response: Response, bytesMax: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        controller.error(
          new OutboundError('too-large', `The answer is longer than ${bytesMax} bytes`),
        );
      } else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

async function createAgent(
  settings: OutboundSettings,
  resolve: ResolveName | undefined,
): Promise<Agent> {
  const undici = await import('undici');
  return new undici.Agent({
    connect: createConnector(undici.buildConnector, new AccessRules(settings, resolve)),
    connections: settings.connectionsPerOriginMax,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: settings.responseHeaderBytesMax,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function createConnector(
  build: typeof buildConnector,
  rules: AccessRules,
): buildConnector.connector {
  const checked = build({
    timeout: connectTimeMsMax,
    lookup: rules.lookup,
  } as buildConnector.BuildOptions);
  const free = build({ timeout: connectTimeMsMax });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const port = options.port || (options.protocol === 'https:' ? '443' : '80');
    if (rules.isAllowedHost(host, port)) {
      free(options, callback);
      return;
    }
    try {
      rules.checkLiteral(host);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    checked(options, callback);
  };
}

/** The request that a redirect asks for; undefined when the answer is none. */
function redirected(
  request: OutboundRequest,
  response: OutboundResponse,
): OutboundRequest | undefined {
  if (!redirectCodes.has(response.statusCode)) return undefined;
  const name = Object.keys(response.headers).find((each) => each.toLowerCase() === 'location');
  const location = name === undefined ? undefined : response.headers[name]?.[0];
  if (location === undefined || !URL.canParse(location, request.url.href)) return undefined;
  const url = new URL(location, request.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const { statusCode } = response;
  const becomesGet =
    (statusCode === 303 && request.method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && request.method === 'POST');
  const ownPrivate = (request.privateHeaders ?? []).map((name) => name.toLowerCase());
  const headers = new Map(
    [...request.headers].filter(([header]) => {
      const lower = header.toLowerCase();
      if (becomesGet && lower === 'content-type') return false;
      if (url.origin === request.url.origin) return true;
      return !privateHeaders.has(lower) && !ownPrivate.includes(lower);
    }),
  );
  return becomesGet
    ? { ...request, url, headers, method: 'GET', body: undefined }
    : { ...request, url, headers };
}

function headerLists(raw: Dispatcher.DispatchController['rawHeaders']): {
  [name: string]: string[];
} {
  const lists: { [name: string]: string[] } = {};
  if (!Array.isArray(raw)) return lists;
  const texts = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  const names = new Map<string, string>();
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const sent = texts[i] as string;
    if (sent === '__proto__') continue;
    const lower = sent.toLowerCase();
    const name = names.get(lower) ?? sent;
    names.set(lower, name);
    (lists[name] ??= []).push(texts[i + 1] as string);
  }
  return lists;
}
