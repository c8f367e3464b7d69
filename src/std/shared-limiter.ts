// Runs at most so many tasks at a time, the rest wait. Callers share the places: each may have as
// many as it leaves free (shared-quota.ts), and those that wait take turns. So a caller whose tasks
// take for ever holds up itself, and there is always a place for the next one.
import { FairQueue } from './fair-queue.js';
import { SharedQuota } from './shared-quota.js';

interface Waiting {
  readonly caller: string;
  readonly go: () => void;
}

export class SharedLimiter {
  readonly #places: SharedQuota;
  readonly #waiting = new FairQueue<Waiting>();

  constructor(max: number) {
    this.#places = new SharedQuota(max);
  }

  async run<T>(caller: string, task: () => Promise<T>): Promise<T> {
    await this.#place(caller);
    try {
      return await task();
    } finally {
      this.#places.release(caller, 1);
      this.#next();
    }
  }

  /** undefined: there is one at once. */
  #place(caller: string): Promise<void> | undefined {
    if (this.#places.allows(caller, 1)) {
      this.#places.take(caller, 1);
      return undefined;
    }
    return new Promise((go) => this.#waiting.push([caller], { caller, go }));
  }

  #next(): void {
    for (;;) {
      const next = this.#waiting.take(([caller = '']) => !this.#places.allows(caller, 1));
      if (next === undefined) return;
      this.#places.take(next.caller, 1);
      this.#waiting.charge([next.caller], 1);
      next.go();
    }
  }
}
