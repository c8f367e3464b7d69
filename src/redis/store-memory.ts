// Watches how full the store's memory is (invariants section 5, "memory full"): starts are refused
// from a share of its limit on, so that what runs can still end. A store that does not answer that
// question takes no start either: the caller hears so at once, instead of when its own command is
// given up after ten seconds.
import { systemClock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { RedisClient } from './client.js';

const lookEveryMs = 1000;
/** A store that has not answered for so long, ms, is taken to stand still (as in placement). */
const silentMs = 2500;

export class StoreMemory {
  readonly #loop = new PeriodicLoop({
    name: 'StoreMemory',
    clock: systemClock,
    everyMs: lookEveryMs,
    runsOn: 'node',
    runOnce: () => this.#look(),
    // `refusal` tells the caller who starts an execution.
    failed: () => undefined,
  });
  #usedBytes = 0;
  #limitBytes = 0;
  /** When the question that is under way was put; `performance.now()`. */
  #askedAt: number | undefined;

  constructor(
    private readonly redis: { readonly reads: Pick<RedisClient['reads'], 'call'> },
    private readonly percentMax: number,
    /** Called with the milliseconds that each answer of the store took. */
    private readonly answered: (ms: number) => void,
  ) {}

  async start(): Promise<void> {
    await this.#look();
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** As of a second ago at most; a limit of 0 is none. */
  get usage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return { usedBytes: this.#usedBytes, limitBytes: this.#limitBytes };
  }

  /** Why starts are refused, undefined when they are not. */
  refusal(): string | undefined {
    const silentForMs = this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt;
    if (silentForMs > silentMs) {
      return `The store has not answered for ${Math.round(silentForMs / 1000)} s: nothing was changed`;
    }
    if (this.#limitBytes === 0 || this.#usedBytes * 100 < this.#limitBytes * this.percentMax) {
      return undefined;
    }
    return `The store uses ${this.#usedBytes} of ${this.#limitBytes} bytes: no new executions above ${this.percentMax} %`;
  }

  async #look(): Promise<void> {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    const info = String(await this.#askMemory());
    this.answered(performance.now() - askedAt);
    this.#usedBytes = Number(/^used_memory:(\d+)/m.exec(info)?.[1] ?? 0);
    this.#limitBytes = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0);
  }

  async #askMemory(): Promise<unknown> {
    try {
      return await this.redis.reads.call('INFO', 'memory');
    } finally {
      this.#askedAt = undefined;
    }
  }
}
