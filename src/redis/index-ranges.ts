// Ranges of the sorted sets that index executions (search-store.ts), and what is read of them.
import type { WorkflowStatus } from '../model/status.js';
import type { IndexEntry, IndexRange } from '../store/search-store.js';
import type { Argument } from './encoded-call.js';
import { createTimeOf, indexScore } from './codec/scores.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { PartitionKey, ReadCommand } from './read-many.js';

/** A sorted set, or the range of one that belongs to a status. */
export interface StatusRange extends PartitionKey {
  /** undefined: its scores are create times alone. */
  readonly status: WorkflowStatus | undefined;
}

/** One range in a question. */
export interface Part extends StatusRange {
  readonly count: number;
  entries: FoundEntry[];
}

/** An entry as it stands in a set: short ids sort like ids, and most are never looked at. */
export interface FoundEntry {
  readonly shortId: string;
  readonly startedAt: number;
}

const shareDeviations = 3;

export function toEntry({ shortId, startedAt }: FoundEntry): IndexEntry {
  return { id: executionIdOfShort(shortId), startedAt };
}

/** Those that hold anything, with their first entries where these were read with the counts. */
export function toParts(
  ranges: readonly StatusRange[],
  counts: readonly number[],
  slices?: readonly unknown[],
): Part[] {
  const parts: Part[] = [];
  for (const [i, range] of ranges.entries()) {
    const count = counts[i] as number;
    if (count > 0) parts.push({ ...range, count, entries: slices ? toEntries(slices[i]) : [] });
  }
  return parts;
}

/**
 * How many entries each of some ranges is asked for first: its even share of a list and so many
 * standard deviations of it. Ids are random, so the parts of a list are spread like dice.
 */
export function firstShareOf(limit: number, ranges: number): number {
  const even = limit / ranges;
  return Math.ceil(even + shareDeviations * Math.sqrt(even)) + 1;
}

export function totalOf(parts: readonly Part[]): number {
  return sum(parts.map(({ count }) => count));
}

/** Whether entries that have not been read could belong before the last one of a page. */
export function mayHoldMore(
  part: Part,
  last: FoundEntry | undefined,
  newestFirst: boolean,
): boolean {
  if (part.entries.length >= part.count) return false;
  const end = part.entries.at(-1);
  if (last === undefined || end === undefined) return true;
  return newestFirst ? end.startedAt >= last.startedAt : end.startedAt <= last.startedAt;
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

export function boundsOf(
  { fromAt, untilAt }: IndexRange,
  status: WorkflowStatus | undefined,
): [Argument, Argument] {
  if (status === undefined) return [fromAt ?? '-inf', untilAt ?? '+inf'];
  return [indexScore(status, fromAt ?? 0), indexScore(status, untilAt ?? Infinity)];
}

/** Arguments but for the key. */
export function sliceOf(
  [from, until]: readonly [Argument, Argument],
  newestFirst: boolean,
  { offset, size }: { offset: number; size: number },
): [ReadCommand, ...Argument[]] {
  const limit = ['WITHSCORES', 'LIMIT', offset, size] as const;
  return newestFirst
    ? ['ZREVRANGEBYSCORE', until, from, ...limit]
    : ['ZRANGEBYSCORE', from, until, ...limit];
}

/** Start time of the last entry, and how many entries at the end have it. */
export function endOf(entries: readonly FoundEntry[]): { at: number; offset: number } {
  const at = entries.at(-1)?.startedAt ?? 0;
  let offset = 0;
  while (entries.at(-1 - offset)?.startedAt === at) offset += 1;
  return { at, offset };
}

export function toEntries(reply: unknown): FoundEntry[] {
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

export function sorted(entries: FoundEntry[], newestFirst: boolean): FoundEntry[] {
  const sign = newestFirst ? -1 : 1;
  return entries.sort(
    (a, b) =>
      sign *
      (a.startedAt - b.startedAt || (a.shortId < b.shortId ? -1 : a.shortId > b.shortId ? 1 : 0)),
  );
}
