// Parts that all searches share: the request, its limits, what they work with, and the expression
// tree of a request.
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { SearchStore } from '../../store/search-store.js';
import type { OperationContext } from '../context.js';
import { violated } from '../refusals.js';
import { nearestOf } from '../../std/nearest.js';
import { both, keepKnownFields, unknownFields, type Expression } from './expression.js';
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
    'executions' | 'clock' | 'limits' | 'access' | 'archive'
  >;
  readonly store: SearchStore;
  /** Absent: words are looked for by reading executions. */
  readonly texts?: ExecutionTexts | undefined;
  readonly limits: SearchLimits;
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
  fields: ReadonlyMap<string, unknown>,
): Expression | undefined {
  const isField = (name: string): boolean => fields.has(name);
  const query = parseQuery(request.query);
  if (query !== undefined && request.strictFields === true) requireFields(query, fields);
  return both(query && keepKnownFields(query, isField), parseFreeText(request.freeText, isField));
}

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

/** Refuses a search that would read more than a limit. */
export function checkBreadth(found: number, max: number): void {
  if (found <= max) return;
  throw new AppError(
    'bad-request',
    `The search would look at ${found} executions, at most ${max} are allowed: narrow it by ` +
      'workflowType, status, startTime, correlationId or workflowId',
  );
}
