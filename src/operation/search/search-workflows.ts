// Answers of the searches for executions (contract-core 12.1, semantics 8.4 to 8.7): in short, in
// short without payloads, and in full. find-workflows.ts finds them.
import { breathe } from '../../std/breather.js';
import type { ExecutionId } from '../../std/ids.js';
import type { Caller } from '../../model/caller.js';
import { toJsonText } from '../../model/json-text.js';
import { toWorkflowHeading, toWorkflowSummary } from '../../model/summaries.js';
import { readableExecutions } from '../access.js';
import { AnswerSize } from '../answer-size.js';
import { workflowText } from '../execution-view.js';
import { readExecutions } from '../read-executions.js';
import { findWorkflows, type WorkflowSearch } from './find-workflows.js';
import { summariesOf } from './read-summaries.js';
import { inTurn, type SearchContext } from './request.js';
import { positionAt, toCursor } from './search-cursor.js';

export interface SearchAnswer {
  readonly totalHits: number;
  /** JSON texts. */
  readonly results: string[];
  /** Where the next page begins; absent without a cursor in the request and after the last page. */
  readonly nextCursor?: string;
}

export interface WorkflowSearchInShort extends WorkflowSearch {
  /** Whether rows show input and output. */
  readonly includePayloads: boolean;
  /** Absent: pages are found by `start`. Empty: the first page. */
  readonly cursor: string | undefined;
}

/**
 * WorkflowSummary texts. Throws AppError 'bad-request' for what is no query, for a cursor of
 * another search and for a search that is too broad.
 */
export async function searchWorkflows(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<SearchAnswer> {
  const { total, ids } = await findWorkflows(search, request);
  return toAnswer(total, await summaryTexts(search, request.caller, ids));
}

/** The same with a cursor, and without payloads where they are not wanted. */
export async function searchWorkflowsInShort(
  search: SearchContext,
  { includePayloads, cursor, ...request }: WorkflowSearchInShort,
): Promise<SearchAnswer> {
  const after = cursor === undefined ? undefined : positionAt(request, cursor);
  const { total, ids, last } = await findWorkflows(search, { ...request, after });
  const texts = includePayloads
    ? await summaryTexts(search, request.caller, ids)
    : await headerTexts(search, request.caller, ids);
  const answer = toAnswer(total, texts);
  if (cursor === undefined || last === undefined) return answer;
  return { ...answer, nextCursor: toCursor(request, last) };
}

/** Workflow texts, with tasks. */
export async function searchWorkflowsInFull(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<SearchAnswer> {
  const { total, ids } = await findWorkflows(search, request);
  const now = search.context.clock.now();
  const size = new AnswerSize();
  const isReadable = readableExecutions(search.context.access, request.caller);
  const texts = await inTurn(search, request.caller, () =>
    readExecutions(
      search.context,
      ids,
      (open) => (isReadable(open.execution) ? size.add(workflowText(open, true, now)) : null),
      breathe,
    ),
  );
  for (const [i, id] of ids.entries()) {
    if (texts[i] === undefined) texts[i] = await search.context.archive?.text(id);
  }
  return toAnswer(
    total,
    texts.map((text) => text ?? undefined),
  );
}

/**
 * WorkflowSummary texts in the order of the ids; undefined for those that are gone, and those that
 * the caller may not read: of a page that comes from an index alone. Throws AppError
 * 'bad-request' when they are too long.
 */
export function summaryTexts(
  search: SearchContext,
  caller: Caller,
  ids: readonly ExecutionId[],
): Promise<(string | undefined)[]> {
  return inTurn(search, caller, () => summaryTextsNow(search, caller, ids));
}

async function summaryTextsNow(
  { store, context }: SearchContext,
  caller: Caller,
  ids: readonly ExecutionId[],
): Promise<(string | undefined)[]> {
  const size = new AnswerSize();
  const isReadable = readableExecutions(context.access, caller);
  const texts: (string | undefined)[] = [];
  for await (const found of summariesOf(store, ids)) {
    const summary = found ?? (await context.archive?.summary(ids[texts.length] as ExecutionId));
    const shown = summary && isReadable(summary) ? toWorkflowSummary(summary) : undefined;
    texts.push(shown && size.add(toJsonText(shown)));
    await breathe();
  }
  return texts;
}

/** WorkflowSummary texts without payloads, which are not read for them. */
async function headerTexts(
  { store, context }: SearchContext,
  caller: Caller,
  ids: readonly ExecutionId[],
): Promise<(string | undefined)[]> {
  const size = new AnswerSize();
  const isReadable = readableExecutions(context.access, caller);
  const texts: (string | undefined)[] = [];
  for (const [i, found] of (await store.headers(ids)).entries()) {
    const header = found ?? (await context.archive?.summary(ids[i] as ExecutionId));
    const shown = header && isReadable(header) ? toWorkflowHeading(header) : undefined;
    texts.push(shown && size.add(toJsonText(shown)));
  }
  return texts;
}

/** An execution that has gone since it was found does not count (contract-core 12.1). */
function toAnswer(total: number, texts: readonly (string | undefined)[]): SearchAnswer {
  const results = texts.filter((text) => text !== undefined);
  return { totalHits: total - (texts.length - results.length), results };
}
