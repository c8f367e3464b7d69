// Numbers of the leases that this node gives (invariants M7). They follow store time, as do those
// of the queue's scripts, so numbers of one attempt rise, drawn here or there.
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
