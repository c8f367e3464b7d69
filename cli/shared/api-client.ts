// Calls a server of the Conductor REST API, this one or another. A key is exchanged for a token at
// the first call and once more when the server says that it has ended. An error becomes a Failure:
// a sentence, and an exit code that says whether another try can help.
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes, Failure } from './failure.js';
import { isObject } from './json.js';

export interface ServerAddress {
  /** Without a slash at the end and without `/api`. */
  readonly root: string;
  readonly keyId?: string | undefined;
  readonly keySecret?: string | undefined;
  /** A token that was made elsewhere; instead of a key. */
  readonly token?: string | undefined;
  /** How the caller names it, for what is said when it fails; absent: as every command does. */
  readonly options?: AddressNames;
}

/** Options and variables that name a server and its key. */
export interface AddressNames {
  readonly address: string;
  readonly key: string;
}

const commonNames: AddressNames = {
  address: '--server or CONDUCTOR_SERVER_URL',
  key: 'CONDUCTOR_AUTH_KEY and CONDUCTOR_AUTH_SECRET, or the profile',
};

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** The body is sent as it is. */
  readonly rawBody?: string;
  readonly signal?: AbortSignal | undefined;
}

const answerTimeoutMs = 60_000;
/** How long a call that changes nothing twice is tried while the server cannot be reached, ms. */
const patienceMs = 30_000;
const triesEveryMs = 500;

/** Something else than a server of this API answers. */
class Stranger extends Failure {}

/** An answer that is an error; `status` tells which. */
export class Refused extends Failure {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message, codeOf(status));
  }
}

export class ApiClient {
  #token: string | undefined;
  #hasAsked = false;
  /** It has answered as a server of this API does. */
  #isKnown = false;

  constructor(readonly address: ServerAddress) {
    this.#token = address.token;
    this.#hasAsked = address.token !== undefined;
  }

  get #names(): AddressNames {
    return this.address.options ?? commonNames;
  }

  get(path: string, options?: CallOptions): Promise<unknown> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<unknown> {
    return this.call('POST', path, { ...options, body });
  }

  put(path: string, body?: unknown, options?: CallOptions): Promise<unknown> {
    return this.call('PUT', path, { ...options, body });
  }

  delete(path: string, options?: CallOptions): Promise<unknown> {
    return this.call('DELETE', path, options);
  }

  /** undefined where the server has no such route or thing. */
  async find(path: string, options?: CallOptions): Promise<unknown> {
    try {
      return await this.get(path, options);
    } catch (error) {
      if (error instanceof Refused && [404, 405].includes(error.status)) return undefined;
      // Some servers show their page where they have no such route.
      if (error instanceof Stranger && this.#isKnown) return undefined;
      throw error;
    }
  }

  /**
   * As `work`, again and again while the server cannot be reached; for what may be done twice.
   * `told` hears once that it is away.
   */
  async patiently<T>(work: () => Promise<T>, told: (sentence: string) => void): Promise<T> {
    const giveUpAt = Date.now() + patienceMs;
    for (let isTold = false; ;) {
      try {
        return await work();
      } catch (error) {
        const isAway = error instanceof Failure && error.code === exitCodes.unreachable;
        if (!isAway || Date.now() > giveUpAt) throw error;
        if (!isTold) told(`${error.message} Trying again for ${patienceMs / 1000} s ...`);
        isTold = true;
        await sleep(triesEveryMs);
      }
    }
  }

  /** JSON where the answer is JSON, else its text; undefined when it is empty. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<unknown> {
    await this.#prepareToken();
    let answer = await this.#send(method, path, options);
    if (answer.status === 401 && this.#token !== undefined && this.address.token === undefined) {
      this.#hasAsked = false;
      await this.#prepareToken();
      answer = await this.#send(method, path, options);
    }
    const text = await this.#textOf(answer, options.signal);
    if (!answer.ok) throw this.#refusal(answer.status, text, `${method} ${path}`);
    if (text === '') return undefined;
    const contentType = answer.headers.get('content-type') ?? '';
    if (contentType.includes('html')) throw this.#stranger('a page (text/html)');
    const read = contentType.includes('json') ? this.#parse(text) : text;
    this.#isKnown = true;
    return read;
  }

  /** An answer that breaks off may have changed something, as one that did not begin. */
  async #textOf(answer: Response, signal?: AbortSignal): Promise<string> {
    try {
      return await answer.text();
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw this.#unreachable(error);
    }
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw this.#stranger('text that is no JSON');
    }
  }

  /** Something else listens there, such as the sign-in page of a proxy. */
  #stranger(what: string): Failure {
    return new Stranger(
      `${this.address.root} answers with ${what}, which no server of this API does: check ${this.#names.address}.`,
      exitCodes.badInput,
    );
  }

  async #send(method: string, path: string, options: CallOptions): Promise<Response> {
    const url = new URL(`${this.address.root}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const body = options.rawBody ?? (options.body === undefined ? null : toText(options.body));
    const timeout = AbortSignal.timeout(answerTimeoutMs);
    const { signal } = options;
    try {
      return await fetch(url, {
        method,
        body,
        headers: {
          accept: 'application/json, text/plain',
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(this.#token === undefined ? {} : { 'x-authorization': this.#token }),
        },
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw this.#unreachable(error);
    }
  }

  async #prepareToken(): Promise<void> {
    const { keyId, keySecret } = this.address;
    if (this.#hasAsked || keyId === undefined || keySecret === undefined) return;
    this.#token = undefined;
    const answer = await this.#send('POST', '/api/token', { body: { keyId, keySecret } });
    const text = await this.#textOf(answer);
    this.#hasAsked = true;
    // A server without authentication may lack the route.
    if (answer.status === 404 || answer.status === 405) return;
    if (!answer.ok) {
      throw new Failure(
        `${this.address.root} refuses the key ${keyId} (${messageIn(text)}): check ${this.#names.key}.`,
        answer.status >= 500 ? exitCodes.unreachable : exitCodes.denied,
      );
    }
    const answered = this.#parse(text);
    const token = isObject(answered) ? answered['token'] : undefined;
    this.#token = typeof token === 'string' ? token : undefined;
  }

  #unreachable(error: unknown): Failure {
    const { root } = this.address;
    const { cause, name, message } = error as Error;
    const networkError = cause as { code?: string; message?: string } | undefined;
    const why =
      name === 'TimeoutError'
        ? `no answer within ${answerTimeoutMs / 1000} s`
        : (networkError?.code ?? networkError?.message ?? message);
    return new Failure(
      `${root} cannot be reached (${why}): start a server there, or name another one with ${this.#names.address}.`,
      exitCodes.unreachable,
    );
  }

  #refusal(status: number, text: string, call: string): Refused {
    const said = messageIn(text);
    if (status === 401) {
      return new Refused(`${this.address.root} asks for a token: set ${this.#names.key}.`, status);
    }
    if (isPage(text)) {
      return new Refused(
        `${this.address.root} answered ${call} with ${status} and a page, as a proxy or another server does: check ${this.#names.address}, and whether the server behind it is up.`,
        status,
      );
    }
    if (isOfNoRoute(status, text)) {
      return new Refused(
        `${this.address.root} has no route ${call}: that part of the API is one that this server lacks.`,
        status,
      );
    }
    return new Refused(said === '' ? `${call} was answered with ${status}.` : said, status);
  }
}

/** No answer of this API is a page. */
function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|\?xml|head)/i.test(text);
}

/** An answer of Spring, which Conductor runs on, about a path and not about a thing. */
function isOfNoRoute(status: number, text: string): boolean {
  if (status !== 404 && status !== 405) return false;
  try {
    const answer: unknown = JSON.parse(text);
    if (!isObject(answer)) return false;
    const { error, path, message } = answer;
    if (typeof message === 'string') return /^(No static resource|Request method) /.test(message);
    return typeof error === 'string' && typeof path === 'string';
  } catch {
    return false;
  }
}

function toText(body: unknown): string {
  return JSON.stringify(body);
}

/** The sentence of an error answer, with the rules that were broken. */
function messageIn(text: string): string {
  try {
    const answer: unknown = JSON.parse(text);
    if (!isObject(answer)) return text;
    const { message, validationErrors } = answer;
    const rules = Array.isArray(validationErrors)
      ? validationErrors.map((each: unknown) => {
          const { path, message: rule } = isObject(each) ? each : {};
          return `\n  ${String(path)}: ${String(rule)}`;
        })
      : [];
    return `${String(message ?? text)}${rules.join('')}`;
  } catch {
    return text.slice(0, 500);
  }
}

function codeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 404) return exitCodes.notFound;
  if (status === 502 || status === 503 || status === 504) return exitCodes.unreachable;
  if (status === 400 || status === 413 || status === 422) return exitCodes.badInput;
  return exitCodes.failed;
}
