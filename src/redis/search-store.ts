// The search indexes in Redis. Every partition has its own sorted sets, by name and status and by
// status alone (keys.ts). A question asks all of them in a few calls and merges. A page asks each
// set for little more than its share first, and again only those that may have more to give.
import type { ExecutionId } from '../std/ids.js';
import { shardOf } from '../std/ids.js';
import { Payload } from '../model/payload.js';
import { workflowStatuses } from '../model/status.js';
import type {
  ExecutionHeader,
  ExecutionSummary,
  IndexEntry,
  IndexRange,
  SearchStore,
} from '../store/search-store.js';
import type { RedisClient } from './client.js';
import type { Argument } from './encoded-call.js';
import { compactPayloads } from './codec/execution-fields.js';
import { decodeAttributes, decodeProgress } from './codec/header-record.js';
import { unpackText } from './codec/record.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { ExecutionLoader } from './execution-loader.js';
import { readMany, type PartitionKey } from './read-many.js';

/** Sorted sets of one script call; each gives at most `entriesPerKeyMax` entries. */
const setsPerCallMax = 256;
const entriesPerKeyMax = 1000;
/** Entries of one script call when lists are read whole. */
const entriesPerCallMax = 4000;
const headersPerCallMax = 200;
/** Compact records are large: fewer per call. */
const summariesPerCallMax = 32;
/** A set is first asked for this many times its even share of a page. */
const shareFactor = 2;

export class RedisSearchStore implements SearchStore {
  constructor(
    private readonly redis: RedisClient,
    /** The keyspace's number of shards. */
    private readonly shards: number,
    private readonly loader: Pick<ExecutionLoader, 'findSnapshot' | 'load'>,
  ) {}

  async count(range: IndexRange): Promise<number> {
    return sum(await this.#counts(this.#keysOf(range), range));
  }

  async list(range: IndexRange): Promise<IndexEntry[]> {
    return sorted(await this.#all(this.#keysOf(range), range), false);
  }

  async page(
    range: IndexRange,
    newestFirst: boolean,
    askedMax: number,
  ): Promise<{ entries: IndexEntry[]; total: number }> {
    const keys = this.#keysOf(range);
    const counts = await this.#counts(keys, range);
    const total = sum(counts);
    const parts = toParts(keys, counts);
    const limit = Math.min(askedMax, total);
    if (limit === 0 || parts.length === 0) return { entries: [], total };
    let left = parts;
    let entries: IndexEntry[] = [];
    let share = Math.ceil((limit / left.length) * shareFactor) + 1;
    while (left.length > 0) {
      const asked = Math.min(share, limit);
      await this.#readParts(left, range, newestFirst, asked);
      entries = sorted(
        parts.flatMap((part) => part.entries),
        newestFirst,
      ).slice(0, limit);
      const last = entries.length < limit ? undefined : entries[limit - 1];
      left = left.filter((part) => asked < limit && mayHoldMore(part, last, newestFirst));
      share *= 4;
    }
    return { entries, total };
  }

  async correlated(correlationId: string): Promise<IndexEntry[]> {
    const keys = this.#overPartitions((partition) =>
      this.redis.keys.correlated(partition, correlationId),
    );
    const range = { names: undefined, statuses: undefined, fromAt: undefined, untilAt: undefined };
    return sorted(await this.#all(keys, range), false);
  }

  async headers(ids: readonly ExecutionId[]): Promise<(ExecutionHeader | undefined)[]> {
    const replies = await readMany(
      this.redis, ids.map((id) => this.#execution(id)), headersPerCallMax, 'HMGET', 'a', 'x',
    ); // prettier-ignore
    const headers: (ExecutionHeader | undefined)[] = [];
    for (const [i, reply] of replies.entries()) {
      const [attributes, state] = reply as (Buffer | null)[];
      headers.push(await this.#toHeader(ids[i] as ExecutionId, attributes, state));
    }
    return headers;
  }

  async summaries(ids: readonly ExecutionId[]): Promise<(ExecutionSummary | undefined)[]> {
    const replies = await readMany(
      this.redis, ids.map((id) => this.#execution(id)), summariesPerCallMax, 'HMGET',
      'a', 'x', 'i', 'o', 'c', 'g',
    ); // prettier-ignore
    const summaries: (ExecutionSummary | undefined)[] = [];
    for (const [i, reply] of replies.entries()) {
      summaries.push(await this.#toSummary(ids[i] as ExecutionId, reply as (Buffer | null)[]));
    }
    return summaries;
  }

  /** undefined when the execution has gone since, and with it the last use of its snapshot. */
  async #toHeader(
    id: ExecutionId,
    attributes: Buffer | null | undefined,
    state: Buffer | null | undefined,
  ): Promise<ExecutionHeader | undefined> {
    if (!attributes || !state) return undefined;
    const decoded = decodeAttributes(attributes);
    const shard = shardOf(id, this.shards);
    const snapshot = await this.loader.findSnapshot(shard, decoded.snapshotHash);
    return (
      snapshot && {
        id,
        snapshot,
        attributes: decoded.attributes,
        state: decodeProgress(state),
      }
    );
  }

  async #toSummary(
    id: ExecutionId,
    [attributes, state, input, output, compact, segments]: (Buffer | null)[],
  ): Promise<ExecutionSummary | undefined> {
    if (segments) {
      // Payloads may stand in a segment: the loader knows how to read such an execution.
      return (await this.loader.load(shardOf(id, this.shards), id))?.execution;
    }
    const header = await this.#toHeader(id, attributes, state);
    if (header === undefined) return undefined;
    if (compact) return { ...header, ...compactPayloads(compact) };
    return { ...header, input: payloadOf(input), output: payloadOf(output) };
  }

  #counts(keys: readonly PartitionKey[], range: IndexRange): Promise<number[]> {
    const [from, until] = boundsOf(range);
    return readMany(this.redis, keys, setsPerCallMax, 'ZCOUNT', from, until) as Promise<number[]>;
  }

  /** Every entry, in no order. */
  async #all(keys: readonly PartitionKey[], range: IndexRange): Promise<IndexEntry[]> {
    const counts = await this.#counts(keys, range);
    const parts = toParts(keys, counts);
    const largest = parts.reduce((most, { count }) => Math.max(most, count), 0);
    await this.#readParts(parts, range, false, largest);
    return parts.flatMap(({ entries }) => entries);
  }

  /** Fills the parts with up to `count` entries each, in order. */
  async #readParts(
    parts: readonly Part[],
    range: IndexRange,
    newestFirst: boolean,
    count: number,
  ): Promise<void> {
    const [from, until] = boundsOf(range);
    const command = newestFirst ? 'ZREVRANGEBYSCORE' : 'ZRANGEBYSCORE';
    const ends = newestFirst ? [until, from] : [from, until];
    for (const part of parts) part.entries = [];
    for (let offset = 0; offset < count; offset += entriesPerKeyMax) {
      const some = parts.filter((part) => part.count > offset);
      const asked = Math.min(count - offset, entriesPerKeyMax);
      const perCall = Math.max(1, Math.min(setsPerCallMax, Math.floor(entriesPerCallMax / asked)));
      const replies = await readMany(
        this.redis, some.map(({ key }) => key), perCall,
        command, ...ends, 'WITHSCORES', 'LIMIT', offset, asked,
      ); // prettier-ignore
      for (const [i, reply] of replies.entries()) {
        (some[i] as Part).entries.push(...toEntries(reply));
      }
    }
  }

  #execution(id: ExecutionId): PartitionKey {
    const shard = shardOf(id, this.shards);
    const { keys } = this.redis;
    return { partition: keys.partitionOf(shard), key: keys.execution(shard, id) };
  }

  #keysOf({ names, statuses }: IndexRange): PartitionKey[] {
    const { keys } = this.redis;
    return (statuses ?? workflowStatuses).flatMap((status) =>
      names === undefined
        ? this.#overPartitions((partition) => keys.inStatus(partition, status))
        : names.flatMap((name) =>
            this.#overPartitions((partition) => keys.named(partition, name, status)),
          ),
    );
  }

  #overPartitions(keyOf: (partition: number) => string): PartitionKey[] {
    const length = Math.min(this.shards, this.redis.keys.partitions);
    return Array.from({ length }, (_, partition) => ({ partition, key: keyOf(partition) }));
  }
}

/** One sorted set in a question. */
interface Part {
  readonly key: PartitionKey;
  readonly count: number;
  entries: IndexEntry[];
}

/** Those that hold anything. */
function toParts(keys: readonly PartitionKey[], counts: readonly number[]): Part[] {
  return keys
    .map((key, i): Part => ({ key, count: counts[i] as number, entries: [] }))
    .filter(({ count }) => count > 0);
}

/** Whether entries that have not been read could belong before the last one of a page. */
function mayHoldMore(part: Part, last: IndexEntry | undefined, newestFirst: boolean): boolean {
  if (part.entries.length >= part.count) return false;
  const end = part.entries.at(-1);
  if (last === undefined || end === undefined) return true;
  return newestFirst ? end.startedAt >= last.startedAt : end.startedAt <= last.startedAt;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function boundsOf({ fromAt, untilAt }: IndexRange): [Argument, Argument] {
  return [fromAt ?? '-inf', untilAt ?? '+inf'];
}

function payloadOf(bytes: Buffer | null | undefined): Payload {
  return bytes ? Payload.ofText(unpackText('payload', bytes)) : Payload.empty;
}

function toEntries(reply: unknown): IndexEntry[] {
  const flat = reply as Buffer[];
  const entries: IndexEntry[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    entries.push({
      id: executionIdOfShort((flat[i] as Buffer).toString('latin1')),
      startedAt: Number((flat[i + 1] as Buffer).toString('latin1')),
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
