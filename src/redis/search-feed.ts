// Reads which executions have changed (keys.ts, `changed`): per partition one list for each minute.
// A position is how much of each list has been read; it is good for as long as lists are kept.
import type { ExecutionId } from '../std/ids.js';
import type { SearchFeed } from '../store/search-store.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { RedisClient } from './client.js';
import { changedLifeMs, minuteMs } from './encoded-commit.js';

/** Clocks of nodes may differ by so many minutes. */
const minutesAround = 1;
/** Entries read in one call: each is 16 characters. */
const entriesPerCallMax = 5000;

export class RedisSearchFeed implements SearchFeed {
  /** Entries read, by key. */
  #read = new Map<string, number>();
  #readAt = -Infinity;

  constructor(
    private readonly redis: RedisClient,
    private readonly shards: number,
  ) {}

  async begin(): Promise<void> {
    const now = await this.redis.now();
    const keys = this.#keysFrom(now, now);
    const lengths = await this.#lengths(keys);
    this.#read = new Map(keys.map((key, i) => [key, lengths[i] as number]));
    this.#readAt = now;
  }

  async next(): Promise<ReadonlySet<ExecutionId> | undefined> {
    const now = await this.redis.now();
    if (now - this.#readAt > changedLifeMs / 2) return undefined;
    const found = new Set<ExecutionId>();
    const keys = this.#keysFrom(this.#readAt, now);
    const lengths = await this.#lengths(keys);
    const read = new Map<string, number>();
    for (const [i, key] of keys.entries()) {
      const length = lengths[i] as number;
      const from = this.#read.get(key) ?? 0;
      // Another store has taken the place of the one that was read.
      if (length < from) return undefined;
      for (let first = from; first < length; first += entriesPerCallMax) {
        const last = Math.min(length, first + entriesPerCallMax) - 1;
        const list = (await this.redis.reads.call('LRANGE', key, first, last)) as unknown[];
        for (const shortId of list) found.add(executionIdOfShort(String(shortId)));
      }
      read.set(key, length);
    }
    this.#read = read;
    this.#readAt = now;
    return found;
  }

  async #lengths(keys: readonly string[]): Promise<number[]> {
    const calls = keys.map((key) => ['LLEN', key] as const);
    return (await this.redis.reads.callAll(calls)) as number[];
  }

  #keysFrom(fromAt: number, untilAt: number): string[] {
    const { keys } = this.redis;
    const first = Math.floor(fromAt / minuteMs) - minutesAround;
    const last = Math.floor(untilAt / minuteMs) + minutesAround;
    const partitions = Math.min(this.shards, keys.partitions);
    const all: string[] = [];
    for (let partition = 0; partition < partitions; partition += 1) {
      for (let minute = first; minute <= last; minute += 1) {
        all.push(keys.changed(partition, minute));
      }
    }
    return all;
  }
}
