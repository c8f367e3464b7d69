// Records in a hash whose fields a sorted set orders by time, both in one slot. What stands in one
// stands in the other (fsck/ordered-hash.ts checks it). A record is written before its place, and
// removal takes both, so that a crash leaves nothing behind that nobody finds. What they hold is
// bounded by number, and expires some time after the newest one.
import { parseOwnJson, toJsonText } from '../model/json-text.js';
import type { JsonForm } from '../model/json.js';
import type { RedisClient } from './client.js';
import { packText, unpackText } from './codec/record.js';
import { partsOf } from '../std/parts.js';

/** The keys of both. */
export interface OrderedHash {
  readonly hash: string;
  readonly order: string;
}

export interface OrderedEntry<T> {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly record: T;
}

export interface OrderedHashLimits {
  /** Newest records that are kept. */
  readonly recordsMax: number;
  /** How long they are kept after the newest one, ms. */
  readonly lifeMs: number;
}

/** Records that one command reads or removes. */
const recordsPerCallMax = 200;

type Call = readonly [string, ...(string | number | Buffer)[]];

export class OrderedHashes<T extends JsonForm<T>> {
  constructor(
    private readonly redis: RedisClient,
    /** A record, in the words of an error about its format. */
    private readonly what: string,
  ) {}

  /**
   * Writes records and removes the oldest beyond the limit. `stays`: what stays of a record that is
   * there already; absent: nothing.
   */
  async write(
    { hash, order }: OrderedHash,
    entries: readonly OrderedEntry<T>[],
    { recordsMax, lifeMs }: OrderedHashLimits,
    stays?: 'place' | 'record-and-place',
  ): Promise<void> {
    if (entries.length === 0) return;
    const answers = await this.redis.commits.callAll([
      ...entries.flatMap(({ id, at, record }): Call[] => [
        [stays === 'record-and-place' ? 'HSETNX' : 'HSET', hash, id, packText(toJsonText(record))],
        ['ZADD', order, ...(stays === undefined ? [] : ['NX']), at, id],
      ]),
      ['PEXPIRE', hash, lifeMs],
      ['PEXPIRE', order, lifeMs],
      ['ZCARD', order],
    ]);
    const excess = Number(answers.at(-1)) - recordsMax;
    if (excess <= 0) return;
    const oldest = await this.redis.commits.call('ZRANGE', order, 0, excess - 1);
    await this.remove({ hash, order }, oldest as string[]);
  }

  /** By id; undefined for those that are not there. */
  async read({ hash }: OrderedHash, ids: readonly string[]): Promise<(T | undefined)[]> {
    const records: (T | undefined)[] = [];
    for (const some of partsOf(ids, recordsPerCallMax)) {
      const found = await this.redis.reads.callBuffer('HMGET', hash, ...some);
      for (const bytes of found as (Buffer | null)[]) {
        records.push(bytes === null ? undefined : parseOwnJson<T>(unpackText(this.what, bytes)));
      }
    }
    return records;
  }

  /** Those of the ids that are there, in their order. */
  async find(place: OrderedHash, ids: readonly string[]): Promise<T[]> {
    return (await this.read(place, ids)).filter((record) => record !== undefined);
  }

  /** From a moment on, newest first. `from`: epoch ms. */
  async newest(place: OrderedHash, limit: number, from: number | '-inf' = '-inf'): Promise<T[]> {
    const range = ['+inf', from, 'LIMIT', 0, limit] as const;
    const ids = await this.redis.reads.call('ZREVRANGEBYSCORE', place.order, ...range);
    return await this.find(place, ids as string[]);
  }

  async remove({ hash, order }: OrderedHash, ids: readonly string[]): Promise<void> {
    for (const some of partsOf(ids, recordsPerCallMax)) {
      await this.redis.commits.callAll([
        ['HDEL', hash, ...some],
        ['ZREM', order, ...some],
      ]);
    }
  }

  /** Removes all. */
  async forget({ hash, order }: OrderedHash): Promise<void> {
    await this.redis.commits.callAll([
      ['UNLINK', hash],
      ['UNLINK', order],
    ]);
  }
}
