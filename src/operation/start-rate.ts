// How many executions callers may start per second at a node (invariants S18). What the server
// starts itself (schedules, events, children) is bounded where it comes from.
import { RequestRates } from '../access/request-rates.js';
import { AppError } from '../model/errors.js';
import type { Clock } from '../std/clock.js';

export class StartRate {
  readonly #rates: RequestRates;

  constructor(
    private readonly perSecondMax: number,
    private readonly clock: Clock,
  ) {
    this.#rates = new RequestRates({ burst: perSecondMax, refillMs: 1000 / perSecondMax });
  }

  /** Throws AppError 'too-many'. */
  admit(): void {
    const waitMs = this.#rates.take('', this.clock.monotonic());
    if (waitMs === undefined) return;
    throw new AppError(
      'too-many',
      `More than ${this.perSecondMax} executions a second are started at this node (startsPerSecondMax)`,
      { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
    );
  }
}
