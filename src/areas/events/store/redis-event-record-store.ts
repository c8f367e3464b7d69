// Records of event handlers in Redis: per handler and per event a hash of records and a sorted set
// that orders their keys by time, both in one slot, bounded by number and age.
import type { EventExecution, EventMessageRecord } from '../event-record.js';
import { asJson, type Json, type JsonForm } from '../../../model/json.js';
import { parseOwnJson, toJsonText } from '../../../model/json-text.js';
import type { EventRecordStore, KeptExecution } from './event-record-store.js';
import type { RedisClient } from '../../../redis/client.js';
import { packText, unpackText } from '../../../redis/codec/record.js';
import { partsOf } from '../../../redis/scans.js';
import { EventKeys } from '../keys.js';

/** Records that one command reads or removes. */
const recordsPerCallMax = 200;

export interface EventRecordLimits {
  /** Newest records of one handler, and newest messages of one event. */
  readonly recordsMax: number;
  /** How long records are kept after the newest one, ms. */
  readonly lifeMs: number;
}

interface Entry {
  readonly key: string;
  /** Epoch ms. */
  readonly at: number;
  readonly value: Json;
}

/** Names of a hash and its order. */
interface Place {
  readonly records: string;
  readonly order: string;
}

export class RedisEventRecordStore implements EventRecordStore {
  readonly #keys: EventKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits: EventRecordLimits,
  ) {
    this.#keys = new EventKeys(redis.keys.prefix);
  }

  async find(handler: string, keys: readonly string[]): Promise<(EventExecution | undefined)[]> {
    if (keys.length === 0) return [];
    const { records } = this.#keys.handled(handler);
    const found = await this.redis.reads.callBuffer('HMGET', records, ...keys);
    return (found as (Buffer | null)[]).map((bytes) =>
      bytes === null ? undefined : read<EventExecution>(bytes),
    );
  }

  async keep(handler: string, kept: readonly KeptExecution[]): Promise<void> {
    const entries = kept.map(({ key, execution }) => ({
      key,
      at: execution.created,
      value: asJson(execution),
    }));
    await this.#write(this.#keys.handled(handler), 'HSET', entries);
  }

  async keepMessage(key: string, message: EventMessageRecord): Promise<void> {
    const value = asJson(message);
    const place = this.#keys.received(message.eventTarget);
    await this.#write(place, 'HSETNX', [{ key, at: message.createdAt, value }]);
  }

  executions(handler: string, from: number): Promise<EventExecution[]> {
    return this.#newest<EventExecution>(this.#keys.handled(handler), from);
  }

  messages(event: string, from: number): Promise<EventMessageRecord[]> {
    return this.#newest<EventMessageRecord>(this.#keys.received(event), from);
  }

  async messageCounts(events: readonly string[], from: number): Promise<number[]> {
    const { reads } = this.redis;
    return (await reads.callAll(
      events.map((event) => ['ZCOUNT', this.#keys.received(event).order, from, '+inf'] as const),
    )) as number[];
  }

  async forget(handler: string): Promise<void> {
    const { records, order } = this.#keys.handled(handler);
    await this.redis.commits.callAll([
      ['UNLINK', records],
      ['UNLINK', order],
    ]);
  }

  /** The record, then its place; removal takes both, so that nothing is left behind for long. */
  async #write(
    { records, order }: Place,
    how: 'HSET' | 'HSETNX',
    entries: readonly Entry[],
  ): Promise<void> {
    if (entries.length === 0) return;
    const { commits } = this.redis;
    const { recordsMax, lifeMs } = this.limits;
    const answers = await commits.callAll([
      ...entries.flatMap(({ key, at, value }) => [
        [how, records, key, packText(toJsonText(value))] as const,
        ['ZADD', order, 'NX', at, key] as const,
      ]),
      ['PEXPIRE', records, lifeMs],
      ['PEXPIRE', order, lifeMs],
      ['ZCARD', order],
    ]);
    const excess = Number(answers.at(-1)) - recordsMax;
    if (excess <= 0) return;
    const oldest = (await commits.call('ZRANGE', order, 0, excess - 1)) as string[];
    for (const some of partsOf(oldest, recordsPerCallMax)) {
      await commits.callAll([
        ['HDEL', records, ...some],
        ['ZREM', order, ...some],
      ]);
    }
  }

  async #newest<T extends JsonForm<T>>({ records, order }: Place, from: number): Promise<T[]> {
    const { reads } = this.redis;
    const range = ['+inf', from, 'LIMIT', 0, this.limits.recordsMax] as const;
    const keys = (await reads.call('ZREVRANGEBYSCORE', order, ...range)) as string[];
    const found: T[] = [];
    for (const some of partsOf(keys, recordsPerCallMax)) {
      const values = (await reads.callBuffer('HMGET', records, ...some)) as (Buffer | null)[];
      for (const bytes of values) if (bytes !== null) found.push(read<T>(bytes));
    }
    return found;
  }
}

function read<T extends JsonForm<T>>(bytes: Buffer): T {
  return parseOwnJson<T>(unpackText('record of an event handler', bytes));
}
