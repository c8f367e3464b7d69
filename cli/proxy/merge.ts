// Answers of two servers as one: pages of a search, lists, numbers by name, outcomes of bulk calls.
import { isObject, numberOf, objectOf, objectsOf, type JsonObject } from '../shared/json.js';

/** Rows that a page may begin at, plus its size: both servers are asked for all of them. */
export const rowsMax = 5000;

/** The page that both servers are asked for so that rows `start` to `start + size` are in it. */
export interface PageAsked {
  readonly start: number;
  readonly size: number;
  /** Field and direction, such as `startTime:DESC`. */
  readonly sort: string;
}

/** One page of both results. */
export function mergePages(
  answers: readonly unknown[],
  { start, size, sort }: PageAsked,
): JsonObject {
  const [field = 'startTime', direction = 'DESC'] = sort.split(':');
  const sign = direction.toUpperCase() === 'ASC' ? 1 : -1;
  const rows = answers
    .flatMap((answer) => objectsOf(objectOf(answer)['results']))
    .map((row, index) => ({ row, index }))
    .sort((a, b) => sign * compare(a.row[field], b.row[field]) || a.index - b.index)
    .map(({ row }) => row);
  const totalHits = answers.reduce<number>(
    (sum, answer) => sum + numberOf(objectOf(answer)['totalHits']),
    0,
  );
  return { totalHits, results: rows.slice(start, start + size) };
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [comparable(a), comparable(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function comparable(value: unknown): string | number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return '';
  // Times come as ISO text or as a number, by server.
  return /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value;
}

/** Lists one after the other; objects of lists, numbers or objects by their names. */
export function mergeValues(a: unknown, b: unknown): unknown {
  if (a === undefined || b === undefined) return a ?? b;
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])];
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (!isObject(a) || !isObject(b)) return a;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, mergeValues(a[name], b[name])]));
}
