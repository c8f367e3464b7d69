// A connection to a database for one statement in a transaction of its own. The database takes an
// unfinished transaction back when the connection ends.
import type { Json, JsonMap } from '@downbeat/plugin';
import type { DatabaseAddress } from './sql-text.js';

export interface DatabaseTarget extends DatabaseAddress {
  readonly user: string;
  readonly password: string;
}

export type SqlValue = string | number | bigint | boolean | null;

export interface SqlStatement {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
  /** Whether it gives rows; else it changes some. */
  readonly isQuery: boolean;
  /** Rows that must be changed, else everything is taken back; undefined: any number. */
  readonly expectedCount: number | undefined;
}

export type SqlResult = { readonly rows: readonly JsonMap[] } | { readonly count: number };

export interface SqlLimits {
  readonly rowsMax: number;
  readonly timeMsMax: number;
  readonly signal: AbortSignal;
}

/** Throws an Error when another number of rows was changed than expected. */
export function checkCount(
  { expectedCount }: Pick<SqlStatement, 'expectedCount'>,
  count: number,
): void {
  if (expectedCount === undefined || count === expectedCount) return;
  throw new Error(`The statement changed ${count} rows, ${expectedCount} were expected`);
}

export function tooManyRows(rowsMax: number): Error {
  return new Error(`The statement gives more than ${rowsMax} rows (sqlRowsMax)`);
}

/** A row as JSON: moments in ISO 8601, bytes in base64. */
export function toRow(row: object): JsonMap {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, toJson(value as unknown)]),
  );
}

function toJson(value: unknown): Json {
  if (value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  return typeof value === 'object' && value !== null ? toRow(value) : (value as Json);
}

/** A whole number that fits is a number; a longer one keeps its digits. */
export function wholeNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
