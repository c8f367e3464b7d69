// The node's estimate of store time (invariants M11): the node's monotonic clock plus an offset
// that is measured at the store. The estimate never runs backwards; a store that steps back stops
// it until the store has caught up.
import type { Clock, TimerHandle } from '../std/clock.js';

export class StoreClock implements Clock {
  #offsetMs: number;
  #highest = 0;
  /** When time was skipped last, monotonic ms. */
  #skippedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly local: Clock) {
    this.#offsetMs = local.now() - local.monotonic();
  }

  now(): number {
    const estimate = Math.floor(this.local.monotonic() + this.#offsetMs);
    if (estimate > this.#highest) this.#highest = estimate;
    return this.#highest;
  }

  monotonic(): number {
    return this.local.monotonic();
  }

  after(delayMs: number, fire: () => void): TimerHandle {
    return this.local.after(delayMs, fire);
  }

  /** Time is skipped, here and at the store: for test servers. */
  skip(ms: number): void {
    this.#offsetMs += ms;
    this.#skippedAt = this.local.monotonic();
  }

  /**
   * One measurement: the store said `storeAt` (epoch ms) to a question asked and answered at these
   * monotonic moments.
   */
  measured(storeAt: number, askedAt: number, answeredAt: number): void {
    // Nobody knows on which side of the skip the store answered: the next measurement tells.
    if (askedAt <= this.#skippedAt) return;
    const offset = storeAt - (askedAt + answeredAt) / 2;
    const roundTripMs = answeredAt - askedAt;
    // Store time has whole milliseconds; within the round trip and that there is nothing to
    // correct.
    if (Math.abs(offset - this.#offsetMs) > roundTripMs / 2 + 1) this.#offsetMs = offset;
  }
}
