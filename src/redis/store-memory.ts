// Watches how full the store's memory is (invariants section 5, "memory full"): starts are refused
// from a share of its limit on, so that what runs can still end.
import type { RedisClient } from './client.js';

const lookEveryMs = 1000;

export class StoreMemory {
  #timer: NodeJS.Timeout | undefined;
  #usedBytes = 0;
  #limitBytes = 0;

  constructor(
    private readonly redis: RedisClient,
    private readonly percentMax: number,
  ) {}

  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), lookEveryMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** As of a second ago at most; a limit of 0 is none. */
  get usage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return { usedBytes: this.#usedBytes, limitBytes: this.#limitBytes };
  }

  /** Why starts are refused, undefined when they are not. */
  refusal(): string | undefined {
    if (this.#limitBytes === 0 || this.#usedBytes * 100 < this.#limitBytes * this.percentMax) {
      return undefined;
    }
    return `The store uses ${this.#usedBytes} of ${this.#limitBytes} bytes: no new executions above ${this.percentMax} %`;
  }

  async #look(): Promise<void> {
    const info = String(await this.redis.reads.call('INFO', 'memory'));
    this.#usedBytes = Number(/^used_memory:(\d+)/m.exec(info)?.[1] ?? 0);
    this.#limitBytes = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0);
  }
}
