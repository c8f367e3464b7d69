// Publishes events: on the queues of the server itself, and at brokers. A connection to a broker is
// opened for the first event, serves all events of the same settings, and is closed when nothing
// was published for a while, when a publication fails, or when its settings change.
import { BrokerError } from '../../../broker/broker-error.js';
import type { BrokerPublication, BrokerSink, BrokerWays } from '../../../broker/broker-kind.js';
import type { BrokerSender, FoundBroker } from '../../../broker/publishing.js';
import { AppError } from '../../../model/errors.js';
import { traceHeaders } from '../../../telemetry/trace-context.js';
import { late, within, type Clock, type TimerHandle } from '../../../std/clock.js';
import type { Service } from '../../../std/service.js';
import type { EventQueueStore } from '../store/event-queue-store.js';
import type { EventSink, OutgoingEvent } from '../../../store/event-sink.js';
import type { BrokerTargets } from './broker-targets.js';

export interface BrokerSinksParts {
  readonly targets: BrokerTargets;
  readonly queues: EventQueueStore;
  readonly ways: BrokerWays;
  readonly clock: Clock;
}

/** For connecting, publishing and the broker's answer. */
const publishTimeoutMsMax = 15_000;
const idleMs = 60_000;
/** Open connections; the one that was opened first goes for a new one. */
const sinksMax = 100;

interface OpenSink {
  readonly sink: Promise<BrokerSink>;
  idle: TimerHandle | undefined;
}

export class BrokerSinks implements EventSink, BrokerSender, Service {
  readonly #open = new Map<string, OpenSink>();

  constructor(private readonly parts: BrokerSinksParts) {}

  start(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.#drop(key)));
  }

  async publish(name: string, event: OutgoingEvent): Promise<void> {
    const { targets, queues, clock } = this.parts;
    const { id, attemptKey, key, payload, trace } = event;
    if (name.startsWith('conductor:')) {
      await queues.publish(name, { id, attemptKey, payload, trace, publishedAt: clock.now() });
      return;
    }
    if (targets.kindOf(name) === undefined) {
      const unknown = `${name.slice(0, 500)} names no queue that this server knows`;
      throw new AppError('bad-request', targets.absence(name) ?? unknown);
    }
    const keyed = key === undefined ? {} : { key };
    const traced = trace === undefined ? {} : { headers: Object.fromEntries(traceHeaders(trace)) };
    await this.send(await targets.find(name), { id: attemptKey, ...keyed, payload, ...traced });
  }

  async withdraw(name: string, attemptKey: string): Promise<void> {
    if (name.startsWith('conductor:')) await this.parts.queues.withdraw(name, attemptKey);
  }

  async send(
    found: FoundBroker,
    message: BrokerPublication,
    timeoutMs = publishTimeoutMsMax,
  ): Promise<void> {
    const { kind, target, version } = found;
    const key = `${kind.name} ${version}`;
    const open = this.#sinkOf(key, found);
    open.idle?.cancel();
    try {
      const publishing = open.sink.then((sink) => sink.publish(target, message));
      await this.#inTime(publishing, Math.min(timeoutMs, publishTimeoutMsMax));
      open.idle = this.parts.clock.after(idleMs, () => void this.#drop(key));
    } catch (error) {
      await this.#drop(key, open);
      throw toBrokerError(found, error);
    }
  }

  #sinkOf(key: string, { kind, target }: FoundBroker): OpenSink {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#open.keys();
    if (this.#open.size >= sinksMax && oldest !== undefined) void this.#drop(oldest);
    const opened = { sink: kind.openSink(target, this.parts.ways), idle: undefined };
    this.#open.set(key, opened);
    return opened;
  }

  /** Closes the connection, unless another one has taken its place. Does not reject. */
  async #drop(key: string, expected?: OpenSink): Promise<void> {
    const open = this.#open.get(key);
    if (open === undefined || (expected !== undefined && expected !== open)) return;
    this.#open.delete(key);
    open.idle?.cancel();
    // A sink that could not be opened or closed is gone as well; its error has reached a publisher.
    await open.sink.then((sink) => sink.close()).catch(() => undefined);
  }

  async #inTime(work: Promise<void>, timeoutMs: number): Promise<void> {
    const outcome = await within(this.parts.clock, work, timeoutMs);
    if (outcome === late) throw new BrokerError(`no answer within ${timeoutMs} ms`);
  }
}

/** The error with the connection's name, and without its password. */
export function toBrokerError({ kind, target }: FoundBroker, error: unknown): BrokerError {
  const { settings } = target;
  let text = error instanceof Error ? messageOf(error) : String(error);
  for (const name of ['password', 'api_key']) {
    const secret = settings.text(name);
    if (secret !== undefined && secret.length > 3) text = text.replaceAll(secret, '***');
  }
  return new BrokerError(`${kind.name} (${settings.source}): ${text}`, { cause: error });
}

/** Some libraries hide what happened in the causes or in a list of errors. */
function messageOf(error: Error): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const own = error.message === '' ? error.name : error.message;
  return inner instanceof Error && inner !== error ? `${own} (${messageOf(inner)})` : own;
}
