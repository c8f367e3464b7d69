// The port by which parts of a node tell spans: the tracer, and time with fractions of a
// millisecond.
import type { Clock } from '../std/clock.js';
import type { Tracer } from './tracer.js';

/** Store time and the steady clock may differ by this before they are aligned again, ms. */
const driftMsMax = 5;

export class Tracing {
  #offset: number;

  constructor(
    readonly tracer: Tracer,
    private readonly clock: Clock,
  ) {
    this.#offset = clock.now() - clock.monotonic();
  }

  /** Store time, epoch ms with fractions: short spans keep their order and length. */
  now(): number {
    const wall = this.clock.now();
    const steady = this.clock.monotonic();
    if (Math.abs(steady + this.#offset - wall) > driftMsMax) this.#offset = wall - steady;
    return steady + this.#offset;
  }

  /** The moment of a reading of the steady clock, which was taken not long ago. */
  at(monotonic: number): number {
    return this.now() - (this.clock.monotonic() - monotonic);
  }
}
