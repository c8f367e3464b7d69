// The circuit breaker of one remote service (contract-admin 15.2), as one node sees it.
//
//   CLOSED     calls pass; their outcomes fill a sliding window. Too many bad ones: OPEN.
//   OPEN       calls are refused. After the wait: HALF_OPEN, by itself or with the next call.
//   HALF_OPEN  so many calls pass as are permitted. Their outcomes decide: OPEN or CLOSED.
//
// `maxWaitDurationInHalfOpenState` bounds how long HALF_OPEN waits for all permitted calls: from
// then on the outcomes that are there decide, the first one at the latest. A breaker with the
// defaults (1 ms) so closes again with the first good call.
import type { CircuitBreakerConfig } from './remote-service.js';
import type { Clock } from '../../std/clock.js';

export type BreakerState = 'CLOSED' | 'OPEN' | 'HALF_OPEN';

export interface BreakerView {
  readonly previousState: BreakerState;
  readonly currentState: BreakerState;
  /** Epoch ms; 0: there was no transition yet. */
  readonly transitionAt: number;
}

interface Outcome {
  readonly failed: boolean;
  readonly slow: boolean;
}

export class CircuitBreaker {
  #state: BreakerState = 'CLOSED';
  #previous: BreakerState = 'CLOSED';
  #transitionAt = 0;
  /** Monotonic ms. */
  #since = 0;
  #outcomes: Outcome[] = [];
  /** Calls that HALF_OPEN has let pass. */
  #permitted = 0;
  /** Rises with each transition: outcomes of calls from before do not count. */
  #turn = 0;

  /** `config` is asked anew each time, since a service may be changed. */
  constructor(
    private readonly config: () => CircuitBreakerConfig,
    private readonly clock: Clock,
  ) {}

  view(): BreakerView {
    if (this.config().automaticTransitionFromOpenToHalfOpenEnabled) this.#endWait();
    return {
      previousState: this.#previous,
      currentState: this.#state,
      transitionAt: this.#transitionAt,
    };
  }

  /** Lets one call pass, whose outcome is told to the function; undefined: it is refused. */
  enter(): ((failed: boolean) => void) | undefined {
    this.#endWait();
    if (this.#state === 'OPEN') return undefined;
    if (this.#state === 'HALF_OPEN') {
      const { permittedNumberOfCallsInHalfOpenState: permitted } = this.config();
      if (this.#permitted >= permitted) return undefined;
      this.#permitted++;
    }
    const turn = this.#turn;
    const startedAt = this.clock.monotonic();
    return (failed) => {
      if (turn === this.#turn) this.#record(failed, this.clock.monotonic() - startedAt);
    };
  }

  /** By hand. */
  set(state: 'OPEN' | 'CLOSED'): void {
    if (this.#state !== state) this.#become(state);
    else this.#since = this.clock.monotonic();
  }

  #endWait(): void {
    const waited = this.clock.monotonic() - this.#since;
    if (this.#state === 'OPEN' && waited >= this.config().waitDurationInOpenState) {
      this.#become('HALF_OPEN');
    }
  }

  #record(failed: boolean, tookMs: number): void {
    const config = this.config();
    this.#outcomes.push({ failed, slow: tookMs > config.slowCallDurationThreshold });
    if (this.#state === 'HALF_OPEN') this.#decideHalfOpen(config);
    else {
      const { slidingWindowSize, minimumNumberOfCalls } = config;
      if (this.#outcomes.length > slidingWindowSize) {
        this.#outcomes = this.#outcomes.slice(-slidingWindowSize);
      }
      const needed = Math.min(minimumNumberOfCalls, slidingWindowSize);
      if (this.#outcomes.length >= needed && this.#isBad(config)) this.#become('OPEN');
    }
  }

  #decideHalfOpen(config: CircuitBreakerConfig): void {
    const { permittedNumberOfCallsInHalfOpenState, maxWaitDurationInHalfOpenState } = config;
    const waited = this.clock.monotonic() - this.#since;
    const isOver = maxWaitDurationInHalfOpenState > 0 && waited >= maxWaitDurationInHalfOpenState;
    if (!isOver && this.#outcomes.length < permittedNumberOfCallsInHalfOpenState) return;
    this.#become(this.#isBad(config) ? 'OPEN' : 'CLOSED');
  }

  /** A threshold of 0 is off. */
  #isBad({ failureRateThreshold, slowCallRateThreshold }: CircuitBreakerConfig): boolean {
    const rate = (is: (outcome: Outcome) => boolean): number =>
      (this.#outcomes.filter(is).length / this.#outcomes.length) * 100;
    return (
      (failureRateThreshold > 0 && rate(({ failed }) => failed) >= failureRateThreshold) ||
      (slowCallRateThreshold > 0 && rate(({ slow }) => slow) >= slowCallRateThreshold)
    );
  }

  #become(state: BreakerState): void {
    this.#previous = this.#state;
    this.#state = state;
    this.#transitionAt = this.clock.now();
    this.#since = this.clock.monotonic();
    this.#outcomes = [];
    this.#permitted = 0;
    this.#turn++;
  }
}
