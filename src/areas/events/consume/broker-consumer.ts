// Takes the messages of one queue of a broker and gives them to its handlers: connects, and again
// after each loss with a growing pause; a message is acknowledged when everything that it caused is
// committed and recorded. A message that may work later is tried again in place, with a growing
// pause, and becomes a dead letter after a number of attempts; while the store is away nothing is
// given up.
import type { BrokerMessage, BrokerReader, BrokerWays } from '../../../broker/broker-kind.js';
import type { EventSourceState, EventSourceStatus } from '../dead-letter.js';
import type { EventHandler } from '../event-handler.js';
import { AppError } from '../../../model/errors.js';
import type { BrokerTargets } from '../brokers/broker-targets.js';
import { toBrokerError } from '../brokers/broker-sinks.js';
import { deliverMessage, giveUp, type DeliveryParts } from '../handle/deliver-message.js';
import { StoreError } from '../../../store/execution-store.js';
import type { EventMessage } from '../store/event-queue-store.js';
import { readContext, type TraceContext } from '../../../telemetry/trace-context.js';

export interface BrokerConsumerParts extends DeliveryParts {
  readonly targets: BrokerTargets;
  readonly ways: BrokerWays;
  /** Attempts to deal with a message before it becomes a dead letter. */
  readonly attemptsMax: number;
  /** Messages taken and not dealt with, where the connection does not say otherwise. */
  readonly prefetchMax: number;
  /** Name of this node. */
  readonly node: string;
  /** Told of each change; does not reject. */
  readonly changed: (state: EventSourceState) => void;
  /** Called with errors that nothing else reports. */
  readonly failed: (error: unknown) => void;
}

/** The source that one connection serves. */
export interface EventSource {
  /** `handler:name`, or `event:name` where the handlers of an event share its messages. */
  readonly id: string;
  readonly event: string;
  /** The handlers as they are now; none: nothing is taken any more. */
  readonly handlers: () => readonly EventHandler[];
  /** Why none of them may receive the messages; undefined: one may. */
  readonly refusal: () => string | undefined;
}

const pauseMsMin = 500;
const pauseMsMax = 30_000;

export class BrokerConsumer {
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #status: EventSourceStatus | undefined;

  /** Begins at once. */
  constructor(
    private readonly parts: BrokerConsumerParts,
    private readonly source: EventSource,
  ) {
    this.#ended = this.#run();
  }

  /** Resolves once what was taken is dealt with or left to the broker. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let losses = 0;
    this.#become('CONNECTING');
    while (!signal.aborted) {
      try {
        await this.#consume(() => (losses = 0));
      } catch (error) {
        if (!signal.aborted) this.#become('UNREACHABLE', error);
      }
      losses += 1;
      await this.#pause(losses);
    }
  }

  async #consume(connected: () => void): Promise<void> {
    const { targets, ways, prefetchMax } = this.parts;
    // Messages that no handler here may receive stay for the other readers.
    const refusal = this.source.refusal();
    if (refusal !== undefined) throw new AppError('forbidden', refusal);
    const found = await targets.find(this.source.event);
    const reader: BrokerReader = {
      name: this.source.id.slice(this.source.id.indexOf(':') + 1),
      prefetch: Math.min(found.target.settings.count('prefetch', prefetchMax), prefetchMax),
      signal: this.#stopping.signal,
      connected: () => {
        connected();
        this.#become('CONNECTED');
      },
      handle: (message) => this.#handle(message),
    };
    try {
      await found.kind.consume(found.target, reader, ways);
    } catch (error) {
      throw toBrokerError(found, error);
    }
  }

  async #handle(taken: BrokerMessage): Promise<void> {
    const { parts, source } = this;
    const { signal } = this.#stopping;
    const { id, payload, publishedAt = parts.clock.now() } = taken;
    const message: EventMessage = {
      ...{ id, attemptKey: id, payload, publishedAt },
      trace: traceOf(taken),
    };
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const handlers = source.handlers();
      if (handlers.length === 0) throw new Error(`${source.event} has no active handler any more`);
      try {
        await deliverMessage(parts, handlers, source.event, message);
        return;
      } catch (error) {
        if (attempt >= parts.attemptsMax && !(error instanceof StoreError)) {
          await this.#giveUp(handlers, message, error);
          return;
        }
      }
      await this.#pause(attempt);
    }
  }

  async #giveUp(
    handlers: readonly EventHandler[],
    message: EventMessage,
    error: unknown,
  ): Promise<void> {
    const why = error instanceof Error ? error.message : String(error);
    const reason = `given up after ${this.parts.attemptsMax} attempts: ${why}`;
    for (const handler of handlers) await giveUp(this.parts, handler, message, reason);
  }

  /** Ends early when the consumer is to stop. `count`: how often it went wrong, from 1. */
  async #pause(count: number): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const pauseMs = Math.min(pauseMsMin * 2 ** Math.min(count - 1, 10), pauseMsMax);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.parts.clock.after(pauseMs, end);
      signal.addEventListener('abort', end);
    });
  }

  #become(status: EventSourceStatus, error?: unknown): void {
    if (this.#status === status && error === undefined) return;
    this.#status = status;
    const { source, parts } = this;
    const reason = error instanceof Error ? error.message : undefined;
    parts.changed({
      id: source.id,
      event: source.event,
      handlers: source.handlers().map(({ name }) => name),
      node: parts.node,
      status,
      since: parts.clock.now(),
      ...(reason === undefined ? {} : { reason }),
    });
  }
}

/** The trace that the publisher named, where the broker carries such texts. */
function traceOf({ header }: BrokerMessage): TraceContext | undefined {
  return header === undefined
    ? undefined
    : readContext(header('traceparent'), header('tracestate'));
}
