// The circuit breakers of remote services (contract-admin 15.2, 15.4). Each node has its own for
// the calls that it makes. Opening and closing by hand is written as a record, which every node
// follows within a second.
import { text, time } from '../../model/field.js';
import { record } from '../../model/record.js';
import { AppError } from '../../model/errors.js';
import { jsonCodec, type RecordTable } from '../../operation/records/record-table.js';
import type { Clock } from '../../std/clock.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { breakerOf, type RemoteService } from './remote-service.js';

/** The state that a person has set by hand. */
interface BreakerOrder {
  readonly service: string;
  readonly state: 'OPEN' | 'CLOSED';
  /** Epoch ms. */
  readonly at: number;
}

export const breakerCodec = jsonCodec<BreakerOrder>('service-breaker', ({ service }) => service);

/** Contract-admin 15.4. */
export const breakerStatus = record('CircuitBreakerTransitionResponse', {
  service: text({ required: true }),
  previousState: text({ required: true }),
  currentState: text({ required: true }),
  transitionTimestamp: time({ required: true }),
  message: text({ required: true }),
});
export type BreakerStatus = ReturnType<typeof breakerStatus.parse>;

export interface CircuitBreakersParts {
  readonly orders: RecordTable<BreakerOrder>;
  readonly find: (service: string) => RemoteService | undefined;
  readonly clock: Clock;
}

export class CircuitBreakers {
  readonly #breakers = new Map<string, CircuitBreaker>();

  constructor(private readonly parts: CircuitBreakersParts) {
    parts.orders.onChange((service, order) => {
      if (order !== undefined && this.#isInForce(order)) this.#make(service).set(order.state);
    });
  }

  /** The breaker that calls of the service go through; undefined: it has none. */
  of(service: RemoteService): CircuitBreaker | undefined {
    return service.circuitBreakerEnabled === true ? this.#make(service.name) : undefined;
  }

  /** NOT_FOUND while no call of this node has gone through it. */
  status(service: string): BreakerStatus {
    const breaker = this.#breakers.get(service);
    if (breaker !== undefined && this.parts.find(service) !== undefined) {
      return shown(service, breaker, 'As this node sees it');
    }
    return {
      ...{ service, previousState: 'NOT_FOUND', currentState: 'NOT_FOUND' },
      ...{ transitionTimestamp: 0, message: 'No call has gone through the circuit breaker' },
    };
  }

  /** Throws AppError 'not-found' for an unknown service and a breaker that is not in use. */
  async set(service: string, state: 'OPEN' | 'CLOSED'): Promise<BreakerStatus> {
    const breaker = this.#breakers.get(service);
    const isUsed = breaker !== undefined || this.parts.orders.get(service) !== undefined;
    if (this.parts.find(service) === undefined || !isUsed) {
      throw new AppError('not-found', `Service '${service}' has no circuit breaker in use`);
    }
    await this.parts.orders.put({ service, state, at: this.parts.clock.now() });
    return shown(service, this.#make(service), 'Set by hand');
  }

  /** One that was given before this node started has had its time. */
  #isInForce({ service, at }: BreakerOrder): boolean {
    return this.parts.clock.now() - at < this.#configOf(service).waitDurationInOpenState;
  }

  #make(service: string): CircuitBreaker {
    const known = this.#breakers.get(service);
    if (known !== undefined) return known;
    const made = new CircuitBreaker(() => this.#configOf(service), this.parts.clock);
    this.#breakers.set(service, made);
    return made;
  }

  #configOf(service: string): ReturnType<typeof breakerOf> {
    return this.parts.find(service)?.circuitBreakerConfig ?? breakerOf({}, '');
  }
}

function shown(service: string, breaker: CircuitBreaker, message: string): BreakerStatus {
  const { previousState, currentState, transitionAt } = breaker.view();
  return { service, previousState, currentState, transitionTimestamp: transitionAt, message };
}
