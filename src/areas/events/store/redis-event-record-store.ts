// Records of event handlers in Redis: an ordered hash per handler, and one of messages per event.
import type { EventExecution, EventMessageRecord } from '../event-record.js';
import type { EventRecordStore, KeptExecution } from './event-record-store.js';
import type { RedisClient } from '../../../redis/client.js';
import { OrderedHashes, type OrderedHashLimits } from '../../../redis/ordered-hashes.js';
import { EventKeys } from '../keys.js';

export class RedisEventRecordStore implements EventRecordStore {
  readonly #keys: EventKeys;
  readonly #executions: OrderedHashes<EventExecution>;
  readonly #messages: OrderedHashes<EventMessageRecord>;

  constructor(
    private readonly redis: RedisClient,
    /** Of one handler, and of one event. */
    private readonly limits: OrderedHashLimits,
  ) {
    this.#keys = new EventKeys(redis.keys.prefix);
    this.#executions = new OrderedHashes(redis, 'record of an event handler');
    this.#messages = new OrderedHashes(redis, 'record of an event handler');
  }

  find(handler: string, keys: readonly string[]): Promise<(EventExecution | undefined)[]> {
    return this.#executions.read(this.#keys.handled(handler), keys);
  }

  async keep(handler: string, kept: readonly KeptExecution[]): Promise<void> {
    const entries = kept.map(({ key, execution }) => ({
      ...{ id: key, at: execution.created },
      record: execution,
    }));
    await this.#executions.write(this.#keys.handled(handler), entries, this.limits, 'place');
  }

  async keepMessage(key: string, message: EventMessageRecord): Promise<void> {
    const place = this.#keys.received(message.eventTarget);
    const entry = { id: key, at: message.createdAt, record: message };
    await this.#messages.write(place, [entry], this.limits, 'record-and-place');
  }

  executions(handler: string, from: number): Promise<EventExecution[]> {
    const { recordsMax } = this.limits;
    return this.#executions.newest(this.#keys.handled(handler), recordsMax, from);
  }

  messages(event: string, from: number): Promise<EventMessageRecord[]> {
    return this.#messages.newest(this.#keys.received(event), this.limits.recordsMax, from);
  }

  async messageCounts(events: readonly string[], from: number): Promise<number[]> {
    const { reads } = this.redis;
    return (await reads.callAll(
      events.map((event) => ['ZCOUNT', this.#keys.received(event).order, from, '+inf'] as const),
    )) as number[];
  }

  forget(handler: string): Promise<void> {
    return this.#executions.forget(this.#keys.handled(handler));
  }
}
