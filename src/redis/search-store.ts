// The search indexes in Redis. Every partition has a sorted set of all its executions and one per
// name, both by status and create time (codec/scores.ts), so a status is a range of a set. A
// question asks all ranges that it is about in a few calls and merges. A page asks each range for
// little more than its share first, and again only those that may have more to give.
import { breathe } from '../std/breather.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
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
import { readCompact, readCompactSummary, summaryBytes } from './codec/compact-record.js';
import { decodeAttributes, decodeProgress } from './codec/header-record.js';
import { unpackText, type StoredValue } from './codec/record.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { ExecutionLoader } from './execution-loader.js';
import { readHeaders } from './execution-headers.js';
import {
  boundsOf,
  endOf,
  firstShareOf,
  mayHoldMore,
  sliceOf,
  sorted,
  sum,
  toEntries,
  toEntry,
  toParts,
  totalOf,
  type FoundEntry,
  type Part,
  type StatusRange,
} from './index-ranges.js';
import { markOf } from './page-start.js';
import { scan } from './scans.js';
import { partsOf } from '../std/parts.js';
import { readExecutions, readMany, type PartitionKey, type ReadCommand } from './read-many.js';

/** Sorted sets of one script call; each gives at most `entriesPerKeyMax` entries. */
const setsPerCallMax = 256;
const entriesPerKeyMax = 500;
/** Entries of one script call when lists are read whole: some 2 ms. */
const entriesPerCallMax = 1000;
/** Sets that one write asks for a slice each. */
const setsPerWriteMax = 16;
/** Compact records are large: fewer per call. */
const summariesPerCallMax = 32;
/** Sets up to which the ranges of all statuses are asked at once. */
const setsTogetherMax = 512;

const wholeRange: IndexRange = {
  names: undefined,
  statuses: undefined,
  fromAt: undefined,
  untilAt: undefined,
};

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

  async countOpenOf(starter: string): Promise<number> {
    const sets = this.#overPartitions(undefined, (partition) =>
      this.redis.keys.openOf(partition, starter),
    );
    return sum(await this.#counts(sets, wholeRange));
  }

  async list(range: IndexRange): Promise<IndexEntry[]> {
    return sorted(await this.#all(this.#rangesOf(range), range), false).map(toEntry);
  }

  async page(
    range: IndexRange,
    { newestFirst, start, size }: PageAsked,
  ): Promise<{ entries: IndexEntry[]; total: number }> {
    const ranges = this.#rangesOf(range);
    const read = this.#readAhead(ranges.length, { newestFirst, start, size });
    const [counts, slices] = await Promise.all([
      this.#counts(ranges, range),
      read > 0 ? this.#slices(ranges, range, newestFirst, read) : undefined,
    ]);
    const parts = toParts(ranges, counts, slices);
    const total = totalOf(parts);
    if (size <= 0 || start >= total) return { entries: [], total };
    const from = await this.#pageStart(parts, range, { newestFirst, start });
    const limit = Math.min(start + size, total) - from.before;
    const entries = await this.#firstOf(from.parts, from.range, { newestFirst, limit, read });
    return { entries: entries.slice(start - from.before).map(toEntry), total };
  }

  /**
   * How many entries of each range are asked for beside the counts: those of a page near the
   * beginning, where that is one call's worth. 0 = none.
   */
  #readAhead(ranges: number, { start, size }: PageAsked): number {
    if (size <= 0 || start > this.skippedMax || ranges === 0) return 0;
    const limit = start + size;
    const asked = Math.min(firstShareOf(limit, ranges), limit);
    return asked * ranges <= entriesPerCallMax ? asked : 0;
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
    // `read`: how many entries of each part have been asked for.
    { newestFirst, limit, read = 0 }: { newestFirst: boolean; limit: number; read?: number },
  ): Promise<FoundEntry[]> {
    let left = parts.map((part) => ({ ...part }));
    const all = left;
    let entries: FoundEntry[] = [];
    let share = firstShareOf(limit, left.length);
    let asked = read;
    while (left.length > 0) {
      if (asked === 0) {
        asked = Math.min(share, limit);
        await this.#readParts(left, range, newestFirst, asked);
        share *= 4;
      }
      entries = sorted(
        all.flatMap((part) => part.entries),
        newestFirst,
      ).slice(0, limit);
      const last = entries.length < limit ? undefined : entries[limit - 1];
      const isEnough = asked >= limit;
      left = left.filter((part) => !isEnough && mayHoldMore(part, last, newestFirst));
      asked = 0;
    }
    return entries;
  }

  async *scan(): AsyncGenerator<ExecutionId[]> {
    const { keys, reads } = this.redis;
    for (const { key } of this.#overPartitions(undefined, (partition) => keys.all(partition))) {
      for await (const flat of scan(reads, 'ZSCAN', key, entriesPerKeyMax)) {
        yield flat.filter((_, i) => i % 2 === 0).map((id) => executionIdOfShort(String(id)));
      }
    }
  }

  async correlated(correlationId: string): Promise<IndexEntry[]> {
    const ranges = this.#overPartitions(undefined, (partition) =>
      this.redis.keys.correlated(partition, correlationId),
    );
    return sorted(await this.#all(ranges, wholeRange), false).map(toEntry);
  }

  async headers(ids: readonly ExecutionId[]): Promise<(ExecutionHeader | undefined)[]> {
    const found = await readHeaders(
      this.redis,
      ids.map((id) => this.#execution(id)),
    );
    const headers: (ExecutionHeader | undefined)[] = [];
    for (const [i, stored] of found.entries()) {
      headers.push(stored && (await this.#toHeader(ids[i] as ExecutionId, stored)));
      await breathe();
    }
    return headers;
  }

  async summaries(ids: readonly ExecutionId[]): Promise<(ExecutionSummary | undefined)[]> {
    const places = ids.map((id) => this.#execution(id));
    const replies = await this.#summaryFields(places, summaryBytes);
    const summaries = new Array<ExecutionSummary | undefined>(ids.length);
    const cut: number[] = [];
    for (const [i, reply] of replies.entries()) {
      const fields = Buffer.isBuffer(reply) ? readCompactSummary(reply) : undefined;
      if (fields !== undefined) summaries[i] = await this.#toSummary(ids[i] as ExecutionId, fields);
      else if (Buffer.isBuffer(reply)) cut.push(i);
      else summaries[i] = await this.#ofHash(ids[i] as ExecutionId, reply);
      await breathe();
    }
    const rest = cut.map((i) => places[i] as PartitionKey);
    for (const [j, reply] of (await this.#summaryFields(rest, undefined)).entries()) {
      const i = cut[j] as number;
      const id = ids[i] as ExecutionId;
      summaries[i] = Buffer.isBuffer(reply)
        ? await this.#toSummary(id, readCompact(reply).fields)
        : await this.#ofHash(id, reply);
      await breathe();
    }
    return summaries;
  }

  /** `bytesMax`: of the string of a finished execution; undefined: all of it. */
  #summaryFields(
    places: readonly PartitionKey[],
    bytesMax: number | undefined,
  ): Promise<((Buffer | null)[] | Buffer)[]> {
    const fields = ['a', 'x', 'i', 'o', 'g'];
    const options = { keysPerCallMax: summariesPerCallMax, fields, bytesMax };
    return readExecutions(this.redis, places, options);
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
    const asked = Math.min(count, entriesPerKeyMax);
    const replies = await this.#slices(parts, range, newestFirst, asked);
    for (const [i, part] of parts.entries()) part.entries = toEntries(replies[i]);
    let left = parts.filter(({ entries }) => entries.length === asked);
    while (left.length > 0) {
      left = left.filter(({ entries, count: all }) => entries.length < Math.min(count, all));
      const grown = await Promise.all(
        partsOf(left, setsPerWriteMax).map((some) => this.#readOn(some, range, newestFirst, count)),
      );
      left = grown.flat();
    }
  }

  /** The first `size` entries of each range, as Redis tells them. */
  #slices(
    ranges: readonly StatusRange[],
    range: IndexRange,
    newestFirst: boolean,
    size: number,
  ): Promise<unknown[]> {
    const perCall = Math.max(1, Math.min(setsPerCallMax, Math.floor(entriesPerCallMax / size)));
    return this.#ask<unknown>(ranges, perCall, (status) =>
      sliceOf(boundsOf(range, status), newestFirst, { offset: 0, size }),
    );
  }

  /**
   * One more slice of each part; those that had one. It begins at the score of the last entry,
   * since Redis would walk over all that an offset passes.
   */
  async #readOn(
    parts: readonly Part[],
    range: IndexRange,
    newestFirst: boolean,
    count: number,
  ): Promise<Part[]> {
    const replies = await this.redis.reads.callAll(
      parts.map(({ key, status, entries }) => {
        const { at, offset } = endOf(entries);
        const rest = newestFirst ? { ...range, untilAt: at } : { ...range, fromAt: at };
        const size = Math.min(count - entries.length, entriesPerKeyMax);
        const [command, ...args] = sliceOf(boundsOf(rest, status), newestFirst, { offset, size });
        return [command, key, ...args] as const;
      }),
    );
    return parts.filter((part, i) => {
      const found = toEntries(replies[i]);
      part.entries.push(...found);
      return found.length > 0;
    });
  }

  /** Asks the same of all ranges, those of one status together; replies in their order. */
  async #ask<Reply>(
    ranges: readonly StatusRange[],
    perCall: number,
    questionOf: (status: WorkflowStatus | undefined) => [ReadCommand, ...Argument[]],
  ): Promise<Reply[]> {
    const replies = new Array<Reply>(ranges.length);
    const askOne = async (status: WorkflowStatus | undefined): Promise<void> => {
      const places = [...ranges.keys()].filter((place) => ranges[place]?.status === status);
      const keys = places.map((place) => ranges[place] as StatusRange);
      const answers = await readMany(this.redis, keys, perCall, ...questionOf(status));
      places.forEach((place, i) => (replies[place] = answers[i] as Reply));
    };
    const statuses = new Set(ranges.map((range) => range.status));
    if (ranges.length <= setsTogetherMax) await Promise.all([...statuses].map(askOne));
    else for (const status of statuses) await askOne(status);
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
