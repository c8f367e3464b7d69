// Where events are published, whatever takes them: queues of the server itself, and brokers.
import type { TraceContext } from '../telemetry/trace-context.js';

export interface OutgoingEvent {
  /** Names the event to its readers, and to brokers that drop repetitions. */
  readonly id: string;
  /** The same for each try to publish it; the internal queue keeps one message of each. */
  readonly attemptKey: string;
  /** Messages of one key stay in order where the broker keeps an order; absent: any order. */
  readonly key?: string;
  /** JSON text. */
  readonly payload: string;
  /** Of what publishes it: headers of the message, or kept with it in a queue of the server. */
  readonly trace?: TraceContext | undefined;
}

/** At least once: a try whose outcome is not known is repeated by the caller. */
export interface EventSink {
  /**
   * Resolves once the queue has the event for good. `name` is spelled as events are, such as
   * `conductor:orders:paid` or `kafka:integration:topic` (contract-admin 17.1). Rejects with
   * AppError 'bad-request' when the name cannot be used, else with an error whose message says what
   * failed.
   */
  publish(name: string, event: OutgoingEvent): Promise<void>;
  /**
   * Takes back what an attempt published on a queue of the server itself, if it still waits there;
   * a broker keeps what it has.
   */
  withdraw(name: string, attemptKey: string): Promise<void>;
}
