// Where a page of a search ended, as a text that a client gives back for the next one. It holds the
// place of the last row in the order of the search, not a number of rows: what starts meanwhile and
// belongs before that place moves nothing. It belongs to one search, which it knows by a hash.
import { createHash } from 'node:crypto';
import { parseExecutionId } from '../../std/ids.js';
import { AppError } from '../../model/errors.js';
import type { WorkflowSearch } from './find-workflows.js';
import type { Position, SortKey } from './order.js';

/** Of the sort keys of one row; a cursor has to fit into an address. */
const keyCharsMax = 1000;

/** The position that a cursor tells; undefined for the empty one, which begins. */
export function positionAt(request: WorkflowSearch, cursor: string): Position | undefined {
  if (request.start > 0) {
    throw new AppError('bad-request', 'start: not together with cursor, which says where to begin');
  }
  if (cursor === '') return undefined;
  const position = decode(cursor);
  if (position === undefined) {
    throw new AppError('bad-request', 'cursor: not one that a search has answered');
  }
  if (position.search !== hashOf(request)) {
    throw new AppError('bad-request', 'cursor: of a search with another query, text or order');
  }
  return position;
}

/** Throws AppError 'bad-request' where the values that the rows are sorted by are too long. */
export function toCursor(request: WorkflowSearch, { keys, startedAt, id }: Position): string {
  const text = JSON.stringify([hashOf(request), keys.map((key) => key ?? null), startedAt, id]);
  if (text.length > keyCharsMax) {
    throw new AppError('bad-request', 'cursor: the values of sort are too long for one');
  }
  return Buffer.from(text).toString('base64url');
}

function decode(cursor: string): (Position & { readonly search: string }) | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;
  const [search, keys, startedAt, text] = parts as unknown[];
  if (typeof search !== 'string' || typeof startedAt !== 'number') return undefined;
  const id = typeof text === 'string' ? parseExecutionId(text) : undefined;
  if (id === undefined || !Array.isArray(keys) || !keys.every(isKey)) return undefined;
  return { search, keys: keys.map((key) => key ?? undefined), startedAt, id };
}

function isKey(value: unknown): value is SortKey | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

function hashOf({ query, freeText, sort, classifiers, topLevelOnly }: WorkflowSearch): string {
  const asked = JSON.stringify([
    query ?? '',
    freeText ?? '',
    sort ?? '',
    classifiers,
    topLevelOnly,
  ]);
  return createHash('sha256').update(asked).digest('base64url').slice(0, 12);
}
