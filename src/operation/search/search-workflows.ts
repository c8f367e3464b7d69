// Answers of the searches for executions (contract-core 12.1, semantics 8.4 to 8.7): in short, in
// short without payloads, and in full. find-workflows.ts finds them.
import type { ExecutionId } from '../../std/ids.js';
import type { Json } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { toWorkflowHeading, toWorkflowSummary } from '../../model/summaries.js';
import { AnswerSize } from '../answer-size.js';
import { workflowText } from '../execution-view.js';
import { readExecutions } from '../read-executions.js';
import { findWorkflows, type WorkflowSearch } from './find-workflows.js';
import { summariesOf } from './read-summaries.js';
import type { SearchContext } from './request.js';
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
  return toAnswer(total, await summaryTexts(search, ids));
}

/** The same with a cursor, and without payloads where they are not wanted. */
export async function searchWorkflowsInShort(
  search: SearchContext,
  { includePayloads, cursor, ...request }: WorkflowSearchInShort,
): Promise<SearchAnswer> {
  const after = cursor === undefined ? undefined : positionAt(request, cursor);
  const { total, ids, last } = await findWorkflows(search, { ...request, after });
  const texts = includePayloads ? await summaryTexts(search, ids) : await headerTexts(search, ids);
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
  const texts = await readExecutions(search.context, ids, (open) =>
    size.add(workflowText(open, true, now)),
  );
  for (const [i, id] of ids.entries()) texts[i] ??= await search.context.archive?.text(id);
  return toAnswer(total, texts);
}

/**
 * WorkflowSummary texts in the order of the ids; undefined for those that are gone. Throws AppError
 * 'bad-request' when they are too long.
 */
export async function summaryTexts(
  { store, context }: SearchContext,
  ids: readonly ExecutionId[],
): Promise<(string | undefined)[]> {
  const size = new AnswerSize();
  const texts: (string | undefined)[] = [];
  for await (const found of summariesOf(store, ids)) {
    const summary = found ?? (await context.archive?.summary(ids[texts.length] as ExecutionId));
    texts.push(summary && size.add(toJsonText(toWorkflowSummary(summary) as unknown as Json)));
  }
  return texts;
}

/** WorkflowSummary texts without payloads, which are not read for them. */
async function headerTexts(
  { store, context }: SearchContext,
  ids: readonly ExecutionId[],
): Promise<(string | undefined)[]> {
  const size = new AnswerSize();
  const texts: (string | undefined)[] = [];
  for (const [i, found] of (await store.headers(ids)).entries()) {
    const header = found ?? (await context.archive?.summary(ids[i] as ExecutionId));
    texts.push(header && size.add(toJsonText(toWorkflowHeading(header) as unknown as Json)));
  }
  return texts;
}

/** What has gone since it was found does not count (contract-core 12.1). */
function toAnswer(total: number, texts: readonly (string | undefined)[]): SearchAnswer {
  const results = texts.filter((text) => text !== undefined);
  return { totalHits: total - (texts.length - results.length), results };
}
