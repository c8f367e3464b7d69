// Runs at most so many tasks at a time, the rest wait. Callers share the places: each may have as
// many as it leaves free (shared-quota.ts), and those that wait take turns. So a caller whose tasks
// take for ever holds up itself, and there is always a place for the next one.
import { FairQueue } from './fair-queue.js';
import { SharedQuota } from './shared-quota.js';

interface Waiting {
  readonly caller: string;
  readonly go: () => void;
  /** Leaves the line instead. */
  readonly leave: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

export class SharedLimiter {
  readonly #places: SharedQuota;
  readonly #waiting = new FairQueue<Waiting>();

  constructor(max: number) {
    this.#places = new SharedQuota(max);
  }

  /**
   * `signal`: nobody wants the result any more. A task that has not begun then leaves the line at
   * its turn, and this rejects with the signal's reason.
   */
  async run<T>(caller: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#place(caller, signal);
    try {
      return await task();
    } finally {
      this.#places.release(caller, 1);
      this.#next();
    }
  }

  /** undefined: there is one at once. */
  #place(caller: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#places.allows(caller, 1)) {
      this.#places.take(caller, 1);
      return undefined;
    }
    return new Promise((go, leave) => this.#waiting.push([caller], { caller, go, leave, signal }));
  }

  #next(): void {
    for (;;) {
      const next = this.#waiting.take(([caller = '']) => !this.#places.allows(caller, 1));
      if (next === undefined) return;
      if (next.signal?.aborted === true) {
        next.leave(next.signal.reason);
        continue;
      }
      this.#places.take(next.caller, 1);
      this.#waiting.charge([next.caller], 1);
      next.go();
    }
  }
}
