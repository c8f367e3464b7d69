// Searches for executions (contract-core 12.1, semantics 8.4 to 8.7). The best index gives the
// candidates (plan.ts). When it says all that was asked, a page is read and nothing else; otherwise
// headers are read in batches and checked, and only what a header leaves open is read with its
// payloads. Numbers of hits are exact.
import type { ExecutionId } from '../../std/ids.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { Json } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { toWorkflowSummary } from '../../model/summaries.js';
import type { ExecutionSummary, SearchStore } from '../../store/search-store.js';
import { readableWorkflows } from '../access.js';
import { AnswerSize } from '../answer-size.js';
import { workflowText } from '../execution-view.js';
import { readExecutions } from '../read-executions.js';
import { candidatesOf } from './candidates.js';
import { SearchEffort } from './effort.js';
import { both, type Expression } from './expression.js';
import { searchedWorkflows, type WorkflowItem } from './fields.js';
import { findByText, textQuestion } from './find-by-text.js';
import { firstOf } from './indexed-documents.js';
import { matches } from './matches.js';
import { compareKeys, parseSort, sortKeysOf, type Criterion, type SortKey } from './order.js';
import { planWorkflows, type Plan } from './plan.js';
import {
  checkBreadth,
  expressionOf,
  pageOf,
  type SearchContext,
  type SearchRequest,
} from './request.js';

export interface WorkflowSearch extends SearchRequest {
  /** `workflow`, `agent`; empty: any. */
  readonly classifiers: readonly string[];
  /** Leave out executions with a parent. */
  readonly topLevelOnly: boolean;
}

export interface SearchAnswer {
  readonly totalHits: number;
  /** JSON texts. */
  readonly results: string[];
}

interface Hit {
  readonly id: ExecutionId;
  readonly startedAt: number;
  readonly keys: readonly SortKey[];
}

/** Executions whose parts are in memory at the same time while a search goes through many. */
const headersPerBatch = 2000;
const summariesPerBatch = 320;
/** Characters of payloads in memory at the same time. */
const charsPerBatch = 64 * 1024 * 1024;
/**
 * Size of the first batch; what it holds decides the size of the next, because each execution may
 * have 20 MB.
 */
const firstBatch = 4;
/** A search that names more ids looks for none of them in the archive. */
const archivedIdsMax = 100;
const isWorkflowField = (name: string): boolean => searchedWorkflows.fields.has(name);

/**
 * WorkflowSummary texts. Throws AppError 'bad-request' for what is no query and for a search that
 * is too broad.
 */
export async function searchWorkflows(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<SearchAnswer> {
  const { total, ids } = await findWorkflows(search, request);
  return toAnswer(total, await summaryTexts(search, ids));
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

/** In the order of the ids, read in batches as large as their payloads allow. */
async function* summariesOf(
  store: SearchStore,
  ids: readonly ExecutionId[],
): AsyncGenerator<ExecutionSummary | undefined> {
  let batch = firstBatch;
  for (let first = 0; first < ids.length;) {
    const summaries = await store.summaries(ids.slice(first, first + batch));
    first += batch;
    let chars = 1;
    for (const summary of summaries) {
      if (summary !== undefined) chars += summary.input.text.length + summary.output.text.length;
      yield summary;
    }
    const fitting = Math.floor((charsPerBatch * batch) / chars);
    batch = Math.max(firstBatch, Math.min(fitting, 4 * batch, summariesPerBatch));
  }
}

/** What has gone since it was found does not count (contract-core 12.1). */
function toAnswer(total: number, texts: readonly (string | undefined)[]): SearchAnswer {
  const results = texts.filter((text) => text !== undefined);
  return { totalHits: total - (texts.length - results.length), results };
}

/**
 * Ids of the page that is asked for, and how many fit in all. Throws AppError 'bad-request' as the
 * searches do.
 */
export async function findWorkflows(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<{ total: number; ids: ExecutionId[] }> {
  const expression = both(expressionOf(request, isWorkflowField), optionsOf(request));
  const plan = planWorkflows(expression);
  const criteria = parseSort(request.sort, isWorkflowField);
  const byStart =
    criteria.length === 0 || (criteria.length === 1 && criteria[0]?.field === 'startTime');
  const limit = request.size > 0 ? Math.max(0, request.start) + request.size : 0;
  const isNewestFirst = criteria[0]?.isDescending ?? true;
  const order = byStart ? { limit, newestFirst: isNewestFirst } : undefined;
  const indexed = await findIndexed(search, request, { expression, criteria, order });
  if (indexed !== undefined) return indexed;
  if (plan.isExact && byStart && mayReadAll(search, request.caller, plan)) {
    const start = Math.max(0, request.start);
    const { size } = request;
    const page = await search.store.page(plan.range, { newestFirst: isNewestFirst, start, size });
    return { total: page.total, ids: page.entries.map(({ id }) => id) };
  }
  const candidates = await candidatesOf(search, plan);
  const wanted = { expression, criteria, caller: request.caller };
  const hits = await check(search, { candidates, areIds: plan.ids !== undefined }, wanted);
  return toPage(hits, request, criteria);
}

function toPage(
  hits: Hit[],
  request: WorkflowSearch,
  criteria: readonly Criterion[],
): { total: number; ids: ExecutionId[] } {
  hits.sort(
    (a, b) =>
      compareKeys(a.keys, b.keys, criteria) || b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1),
  );
  return { total: hits.length, ids: pageOf(hits, request).map(({ id }) => id) };
}

/** Whether the caller may read whatever the plan's names can name. */
function mayReadAll({ context }: SearchContext, caller: Caller, { range }: Plan): boolean {
  if (isAdministrator(caller)) return true;
  return range.names?.every(readableWorkflows(context.access, caller)) === true;
}

/**
 * With the text index, when words are looked for among many; undefined when it does not answer the
 * search.
 */
async function findIndexed(
  search: SearchContext,
  request: WorkflowSearch,
  asked: {
    readonly expression: Expression | undefined;
    readonly criteria: readonly Criterion[];
    /** Where the order is that of start times. */
    readonly order: { readonly limit: number; readonly newestFirst: boolean } | undefined;
  },
): Promise<{ total: number; ids: ExecutionId[] } | undefined> {
  const { expression, criteria, order } = asked;
  const { store, texts, limits, context } = search;
  const question = textQuestion(expression);
  if (question === undefined || texts === undefined) return undefined;
  const { plan, rest } = question;
  if ((await store.count(plan.range)) < limits.textIndexMin) return undefined;
  const index = await texts.current();
  if (index === undefined) return undefined;
  const { caller } = request;
  const isReadable = readableWorkflows(context.access, caller);
  const { documents, unread } = await findByText(index, question, isReadable);
  const read: Hit[] = [];
  await checkWhole(search, unread, { expression, criteria, caller }, read);
  if (order !== undefined && plan.isExact && read.length === 0) {
    const entries = firstOf(index, documents, order);
    return { total: documents.length, ids: pageOf(entries, request).map(({ id }) => id) };
  }
  checkBreadth(documents.length, limits.headersMax);
  const candidates = documents.map((document) => index.idOf(document));
  const wanted = { expression: rest, criteria, caller };
  const hits = await check(search, { candidates, areIds: false }, wanted);
  return toPage([...hits, ...read], request, criteria);
}

/** `classifier` and `topLevelOnly` as clauses (contract-core 12.1). */
function optionsOf({ classifiers, topLevelOnly }: WorkflowSearch): Expression | undefined {
  const ofClass: Expression | undefined =
    classifiers.length === 0
      ? undefined
      : {
          kind: 'compare',
          field: 'classifier',
          test: { op: 'in', values: classifiers.map((text) => ({ text })) },
        };
  const ofTop: Expression | undefined = topLevelOnly
    ? { kind: 'compare', field: 'parentWorkflowId', test: { op: 'null' } }
    : undefined;
  return both(ofClass, ofTop);
}

interface Wanted {
  readonly expression: Expression | undefined;
  readonly criteria: readonly Criterion[];
  readonly caller: Caller;
}

/** Candidates that fit the expression and that the caller may read. */
async function check(
  search: SearchContext,
  { candidates, areIds }: { candidates: readonly ExecutionId[]; areIds: boolean },
  wanted: Wanted,
): Promise<Hit[]> {
  const { expression, criteria, caller } = wanted;
  const isReadable = readableWorkflows(search.context.access, caller);
  checkBreadth(candidates.length, search.limits.headersMax);
  const hits: Hit[] = [];
  const open: ExecutionId[] = [];
  const effort = new SearchEffort();
  for (let first = 0; first < candidates.length; first += headersPerBatch) {
    const headers = await search.store.headers(candidates.slice(first, first + headersPerBatch));
    for (const [i, found] of headers.entries()) {
      const header = found ?? (await archived(search, areIds ? candidates : [], first + i));
      if (header === undefined || !isReadable(header.snapshot.def.name)) continue;
      await effort.pause();
      const fits =
        expression === undefined ? true : matches(expression, header, searchedWorkflows, effort);
      if (fits === undefined) open.push(header.id);
      else if (fits) hits.push(toHit(header, criteria));
    }
  }
  await checkWhole(search, open, wanted, hits);
  return hits;
}

/** Adds those of `ids` to the hits that fit once they have been read with their payloads. */
async function checkWhole(
  search: SearchContext,
  ids: readonly ExecutionId[],
  { expression, criteria }: Wanted,
  hits: Hit[],
): Promise<void> {
  checkBreadth(ids.length, search.limits.executionsReadMax);
  const effort = new SearchEffort();
  for await (const summary of summariesOf(search.store, ids)) {
    if (summary === undefined || expression === undefined) continue;
    await effort.pause();
    if (matches(expression, summary, searchedWorkflows, effort) === true) {
      hits.push(toHit(summary, criteria));
    }
  }
}

/** One that is asked for by its id may have been archived. */
async function archived(
  { context }: SearchContext,
  ids: readonly ExecutionId[],
  place: number,
): Promise<ExecutionSummary | undefined> {
  const id = ids[place];
  if (id === undefined || ids.length > archivedIdsMax) return undefined;
  return await context.archive?.summary(id);
}

function toHit(item: WorkflowItem, criteria: readonly Criterion[]): Hit {
  return {
    id: item.id,
    startedAt: item.state.createTime,
    keys: sortKeysOf(item, criteria, searchedWorkflows),
  };
}
