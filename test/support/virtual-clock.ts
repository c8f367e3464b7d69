// A clock that moves only when a test says so.
import type { Clock, TimerHandle } from '../../src/std/clock.js';

interface Pending {
  at: number;
  order: number;
  fire: () => void;
}

export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #pending: Pending[] = [];

  constructor(startAt = 1_700_000_000_000) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, fire: () => void): TimerHandle {
    const pending = { at: this.#now + Math.max(0, delayMs), order: (this.#order += 1), fire };
    this.#pending.push(pending);
    return {
      cancel: () => {
        this.#pending = this.#pending.filter((other) => other !== pending);
      },
    };
  }

  /** Moves on by `ms`, firing what becomes due in order of time. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#pending
        .filter((pending) => pending.at <= until)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.#pending = this.#pending.filter((other) => other !== next);
      this.#now = next.at;
      next.fire();
    }
    this.#now = until;
  }

  get timers(): number {
    return this.#pending.length;
  }
}
