// The search indexes in Redis. Every shard has its own sorted sets, by name and status and by status alone (keys.ts); a question asks all
// shards in one write and merges. Measured with 256 shards: a page of one name and status takes about 4 ms.
import type { ExecutionId } from '../std/ids.js';
import { shardOf } from '../std/ids.js';
import { workflowStatuses } from '../model/status.js';
import type {
  ExecutionHeader,
  IndexEntry,
  IndexRange,
  SearchStore,
} from '../store/search-store.js';
import type { Argument, RedisClient } from './client.js';
import { decodeAttributes, decodeProgress } from './codec/header-record.js';
import type { ExecutionLoader } from './execution-loader.js';

type Command = readonly [string, ...Argument[]];

/** Commands sent in one write; between two writes others get their turn. */
const commandsPerWriteMax = 1000;

export class RedisSearchStore implements SearchStore {
  constructor(
    private readonly redis: RedisClient,
    /** The keyspace's number of shards. */
    private readonly shards: number,
    private readonly loader: Pick<ExecutionLoader, 'findSnapshot'>,
  ) {}

  async count(range: IndexRange): Promise<number> {
    const [from, until] = boundsOf(range);
    const counts = await this.#ask(this.#keysOf(range).map((key) => ['ZCOUNT', key, from, until]));
    return (counts as number[]).reduce((sum, count) => sum + count, 0);
  }

  async list(range: IndexRange): Promise<IndexEntry[]> {
    const [from, until] = boundsOf(range);
    const replies = await this.#ask(
      this.#keysOf(range).map((key) => ['ZRANGEBYSCORE', key, from, until, 'WITHSCORES']),
    );
    return sorted(replies.flatMap(toEntries), false);
  }

  async page(
    range: IndexRange,
    newestFirst: boolean,
    limit: number,
  ): Promise<{ entries: IndexEntry[]; total: number }> {
    if (limit === 0) return { entries: [], total: await this.count(range) };
    const [from, until] = boundsOf(range);
    const keys = this.#keysOf(range);
    const ends: Argument[] = newestFirst ? [until, from] : [from, until];
    const command = newestFirst ? 'ZREVRANGEBYSCORE' : 'ZRANGEBYSCORE';
    const replies = await this.#ask(
      keys.map((key) => [command, key, ...ends, 'WITHSCORES', 'LIMIT', 0, limit]),
    );
    const lists = replies.map(toEntries);
    // A list that is shorter than the limit is the whole of its key.
    const longer = keys.filter((_key, i) => (lists[i] as IndexEntry[]).length >= limit);
    const counts = await this.#ask(longer.map((key) => ['ZCOUNT', key, from, until]));
    const total =
      (counts as number[]).reduce((sum, count) => sum + count, 0) +
      lists.reduce((sum, list) => sum + (list.length < limit ? list.length : 0), 0);
    return { entries: sorted(lists.flat(), newestFirst).slice(0, limit), total };
  }

  async correlated(correlationId: string): Promise<IndexEntry[]> {
    const replies = await this.#ask(
      this.#overShards((shard) => this.redis.keys.correlated(shard, correlationId)).map((key) => [
        'ZRANGE', key, 0, -1, 'WITHSCORES',
      ]),
    ); // prettier-ignore
    return sorted(replies.flatMap(toEntries), false);
  }

  async headers(ids: readonly ExecutionId[]): Promise<(ExecutionHeader | undefined)[]> {
    const found: (ExecutionHeader | undefined)[] = [];
    for (let first = 0; first < ids.length; first += commandsPerWriteMax) {
      const some = ids.slice(first, first + commandsPerWriteMax);
      const replies = await this.#ask(
        some.map((id) => [
          'HMGET',
          this.redis.keys.execution(shardOf(id, this.shards), id),
          'a',
          'x',
        ]),
      );
      for (const [i, reply] of replies.entries()) {
        const [attributes, progress] = reply as [Buffer | null, Buffer | null];
        found.push(
          attributes === null || progress === null
            ? undefined
            : await this.#toHeader(some[i] as ExecutionId, attributes, progress),
        );
      }
    }
    return found;
  }

  /** undefined when the execution has gone since, and with it the last use of its snapshot. */
  async #toHeader(
    id: ExecutionId,
    attributes: Buffer,
    progress: Buffer,
  ): Promise<ExecutionHeader | undefined> {
    const decoded = decodeAttributes(attributes);
    const shard = shardOf(id, this.shards);
    const snapshot = await this.loader.findSnapshot(shard, decoded.snapshotHash);
    return (
      snapshot && {
        id,
        def: snapshot.def,
        attributes: decoded.attributes,
        progress: decodeProgress(progress),
      }
    );
  }

  #keysOf({ names, statuses }: IndexRange): string[] {
    const { keys } = this.redis;
    return (statuses ?? workflowStatuses).flatMap((status) =>
      names === undefined
        ? this.#overShards((shard) => keys.inStatus(shard, status))
        : names.flatMap((name) => this.#overShards((shard) => keys.named(shard, name, status))),
    );
  }

  #overShards(keyOf: (shard: number) => string): string[] {
    return Array.from({ length: this.shards }, (_, shard) => keyOf(shard));
  }

  async #ask(commands: readonly Command[]): Promise<unknown[]> {
    if (commands.length <= commandsPerWriteMax) {
      return commands.length === 0 ? [] : await this.redis.reads.callAll(commands);
    }
    const replies: unknown[] = [];
    for (let first = 0; first < commands.length; first += commandsPerWriteMax) {
      const some = commands.slice(first, first + commandsPerWriteMax);
      for (const reply of await this.redis.reads.callAll(some)) replies.push(reply);
    }
    return replies;
  }
}

function boundsOf({ fromAt, untilAt }: IndexRange): [Argument, Argument] {
  return [fromAt ?? '-inf', untilAt ?? '+inf'];
}

function toEntries(reply: unknown): IndexEntry[] {
  const flat = reply as Buffer[];
  const entries: IndexEntry[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    entries.push({
      id: (flat[i] as Buffer).toString('latin1') as ExecutionId,
      startedAt: Number(flat[i + 1]),
    });
  }
  return entries;
}

function sorted(entries: IndexEntry[], newestFirst: boolean): IndexEntry[] {
  const sign = newestFirst ? -1 : 1;
  return entries.sort(
    (a, b) => sign * (a.startedAt - b.startedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
  );
}
