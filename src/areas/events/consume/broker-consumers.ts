// Keeps one consumer for each active handler whose event is a queue of a broker (semantics 6.1), on
// one node of the deployment, the leader. Where a broker gives each message to one reader only, the
// handlers of an event share a consumer. Handlers, connections and leadership are looked at once a
// second, in memory; a consumer whose connection has changed begins anew.
//
// Two nodes may believe for a moment that they lead: both take messages then, and the records of
// handlers make the second time harmless.
import type { EventSourceState } from '../dead-letter.js';
import type { EventHandler } from '../event-handler.js';
import type { EventHandlers } from '../event-handlers.js';
import { PeriodicLoop } from '../../../std/periodic-loop.js';
import type { Service } from '../../../std/service.js';
import { refusalToListen } from '../handle/handle-message.js';
import type { EventSourceStore } from '../store/dead-letter-store.js';
import { BrokerConsumer, type BrokerConsumerParts, type EventSource } from './broker-consumer.js';

export interface BrokerConsumersParts extends Omit<BrokerConsumerParts, 'changed'> {
  readonly handlers: EventHandlers;
  readonly states: EventSourceStore;
  /** Whether this node leads the deployment. */
  readonly leadership: { readonly leads: boolean };
}

const lookEveryMs = 1000;

interface Running {
  readonly consumer: BrokerConsumer;
  readonly version: string;
  /** Set while it stops; nothing takes its place before it has. */
  ended: Promise<void> | undefined;
}

export class BrokerConsumers implements Service {
  readonly #running = new Map<string, Running>();
  readonly #unreachable = new Set<string>();
  readonly #loop: PeriodicLoop;
  #led = false;
  /** Writes of states, in order. */
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: BrokerConsumersParts) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      name: 'BrokerConsumers',
      ...{ clock, failed },
      everyMs: lookEveryMs,
      runsOn: 'leader',
      runOnce: () => this.lookOnce(),
    });
  }

  /** Connections that this node wants and has not. */
  get unreachable(): number {
    return this.#unreachable.size;
  }

  async start(): Promise<void> {
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#running].map(([id, running]) => this.#end(id, running)));
    await this.#writing;
  }

  /** Starts and stops consumers until they are those that are wanted. */
  lookOnce(): Promise<void> {
    const { leads } = this.parts.leadership;
    if (leads && !this.#led) this.#write((states) => states.clearStates());
    this.#led = leads;
    const wanted = leads ? this.#wanted() : new Map<string, Wanted>();
    for (const [id, running] of this.#running) {
      // One that takes long to stop holds up nothing else.
      if (wanted.get(id)?.version !== running.version) void this.#end(id, running);
    }
    for (const [id, { source, version }] of wanted) {
      if (this.#running.has(id)) continue;
      const parts = { ...this.parts, changed: (state: EventSourceState) => this.#changed(state) };
      const consumer = new BrokerConsumer(parts, source);
      this.#running.set(id, { consumer, version, ended: undefined });
    }
    return Promise.resolve();
  }

  #wanted(): Map<string, Wanted> {
    const { handlers, targets } = this.parts;
    const wanted = new Map<string, Wanted>();
    for (const [event, active] of handlers.activeByEvent) {
      const found = targets.kindOf(event);
      if (found === undefined) continue;
      const connection = `${event} ${targets.versionOf(event) ?? ''}`;
      const want = (id: string, own: EventSource['handlers']): void => {
        const refusal = (): string | undefined => this.#refusal(event, own());
        // A change of rights ends the connection, or begins it, as another connection would.
        const version = `${connection} ${refusal() ?? ''}`;
        wanted.set(id, { source: { id, event, handlers: own, refusal }, version });
      };
      if (!found.kind.fansOut(found.eventKind)) {
        want(`event:${event}`, () => handlers.activeOf(event));
        continue;
      }
      for (const { name } of active) {
        want(`handler:${name}`, () =>
          handlers.activeOf(event).filter((handler) => handler.name === name),
        );
      }
    }
    return wanted;
  }

  /** Why none of the handlers may receive messages of the event; undefined: one may. */
  #refusal(event: string, handlers: readonly EventHandler[]): string | undefined {
    const refusals = handlers.map((handler) => refusalToListen(this.parts, handler, event));
    return refusals.includes(undefined) ? undefined : refusals[0];
  }

  /** Does not reject. */
  #end(id: string, running: Running): Promise<void> {
    running.ended ??= running.consumer
      .stop()
      .catch(this.parts.failed)
      .finally(() => {
        this.#running.delete(id);
        this.#unreachable.delete(id);
        this.#write((states) => states.dropState(id));
      });
    return running.ended;
  }

  #changed(state: EventSourceState): void {
    if (state.status === 'CONNECTED') this.#unreachable.delete(state.id);
    else this.#unreachable.add(state.id);
    this.#write((states) => states.keepState(state));
  }

  /** A state that cannot be written is missing from what people see, nothing else. */
  #write(write: (states: EventSourceStore) => Promise<void>): void {
    this.#writing = this.#writing.then(() => write(this.parts.states)).catch(this.parts.failed);
  }
}

interface Wanted {
  readonly source: EventSource;
  readonly version: string;
}
