// Order and pages of search results (contract-core 1.1, 12.1). Criteria that name no field are
// ignored; what they leave equal is ordered newest first, so that pages do not overlap.
import type { ExecutionId } from '../../std/ids.js';
import { unread, type SearchedKind } from './fields.js';

export interface Criterion {
  readonly field: string;
  readonly isDescending: boolean;
}

export type SortKey = string | number | undefined;

/** `field`, `field:ASC` or `field:DESC`, several separated by `|` or commas. */
export function parseSort(
  sort: string | undefined,
  isKnown: (field: string) => boolean,
): Criterion[] {
  if (sort === undefined) return [];
  return sort.split(/[|,]/).flatMap((part) => {
    const [field = '', direction = ''] = part.trim().split(':');
    if (!isKnown(field)) return [];
    return { field, isDescending: direction.trim().toUpperCase() === 'DESC' };
  });
}

export function sortKeysOf<Item>(
  item: Item,
  criteria: readonly Criterion[],
  searched: SearchedKind<Item>,
): SortKey[] {
  return criteria.map(({ field }) => {
    const value = searched.fields.get(field)?.get(item);
    if (value === unread) return undefined;
    return typeof value === 'object' ? value.join(',') : value;
  });
}

/** Where an execution stands in the order of a search. */
export interface Position {
  readonly keys: readonly SortKey[];
  /** Epoch ms. */
  readonly startedAt: number;
  readonly id: ExecutionId;
}

/**
 * Executions that the criteria leave equal are ordered newest first, or oldest first where the
 * criteria ask for it.
 */
export function isOldestFirst(criteria: readonly Criterion[]): boolean {
  const [first] = criteria;
  return first?.field === 'startTime' && !first.isDescending;
}

/** Order of two places of one search; 0 for the same execution only. */
export function comparePositions(a: Position, b: Position, criteria: readonly Criterion[]): number {
  const byKeys = compareKeys(a.keys, b.keys, criteria);
  if (byKeys !== 0) return byKeys;
  const sign = isOldestFirst(criteria) ? 1 : -1;
  return sign * (a.startedAt - b.startedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/**
 * Order of two lists of keys; 0 when the criteria leave it open. Missing values come first in
 * ascending order.
 */
export function compareKeys(
  a: readonly SortKey[],
  b: readonly SortKey[],
  criteria: readonly Criterion[],
): number {
  for (const [i, { isDescending }] of criteria.entries()) {
    const order = compareKey(a[i], b[i]);
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}

function compareKey(a: SortKey, b: SortKey): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return a < b ? -1 : 1;
}
