// Reads what has changed from lists of one minute each (keys.ts: `changed`, `humanTasksChanged`).
// How much of each list has been read is good for as long as lists are kept.
import type { ExecutionId } from '../std/ids.js';
import type { ChangeFeed } from '../store/change-feed.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { RedisClient } from './client.js';
import { changedLifeMs, minuteMs } from './encoded-commit.js';

/** Clocks of nodes may differ by so many minutes. */
const minutesAround = 1;
/** Entries read in one call: each is 16 characters. */
const entriesPerCallMax = 5000;

/** Of executions. */
export function executionFeed(redis: RedisClient, shards: number): ChangeFeed<ExecutionId> {
  const { keys } = redis;
  const partitions = Array.from({ length: Math.min(shards, keys.partitions) }, (_, i) => i);
  return new RedisChangeFeed(redis, {
    listsOf: (minute) => partitions.map((partition) => keys.changed(partition, minute)),
    idOf: executionIdOfShort,
  });
}

/** Of human tasks, by their ids. */
export function humanTaskFeed(redis: RedisClient): ChangeFeed<string> {
  return new RedisChangeFeed(redis, {
    listsOf: (minute) => [redis.keys.humanTasksChanged(minute)],
    idOf: (text) => text,
  });
}

class RedisChangeFeed<Id> implements ChangeFeed<Id> {
  /** Entries read, by key. */
  #read = new Map<string, number>();
  #readAt = -Infinity;

  constructor(
    private readonly redis: RedisClient,
    private readonly parts: {
      readonly listsOf: (minute: number) => string[];
      readonly idOf: (text: string) => Id;
    },
  ) {}

  async begin(): Promise<void> {
    const now = await this.redis.now();
    const keys = this.#keysFrom(now, now);
    const lengths = await this.#lengths(keys);
    this.#read = new Map(keys.map((key, i) => [key, lengths[i] as number]));
    this.#readAt = now;
  }

  async next(): Promise<ReadonlySet<Id> | undefined> {
    const now = await this.redis.now();
    if (now - this.#readAt > changedLifeMs / 2) return undefined;
    const found = new Set<Id>();
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
        for (const text of list) found.add(this.parts.idOf(String(text)));
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
    const first = Math.floor(fromAt / minuteMs) - minutesAround;
    const last = Math.floor(untilAt / minuteMs) + minutesAround;
    const lists: string[] = [];
    for (let minute = first; minute <= last; minute += 1) lists.push(...this.parts.listsOf(minute));
    return lists;
  }
}
