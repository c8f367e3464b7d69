// Parts that all searches share: the request, its limits, what they work with, and the expression
// tree of a request.
import type { Caller } from '../../model/caller.js';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import { AppError } from '../../model/errors.js';
import type { SearchStore } from '../../store/search-store.js';
import type { OperationContext } from '../context.js';
import { violated } from '../refusals.js';
import { nearestOf } from '../../std/nearest.js';
import {
  both,
  keepKnownFields,
  unknownFields,
  withPersonIds,
  type Expression,
} from './expression.js';
import { parseFreeText } from './parse-free-text.js';
import { parseQuery } from './parse-query.js';
import type { ExecutionTexts } from './execution-texts.js';

/** Contract-core 12.1. */
export interface SearchRequest {
  /** Only what it may read is found. */
  readonly caller: Caller;
  /** Negative counts as 0. */
  readonly start: number;
  readonly size: number;
  readonly sort: string | undefined;
  readonly freeText: string | undefined;
  readonly query: string | undefined;
  /**
   * A query that names a field that does not exist is refused. Absent: its clause is ignored, as
   * clients expect (contract-core 12.2).
   */
  readonly strictFields?: boolean;
}

export interface SearchLimits {
  /** Headers that one search reads. */
  readonly headersMax: number;
  /** Executions that one search reads in full: for tasks, payloads, bare words. */
  readonly executionsReadMax: number;
  /** Among fewer executions words are looked for by reading them. */
  readonly textIndexMin: number;
}

export const defaultSearchLimits: SearchLimits = {
  headersMax: 200_000,
  executionsReadMax: 20_000,
  textIndexMin: 5_000,
};

export interface SearchContext {
  readonly context: Pick<
    OperationContext,
    'executions' | 'clock' | 'limits' | 'access' | 'archive' | 'searchTurns'
  >;
  readonly store: SearchStore;
  /** Absent: words are looked for by reading executions. */
  readonly texts?: ExecutionTexts | undefined;
  readonly limits: SearchLimits;
  /** Nobody waits for the answer any more; absent: somebody always does. */
  readonly gone?: AbortSignal | undefined;
}

/**
 * Carries out a part of a search that reads and looks through much: few at a time, and callers take
 * turns. Parts do not stand in each other, or they would wait for themselves.
 */
export function inTurn<T>(
  {
    context: { searchTurns },
    gone,
  }: {
    readonly context: Pick<OperationContext, 'searchTurns'>;
    readonly gone?: AbortSignal | undefined;
  },
  caller: Caller,
  work: () => Promise<T>,
): Promise<T> {
  return searchTurns === undefined ? work() : searchTurns.run(caller.id, work, gone);
}

/** Page size of the two searches for executions (contract-core 12.1). */
const pageSizeMax = 5000;

/** `operation` names the search in the violation. Throws AppError 'validation'. */
export function checkPageSize(size: number, operation: string): void {
  if (size <= pageSizeMax) return;
  throw violated(
    `${operation}.arg1`,
    `Cannot return more than ${pageSizeMax} workflows. Please use pagination.`,
    String(size),
  );
}

/**
 * Query and free text as one tree; undefined: everything. Throws AppError 'bad-request' for what is
 * no query, and with `strictFields` for a field that does not exist.
 */
export function expressionOf(
  request: SearchRequest,
  fields: SearchedFields,
): Expression | undefined {
  const isField = (name: string): boolean => fields.has(name);
  const query = parseQuery(request.query);
  if (query !== undefined && request.strictFields === true) requireFields(query, fields);
  const known = query && keepKnownFields(query, isField);
  const asked = both(known, parseFreeText(request.freeText, isField));
  return asked && withPersonIds(asked, (name) => fields.get(name)?.isPerson === true);
}

type SearchedFields = ReadonlyMap<string, { readonly isPerson?: true }>;

function requireFields(query: Expression, fields: ReadonlyMap<string, unknown>): void {
  const [unknown] = unknownFields(query, (name) => fields.has(name));
  if (unknown === undefined) return;
  const nearest = nearestOf(unknown, fields.keys());
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new AppError(
    'bad-request',
    `There is no field ${unknown.slice(0, 100)} to search by.${hint}`,
  );
}

/** Fields of a query that a search without `strictFields` ignores. */
export function ignoredFields(
  { query, strictFields }: Pick<SearchRequest, 'query' | 'strictFields'>,
  fields: ReadonlyMap<string, unknown>,
): string[] {
  const expression = strictFields === true ? undefined : parseQuery(query);
  return expression === undefined ? [] : unknownFields(expression, (name) => fields.has(name));
}

/** The part of an ordered list that a request asks for. */
export function pageOf<T>(list: readonly T[], request: SearchRequest): T[] {
  const start = Math.max(0, request.start);
  return list.slice(start, start + Math.max(0, request.size));
}

/** Refuses a search that would read more than a limit, of what the caller may read. */
export function checkBreadth(found: number, max: number): void {
  if (found > max) throw tooBroad(String(found), max);
}

/** The same for the headers of all candidates: how many others have is not told. */
export function checkCandidates(
  { limits, context }: Pick<SearchContext, 'limits'> & AccessContext,
  caller: Caller,
  found: number,
): void {
  const max = limits.headersMax;
  if (found <= max) return;
  const isTold = mayOnAllExecutions(context.access, caller, 'READ');
  throw tooBroad(isTold ? String(found) : `more than ${max}`, max);
}

/** The part of a search's context that says what a caller may read. */
export interface AccessContext {
  readonly context: Pick<OperationContext, 'access'>;
}

function tooBroad(found: string, max: number): AppError {
  return new AppError(
    'bad-request',
    `The search would look at ${found} executions, at most ${max} are allowed: narrow it by ` +
      'workflowType, status, startTime, correlationId or workflowId',
  );
}
