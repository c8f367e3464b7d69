// The search indexes in Redis. Every partition has a sorted set of all its executions and one per
// name, both by status and create time (codec/scores.ts), so a status is a range of a set. A
// question asks all ranges that it is about in a few calls and merges. A page asks each range for
// little more than its share first, and again only those that may have more to give.
import type { ExecutionId } from '../std/ids.js';
import { shardOf } from '../std/ids.js';
import { Payload } from '../model/payload.js';
import { workflowStatuses, type WorkflowStatus } from '../model/status.js';
import type {
  ExecutionHeader,
  ExecutionSummary,
  IndexEntry,
  IndexRange,
  PageAsked,
  SearchStore,
} from '../store/search-store.js';
import type { RedisClient } from './client.js';
import type { Argument } from './encoded-call.js';
import { readCompact } from './codec/compact-record.js';
import { decodeAttributes, decodeProgress } from './codec/header-record.js';
import { unpackText, type StoredValue } from './codec/record.js';
import { createTimeOf, indexScore } from './codec/scores.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { ExecutionLoader } from './execution-loader.js';
import { readHeaders } from './execution-headers.js';
import { markOf } from './page-start.js';
import { readExecutions, readMany, type PartitionKey, type ReadCommand } from './read-many.js';

/** Sorted sets of one script call; each gives at most `entriesPerKeyMax` entries. */
const setsPerCallMax = 256;
const entriesPerKeyMax = 500;
/** Entries of one script call when lists are read whole: some 2 ms. */
const entriesPerCallMax = 1000;
/** Compact records are large: fewer per call. */
const summariesPerCallMax = 32;
/**
 * A range is first asked for its even share of a page and so many standard deviations of it: ids
 * are random, so the parts of a page are spread like dice.
 */
const shareDeviations = 3;

export class RedisSearchStore implements SearchStore {
  constructor(
    private readonly redis: RedisClient,
    /** The keyspace's number of shards. */
    private readonly shards: number,
    private readonly loader: Pick<ExecutionLoader, 'findSnapshot' | 'load'>,
    /** Entries in front of a page that are read rather than counted. */
    private readonly skippedMax = 500,
  ) {}

  async count(range: IndexRange): Promise<number> {
    return sum(await this.#counts(this.#rangesOf(range), range));
  }

  async list(range: IndexRange): Promise<IndexEntry[]> {
    return sorted(await this.#all(this.#rangesOf(range), range), false).map(toEntry);
  }

  async page(
    range: IndexRange,
    { newestFirst, start, size }: PageAsked,
  ): Promise<{ entries: IndexEntry[]; total: number }> {
    const ranges = this.#rangesOf(range);
    const parts = toParts(ranges, await this.#counts(ranges, range));
    const total = totalOf(parts);
    if (size <= 0 || start >= total) return { entries: [], total };
    const from = await this.#pageStart(parts, range, { newestFirst, start });
    const limit = Math.min(start + size, total) - from.before;
    const entries = await this.#firstOf(from.parts, from.range, { newestFirst, limit });
    return { entries: entries.slice(start - from.before).map(toEntry), total };
  }

  /** The list without most of what stands in front of the page. */
  async #pageStart(
    parts: Part[],
    range: IndexRange,
    { newestFirst, start }: { newestFirst: boolean; start: number },
  ): Promise<{ parts: Part[]; range: IndexRange; before: number }> {
    const { skippedMax } = this;
    if (start <= skippedMax) return { parts, range, before: 0 };
    const ends = [newestFirst, !newestFirst].map(async (order) => {
      const [first] = await this.#firstOf(parts, range, { newestFirst: order, limit: 1 });
      return first?.startedAt ?? 0;
    });
    const [first, last] = (await Promise.all(ends)) as [number, number];
    const countBefore = async (at: number): Promise<number> => {
      const nearer = newestFirst ? { ...range, fromAt: at + 1 } : { ...range, untilAt: at - 1 };
      return sum(await this.#counts(parts, nearer));
    };
    const list = { first, last, total: totalOf(parts) };
    const { at, before } = await markOf(start, list, { skippedMax, countBefore });
    const rest = newestFirst ? { ...range, untilAt: at } : { ...range, fromAt: at };
    return { parts: toParts(parts, await this.#counts(parts, rest)), range: rest, before };
  }

  async #firstOf(
    parts: readonly Part[],
    range: IndexRange,
    { newestFirst, limit }: { newestFirst: boolean; limit: number },
  ): Promise<FoundEntry[]> {
    let left = parts.map((part) => ({ ...part }));
    const all = left;
    let entries: FoundEntry[] = [];
    const even = limit / left.length;
    let share = Math.ceil(even + shareDeviations * Math.sqrt(even)) + 1;
    while (left.length > 0) {
      const asked = Math.min(share, limit);
      await this.#readParts(left, range, newestFirst, asked);
      entries = sorted(
        all.flatMap((part) => part.entries),
        newestFirst,
      ).slice(0, limit);
      const last = entries.length < limit ? undefined : entries[limit - 1];
      left = left.filter((part) => asked < limit && mayHoldMore(part, last, newestFirst));
      share *= 4;
    }
    return entries;
  }

  async *scan(): AsyncGenerator<ExecutionId[]> {
    const { keys, reads } = this.redis;
    for (const { key } of this.#overPartitions(undefined, (partition) => keys.all(partition))) {
      let cursor = '0';
      do {
        const reply = await reads.call('ZSCAN', key, cursor, 'COUNT', entriesPerKeyMax);
        const [next, flat] = reply as [string, string[]];
        cursor = String(next);
        yield flat.filter((_, i) => i % 2 === 0).map(executionIdOfShort);
      } while (cursor !== '0');
    }
  }

  async correlated(correlationId: string): Promise<IndexEntry[]> {
    const ranges = this.#overPartitions(undefined, (partition) =>
      this.redis.keys.correlated(partition, correlationId),
    );
    const range = { names: undefined, statuses: undefined, fromAt: undefined, untilAt: undefined };
    return sorted(await this.#all(ranges, range), false).map(toEntry);
  }

  async headers(ids: readonly ExecutionId[]): Promise<(ExecutionHeader | undefined)[]> {
    const found = await readHeaders(
      this.redis,
      ids.map((id) => this.#execution(id)),
    );
    const headers: (ExecutionHeader | undefined)[] = [];
    for (const [i, stored] of found.entries()) {
      headers.push(stored && (await this.#toHeader(ids[i] as ExecutionId, stored)));
    }
    return headers;
  }

  async summaries(ids: readonly ExecutionId[]): Promise<(ExecutionSummary | undefined)[]> {
    const replies = await readExecutions(
      this.redis,
      ids.map((id) => this.#execution(id)),
      {
        keysPerCallMax: summariesPerCallMax,
        fields: ['a', 'x', 'i', 'o', 'g'],
        bytesMax: undefined,
      },
    );
    const summaries: (ExecutionSummary | undefined)[] = [];
    for (const [i, reply] of replies.entries()) {
      const id = ids[i] as ExecutionId;
      summaries.push(
        Buffer.isBuffer(reply)
          ? await this.#toSummary(id, readCompact(reply).fields)
          : await this.#ofHash(id, reply),
      );
    }
    return summaries;
  }

  async #ofHash(
    id: ExecutionId,
    [attributes, progress, input, output, segments]: (Buffer | null)[],
  ): Promise<ExecutionSummary | undefined> {
    if (segments) {
      // Payloads may stand in a segment: the loader knows how to read such an execution.
      return (await this.loader.load(shardOf(id, this.shards), id))?.execution;
    }
    if (!attributes || !progress) return undefined;
    const fields = new Map<string, StoredValue>([
      ['a', attributes],
      ['x', progress],
    ]);
    if (input) fields.set('i', input);
    if (output) fields.set('o', output);
    return await this.#toSummary(id, fields);
  }

  async #toSummary(
    id: ExecutionId,
    fields: ReadonlyMap<string, StoredValue>,
  ): Promise<ExecutionSummary | undefined> {
    const attributes = fields.get('a') as StoredValue;
    const progress = fields.get('x') as StoredValue;
    const header = await this.#toHeader(id, { attributes, progress });
    const payloadOf = (name: string): Payload => {
      const stored = fields.get(name);
      return stored === undefined ? Payload.empty : Payload.ofText(unpackText('payload', stored));
    };
    return header && { ...header, input: payloadOf('i'), output: payloadOf('o') };
  }

  /** undefined when the execution has gone since, and with it the last use of its snapshot. */
  async #toHeader(
    id: ExecutionId,
    stored: { attributes: StoredValue; progress: StoredValue },
  ): Promise<ExecutionHeader | undefined> {
    const { attributes, snapshotHash } = decodeAttributes(stored.attributes);
    const snapshot = await this.loader.findSnapshot(shardOf(id, this.shards), snapshotHash);
    return snapshot && { id, snapshot, attributes, state: decodeProgress(stored.progress) };
  }

  #counts(ranges: readonly StatusRange[], range: IndexRange): Promise<number[]> {
    return this.#ask(ranges, setsPerCallMax, (status) => ['ZCOUNT', ...boundsOf(range, status)]);
  }

  /** Every entry, in no order. */
  async #all(ranges: readonly StatusRange[], range: IndexRange): Promise<FoundEntry[]> {
    const counts = await this.#counts(ranges, range);
    const parts = toParts(ranges, counts);
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
    for (const part of parts) part.entries = [];
    for (let offset = 0; offset < count; offset += entriesPerKeyMax) {
      const some = parts.filter((part) => part.count > offset);
      const asked = Math.min(count - offset, entriesPerKeyMax);
      const perCall = Math.max(1, Math.min(setsPerCallMax, Math.floor(entriesPerCallMax / asked)));
      const replies = await this.#ask<unknown>(some, perCall, (status) => {
        const [from, until] = boundsOf(range, status);
        return newestFirst
          ? ['ZREVRANGEBYSCORE', until, from, 'WITHSCORES', 'LIMIT', offset, asked]
          : ['ZRANGEBYSCORE', from, until, 'WITHSCORES', 'LIMIT', offset, asked];
      });
      for (const [i, part] of some.entries()) part.entries.push(...toEntries(replies[i]));
    }
  }

  /** Asks the same of all ranges, those of one status together; replies in their order. */
  async #ask<Reply>(
    ranges: readonly StatusRange[],
    perCall: number,
    questionOf: (status: WorkflowStatus | undefined) => [ReadCommand, ...Argument[]],
  ): Promise<Reply[]> {
    const replies = new Array<Reply>(ranges.length);
    for (const status of new Set(ranges.map((range) => range.status))) {
      const places = [...ranges.keys()].filter((place) => ranges[place]?.status === status);
      const keys = places.map((place) => ranges[place] as StatusRange);
      const answers = await readMany(this.redis, keys, perCall, ...questionOf(status));
      places.forEach((place, i) => (replies[place] = answers[i] as Reply));
    }
    return replies;
  }

  #execution(id: ExecutionId): PartitionKey {
    const shard = shardOf(id, this.shards);
    const { keys } = this.redis;
    return { partition: keys.partitionOf(shard), key: keys.execution(shard, id) };
  }

  #rangesOf({ names, statuses }: IndexRange): StatusRange[] {
    const { keys } = this.redis;
    return (statuses ?? workflowStatuses).flatMap((status) =>
      names === undefined
        ? this.#overPartitions(status, (partition) => keys.all(partition))
        : names.flatMap((name) =>
            this.#overPartitions(status, (partition) => keys.named(partition, name)),
          ),
    );
  }

  #overPartitions(
    status: WorkflowStatus | undefined,
    keyOf: (partition: number) => string,
  ): StatusRange[] {
    const length = Math.min(this.shards, this.redis.keys.partitions);
    return Array.from({ length }, (_, partition) => ({ status, partition, key: keyOf(partition) }));
  }
}

/** A sorted set, or the range of one that belongs to a status. */
interface StatusRange extends PartitionKey {
  /** undefined: its scores are create times alone. */
  readonly status: WorkflowStatus | undefined;
}

/** One range in a question. */
interface Part extends StatusRange {
  readonly count: number;
  entries: FoundEntry[];
}

/** An entry as it stands in a set: short ids sort like ids, and most are never looked at. */
interface FoundEntry {
  readonly shortId: string;
  readonly startedAt: number;
}

function toEntry({ shortId, startedAt }: FoundEntry): IndexEntry {
  return { id: executionIdOfShort(shortId), startedAt };
}

/** Those that hold anything. */
function toParts(ranges: readonly StatusRange[], counts: readonly number[]): Part[] {
  return ranges
    .map((range, i): Part => ({ ...range, count: counts[i] as number, entries: [] }))
    .filter(({ count }) => count > 0);
}

function totalOf(parts: readonly Part[]): number {
  return sum(parts.map(({ count }) => count));
}

/** Whether entries that have not been read could belong before the last one of a page. */
function mayHoldMore(part: Part, last: FoundEntry | undefined, newestFirst: boolean): boolean {
  if (part.entries.length >= part.count) return false;
  const end = part.entries.at(-1);
  if (last === undefined || end === undefined) return true;
  return newestFirst ? end.startedAt >= last.startedAt : end.startedAt <= last.startedAt;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function boundsOf(
  { fromAt, untilAt }: IndexRange,
  status: WorkflowStatus | undefined,
): [Argument, Argument] {
  if (status === undefined) return [fromAt ?? '-inf', untilAt ?? '+inf'];
  return [indexScore(status, fromAt ?? 0), indexScore(status, untilAt ?? Infinity)];
}

function toEntries(reply: unknown): FoundEntry[] {
  const flat = reply as Buffer[];
  const entries: FoundEntry[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    entries.push({
      shortId: (flat[i] as Buffer).toString('latin1'),
      startedAt: createTimeOf(Number((flat[i + 1] as Buffer).toString('latin1'))),
    });
  }
  return entries;
}

function sorted(entries: FoundEntry[], newestFirst: boolean): FoundEntry[] {
  const sign = newestFirst ? -1 : 1;
  return entries.sort(
    (a, b) =>
      sign *
      (a.startedAt - b.startedAt || (a.shortId < b.shortId ? -1 : a.shortId > b.shortId ? 1 : 0)),
  );
}
