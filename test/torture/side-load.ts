// What a torture run does beside its main load, each with a judge of its own: messages of a broker,
// stories of people and platforms, limits, schedules. What they share: loops that end, and requests
// that are repeated until somebody has confirmed them.
import type { ApiAnswer, ApiClient } from '../../testkit/api-client.js';
import { pause } from '../../testkit/until.js';

export interface SideLoad {
  begin(): void;
  /** Nothing new; resolves with a sentence per violation once all is dealt with or time is over. */
  judge(timeoutMs: number): Promise<string[]>;
  end(): Promise<void>;
  /** What it has done, in a line. */
  describe(): string;
}

export const ownerEmail = 'torture@downbeat.test';
/** Before a request is repeated, ms. */
const repeatDelayMs = 100;

/** Several of them as one. */
export class SideLoads implements SideLoad {
  constructor(private readonly loads: readonly SideLoad[]) {}

  begin(): void {
    for (const load of this.loads) load.begin();
  }

  async judge(timeoutMs: number): Promise<string[]> {
    return (await Promise.all(this.loads.map((load) => load.judge(timeoutMs)))).flat();
  }

  async end(): Promise<void> {
    await Promise.all(this.loads.map((load) => load.end()));
  }

  describe(): string {
    return this.loads.map((load) => load.describe()).join('; ');
  }
}

/** Loops until it is ended. */
export class Loops {
  isRunning = true;
  private readonly running: Promise<void>[] = [];

  /** `turn` is repeated; what it throws ends the loop and is told to who ends it. */
  add(turn: () => Promise<void>): void {
    const loop = async (): Promise<void> => {
      while (this.isRunning) await turn();
    };
    this.running.push(loop());
  }

  async end(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.running);
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Confirmed {
  readonly answer: ApiAnswer;
  /** How often it was sent: what was sent before may have had its effect. */
  readonly attempts: number;
}

/**
 * Sends a request until an answer comes that is not 429 or 503; undefined when `deadline` (epoch
 * ms) has passed.
 */
export async function untilAnswered(
  client: ApiClient,
  deadline: number,
  ...[method, path, body, headers]: [Method, string, unknown?, Record<string, string>?]
): Promise<Confirmed | undefined> {
  for (let attempts = 1; Date.now() < deadline; attempts++) {
    const answer = await client.request(method, path, body, headers).catch(() => undefined);
    if (answer !== undefined && answer.status !== 429 && answer.status !== 503) {
      return { answer, attempts };
    }
    await pause(repeatDelayMs);
  }
  return undefined;
}
