// Numbers of the leases that this node gives (invariants M7). They follow store time, as those do
// that the queue's scripts draw, so numbers of one attempt rise whoever drew them.
import type { Clock } from '../std/clock.js';

const perMs = 1000;

export class LeaseNumbers {
  #last = 0;

  constructor(private readonly clock: Clock) {}

  next(): number {
    this.#last = Math.max(this.clock.now() * perMs, this.#last + 1);
    return this.#last;
  }
}
