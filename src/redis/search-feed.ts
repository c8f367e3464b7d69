// Reads what has changed from lists of one minute each (keys.ts: `changed`, `humanTasksChanged`).
// How much of each list has been read is good for as long as lists are kept. Commits note changed
// executions while this watches them (change-lists.ts).
import { randomBytes } from 'node:crypto';
import type { ExecutionId } from '../std/ids.js';
import type { ChangeFeed } from '../store/change-feed.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { RedisClient } from './client.js';
import { changedLifeMs, minuteMs, watchField } from './change-lists.js';
import { Script } from './script.js';

const watchScript = Script.named('watch');

/**
 * Clocks of nodes may differ from Redis by one minute, and those of the primaries of a cluster by
 * another one.
 */
const minutesAround = 2;
/** Entries read in one call: each is 16 characters. */
const entriesPerCallMax = 5000;

/** Of executions. After `lifeMs` without a call of it commits note nothing more. */
export function executionFeed(
  redis: RedisClient,
  shards: number,
  lifeMs = changedLifeMs,
): ChangeFeed<ExecutionId> {
  const { keys } = redis;
  const partitions = Array.from({ length: Math.min(shards, keys.partitions) }, (_, i) => i);
  return new RedisChangeFeed(redis, {
    watch: () => watch(redis, partitions, lifeMs),
    listsOf: (minute) => partitions.map((partition) => keys.changed(partition, minute)),
    idOf: executionIdOfShort,
  });
}

/** Of human tasks, by their ids. */
export function humanTaskFeed(redis: RedisClient): ChangeFeed<string> {
  return new RedisChangeFeed(redis, {
    // Their changes are always noted.
    watch: () => Promise.resolve(''),
    listsOf: (minute) => [redis.keys.humanTasksChanged(minute)],
    idOf: (text) => text,
  });
}

/** The tokens of all partitions; the same ones again: nothing has gone unnoted meanwhile. */
async function watch(
  redis: RedisClient,
  partitions: readonly number[],
  lifeMs: number,
): Promise<string> {
  const { keys, timeOffsetMs } = redis;
  const newToken = randomBytes(9).toString('base64');
  const tokens = await redis.commits.runAll(
    partitions.map((partition) => ({
      script: watchScript,
      keys: [keys.partitionState(partition)],
      args: [watchField, timeOffsetMs, lifeMs, newToken],
    })),
  );
  return tokens.join(' ');
}

class RedisChangeFeed<Id> implements ChangeFeed<Id> {
  /** Entries read, by key. */
  #read = new Map<string, number>();
  #readAt = -Infinity;
  #watched = '';

  constructor(
    private readonly redis: RedisClient,
    private readonly parts: {
      /** Before each reading; another answer than before: some changes were not noted. */
      readonly watch: () => Promise<string>;
      readonly listsOf: (minute: number) => string[];
      readonly idOf: (text: string) => Id;
    },
  ) {}

  async begin(): Promise<void> {
    this.#watched = await this.parts.watch();
    const now = await this.redis.now();
    const keys = this.#keysFrom(now, now);
    const lengths = await this.#lengths(keys);
    this.#read = new Map(keys.map((key, i) => [key, lengths[i] as number]));
    this.#readAt = now;
  }

  async next(): Promise<ReadonlySet<Id> | undefined> {
    if ((await this.parts.watch()) !== this.#watched) return undefined;
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
