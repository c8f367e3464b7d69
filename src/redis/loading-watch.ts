// Knows whether Redis loads its data. The client library waits in silence meanwhile: to it a
// connection is not ready, as with a Redis that hangs. INFO is what Redis answers then too.
import type { Redis } from 'ioredis';
import { sleep, systemClock } from '../std/clock.js';

const askEveryMs = 100;

export class LoadingWatch {
  #isLoading = false;

  constructor(private readonly client: Redis) {
    client.on('connect', () => void this.#follow());
    client.on('close', () => (this.#isLoading = false));
  }

  get isLoading(): boolean {
    return this.#isLoading;
  }

  /** Asks until the library finds the connection ready, or it has ended. */
  async #follow(): Promise<void> {
    while (this.client.status === 'connect') {
      try {
        const info = await this.client.info('persistence');
        this.#isLoading = /^loading:1/m.test(info);
      } catch {
        // The connection has ended.
        return;
      }
      await sleep(systemClock, askEveryMs);
    }
    this.#isLoading = false;
  }
}
