// Publishes the events that executions tell of state changes (semantics 2.14.4), on the queues that
// EVENT tasks use. A plain type is the name of a queue of the workflow.
//
// Nothing is tried for ever: an event whose broker stays away is given up after a time, and one
// whose integration does not exist after the moment that a new one may need to be known everywhere.
// The history of its execution then says so.
import { isBrokerError, NoBrokerError, type BrokerError } from '../broker/broker-error.js';
import type { RequirePublishRight } from '../broker/publishing.js';
import { AppError } from '../model/errors.js';
import { parseStateSink } from '../model/event-sink.js';
import { toJsonText } from '../model/json-text.js';
import type { EventPublisher, PublishedEvent } from '../shard/executions.js';
import type { Clock } from '../std/clock.js';
import type { EventSink } from '../store/event-sink.js';

export interface EventPublisherParts {
  readonly eventSink: EventSink;
  readonly requireRight: RequirePublishRight;
  /** Sinks of the settings: an operator has chosen them, so nobody needs a right. */
  readonly serverSinks: readonly string[];
  readonly clock: Clock;
  /** An event is given up when its broker has not taken it for so long, ms. */
  readonly eventLifeMs: number;
}

/** Changes of integrations are known on every node well before. */
export const missingBrokerMsMax = 5000;
/** Queues without a broker that are remembered. */
const missingMax = 10_000;

export function createEventPublisher(parts: EventPublisherParts): EventPublisher {
  const { eventSink, requireRight, serverSinks } = parts;
  const patience = new Patience(parts);
  return {
    async publish(published) {
      const { sink, source, startedBy, taskId, key, payload, trace } = published;
      const target = parseStateSink(sink, source);
      if ('refused' in target) throw new AppError('bad-request', target.refused);
      if (!serverSinks.includes(sink)) requireRight(startedBy, target.queue);
      const event = { id: taskId, attemptKey: key, payload: toJsonText(payload), trace };
      try {
        await eventSink.publish(target.queue, event);
      } catch (error) {
        if (isBrokerError(error)) patience.check(target.queue, published, error);
        throw error;
      }
      patience.reached(target.queue);
    },
  };
}

/** Events for outgoing webhooks go to `deliveries`, all others to `queues`. */
export function publisherOf(deliveries: EventPublisher, queues: EventPublisher): EventPublisher {
  return {
    publish: (event) => (event.webhookId === undefined ? queues : deliveries).publish(event),
  };
}

/** How long events wait for brokers that cannot be used. */
class Patience {
  /** By queue: when it was first found to have no broker, monotonic ms. */
  readonly #missingSince = new Map<string, number>();

  constructor(private readonly parts: Pick<EventPublisherParts, 'clock' | 'eventLifeMs'>) {}

  /** Throws AppError 'bad-request' when the event is to be given up. */
  check(queue: string, { at }: PublishedEvent, error: BrokerError): void {
    const { clock, eventLifeMs } = this.parts;
    if (error instanceof NoBrokerError) {
      const since = this.#since(queue);
      if (clock.monotonic() - since >= missingBrokerMsMax) throw givenUp(error, error.message);
    }
    if (at !== undefined && clock.now() - at >= eventLifeMs) {
      const tried = `tried for ${Math.round(eventLifeMs / 1000)} s`;
      throw givenUp(error, `${error.message} (${tried})`);
    }
  }

  reached(queue: string): void {
    this.#missingSince.delete(queue);
  }

  #since(queue: string): number {
    const known = this.#missingSince.get(queue);
    if (known !== undefined) return known;
    if (this.#missingSince.size >= missingMax) this.#missingSince.clear();
    const now = this.parts.clock.monotonic();
    this.#missingSince.set(queue, now);
    return now;
  }
}

function givenUp(cause: BrokerError, message: string): AppError {
  return new AppError('bad-request', message, { cause });
}
