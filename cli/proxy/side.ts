// One of the two servers behind the proxy, as raw requests and answers.
import { setTimeout as sleep } from 'node:timers/promises';

export type SideName = 'old' | 'new';

export interface SideRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export interface SideAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** The server did not answer: nothing is known of what it has. */
export class SideAway extends Error {
  constructor(
    readonly side: SideName,
    reason: string,
  ) {
    super(`The ${side} server cannot be reached (${reason}).`);
  }
}

/** As long as the longest poll, and some. */
const answerTimeoutMs = 75_000;
/** A connection that was closed while idle is opened again. */
const secondTryAfterMs = 50;

export class Side {
  constructor(
    readonly name: SideName,
    /** Without a slash at the end and without `/api`. */
    readonly root: string,
    /** The token that goes to this server instead of the caller's; absent: the caller's. */
    private readonly token?: (isRefused: boolean) => Promise<string | undefined>,
  ) {}

  /** Whether calls go there with a key of the proxy. */
  get hasOwnKey(): boolean {
    return this.token !== undefined;
  }

  /** Throws SideAway when there is no answer. */
  async send(request: SideRequest): Promise<SideAnswer> {
    const answer = await this.#once(request, false);
    if (answer.status !== 401 || this.token === undefined) return answer;
    return await this.#once(request, true);
  }

  async #once(
    { method, path, headers, body }: SideRequest,
    isRefused: boolean,
  ): Promise<SideAnswer> {
    const sent: Record<string, string> = { ...headers };
    if (this.token !== undefined) {
      const token = await this.token(isRefused);
      if (token === undefined) delete sent['x-authorization'];
      else sent['x-authorization'] = token;
    }
    const call = (): Promise<Response> =>
      fetch(`${this.root}${path}`, {
        method,
        headers: sent,
        redirect: 'manual',
        signal: AbortSignal.timeout(answerTimeoutMs),
        ...(body === undefined || body.length === 0 ? {} : { body: new Uint8Array(body) }),
      });
    try {
      // A GET changes nothing but polls, whose answer would be lost: those are asked once.
      const isSafe = method === 'GET' && !path.includes('/poll/');
      const answer = isSafe
        ? await call().catch(async () => {
            await sleep(secondTryAfterMs);
            return await call();
          })
        : await call();
      const content = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, headers: answer.headers, body: content };
    } catch (error) {
      const { cause, message } = error as Error;
      throw new SideAway(this.name, (cause as { code?: string } | undefined)?.code ?? message);
    }
  }
}

/** undefined where the answer is no success or no JSON. */
export function jsonOf({ status, body }: SideAnswer): unknown {
  if (status < 200 || status > 299 || body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}
