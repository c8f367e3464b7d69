// Finds the executions that a search asks for (contract-core 12.1, semantics 8.4 to 8.7). The best
// index gives the candidates (plan.ts). When it says all that was asked, a page is read and nothing
// else; otherwise headers are read in batches and checked, and only what a header leaves open is
// read with its payloads. Numbers of hits are exact, and the order is the same whichever index
// answers.
import type { ExecutionId } from '../../std/ids.js';
import type { Caller } from '../../model/caller.js';
import type { Classifier } from '../../model/summaries.js';
import type { WorkflowStatus } from '../../model/status.js';
import type { ExecutionSummary, IndexRange } from '../../store/search-store.js';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import { readableExecutions, readableNames, readableOwned } from '../access.js';
import { candidatesOf } from './candidates.js';
import { SearchEffort } from './effort.js';
import type { IndexedExecutions } from './execution-texts.js';
import { both, type Expression } from './expression.js';
import { searchedWorkflows, type WorkflowItem } from './fields.js';
import { findByText, textQuestion } from './find-by-text.js';
import { firstOf } from './indexed-documents.js';
import { matches } from './matches.js';
import {
  comparePositions,
  isOldestFirst,
  parseSort,
  sortKeysOf,
  type Criterion,
  type Position,
} from './order.js';
import { planWorkflows, type Plan } from './plan.js';
import { summariesOf } from './read-summaries.js';
import {
  checkBreadth,
  checkCandidates,
  expressionOf,
  inTurn,
  type SearchContext,
  type SearchRequest,
} from './request.js';

export interface WorkflowSearch extends SearchRequest {
  /** Empty: any. */
  readonly classifiers: readonly Classifier[];
  /** Leave out executions with a parent. */
  readonly topLevelOnly: boolean;
}

export interface WorkflowHit extends Position {
  readonly name: string;
  readonly status: WorkflowStatus;
}

/** All that a search finds, as far as it had to be read to know. */
export type FoundWorkflows =
  /** An index in Redis holds exactly these, by start time. */
  | { readonly kind: 'range'; readonly range: IndexRange }
  /** So does the index of texts. */
  | {
      readonly kind: 'documents';
      readonly index: IndexedExecutions;
      readonly documents: readonly number[];
    }
  /** In no order. */
  | { readonly kind: 'hits'; readonly hits: readonly WorkflowHit[] };

export interface WorkflowPage {
  /** How many fit in all. */
  readonly total: number;
  readonly ids: ExecutionId[];
  /** Where the last one of the page stands; undefined when none follows. */
  readonly last: Position | undefined;
}

/** Executions whose parts are in memory at the same time while a search goes through many. */
const headersPerBatch = 2000;
/** A search that names more ids looks for none of them in the archive. */
const archivedIdsMax = 100;
const isWorkflowField = (name: string): boolean => searchedWorkflows.fields.has(name);

/**
 * The page that is asked for: from `start` on, or what follows a place. Throws AppError
 * 'bad-request' as the searches do.
 */
export async function findWorkflows(
  search: SearchContext,
  request: WorkflowSearch & { readonly after?: Position | undefined },
): Promise<WorkflowPage> {
  const criteria = parseSort(request.sort, isWorkflowField);
  const found = await findAll(search, request, criteria);
  const asked: PageAsked = {
    ...{ criteria, after: request.after },
    start: request.after === undefined ? Math.max(0, request.start) : 0,
    size: Math.max(0, request.size),
  };
  switch (found.kind) {
    case 'range':
      return await pageOfRange(search, found.range, asked);
    case 'documents':
      return pageOfDocuments(found, asked);
    case 'hits':
      return pageOfHits(found.hits, asked);
  }
}

/**
 * Everything that a search finds. Only hits can be in an order other than that of start times, so
 * they are what is found when `criteria` ask for one.
 */
export function findAll(
  search: SearchContext,
  request: WorkflowSearch,
  criteria: readonly Criterion[],
): Promise<FoundWorkflows> {
  return inTurn(search, request.caller, () => findNow(search, request, criteria));
}

async function findNow(
  search: SearchContext,
  request: WorkflowSearch,
  criteria: readonly Criterion[],
): Promise<FoundWorkflows> {
  const expression = both(expressionOf(request, searchedWorkflows.fields), optionsOf(request));
  const plan = planWorkflows(expression);
  const wanted: Wanted = { expression, criteria, caller: request.caller };
  const indexed = await findIndexed(search, wanted);
  if (indexed !== undefined) return indexed;
  if (plan.isExact && isByStart(criteria) && (await mayReadAll(search, request.caller, plan))) {
    return { kind: 'range', range: plan.range };
  }
  const candidates = await candidatesOf(search, plan);
  const hits = await check(search, { candidates, areIds: plan.ids !== undefined }, wanted);
  return { kind: 'hits', hits };
}

interface PageAsked {
  readonly criteria: readonly Criterion[];
  readonly after: Position | undefined;
  readonly start: number;
  readonly size: number;
}

function isByStart(criteria: readonly Criterion[]): boolean {
  return criteria.length === 0 || (criteria.length === 1 && criteria[0]?.field === 'startTime');
}

async function pageOfRange(
  { store }: SearchContext,
  range: IndexRange,
  { criteria, after, start, size }: PageAsked,
): Promise<WorkflowPage> {
  const newestFirst = !isOldestFirst(criteria);
  const toPosition = ({ id, startedAt }: { id: ExecutionId; startedAt: number }): Position => ({
    ...{ id, startedAt, keys: criteria.map(() => startedAt) },
  });
  if (after === undefined) {
    const { entries, total } = await store.page(range, { newestFirst, start, size });
    const last = start + entries.length < total ? entries.at(-1) : undefined;
    const ids = entries.map(({ id }) => id);
    return { total, ids, last: last && toPosition(last) };
  }
  // Those that started in the millisecond of the place are read again, and left out by their ids.
  const { startedAt } = after;
  const total = await store.count(range);
  const rest = beyond(range, startedAt, newestFirst);
  const equal = await store.count({ ...rest, fromAt: startedAt, untilAt: startedAt });
  const page = await store.page(rest, { newestFirst, start: 0, size: size + equal + 1 });
  const left = page.entries
    .map(toPosition)
    .filter((each) => comparePositions(each, after, criteria) > 0);
  return { total, ...firstPage(left, size) };
}

/** The part of a range from a moment on, in the order of the search. */
function beyond(range: IndexRange, at: number, newestFirst: boolean): IndexRange {
  return newestFirst
    ? { ...range, untilAt: Math.min(range.untilAt ?? at, at) }
    : { ...range, fromAt: Math.max(range.fromAt ?? at, at) };
}

function pageOfDocuments(
  { index, documents }: Extract<FoundWorkflows, { kind: 'documents' }>,
  { criteria, after, start, size }: PageAsked,
): WorkflowPage {
  const toPosition = (id: ExecutionId, startedAt: number): Position => ({
    ...{ id, startedAt, keys: criteria.map(() => startedAt) },
  });
  const follow =
    after === undefined
      ? documents
      : documents.filter((document) => {
          const position = toPosition(index.idOf(document), index.startedAt(document));
          return comparePositions(position, after, criteria) > 0;
        });
  const order = { limit: start + size + 1, newestFirst: !isOldestFirst(criteria) };
  const entries = size === 0 ? [] : firstOf(index, follow, order).slice(start);
  const positions = entries.map(({ id, startedAt }) => toPosition(id, startedAt));
  return { total: documents.length, ...firstPage(positions, size) };
}

function pageOfHits(
  hits: readonly WorkflowHit[],
  { criteria, after, start, size }: PageAsked,
): WorkflowPage {
  const follow =
    after === undefined
      ? [...hits]
      : hits.filter((hit) => comparePositions(hit, after, criteria) > 0);
  follow.sort((a, b) => comparePositions(a, b, criteria));
  return { total: hits.length, ...firstPage(follow.slice(start), size) };
}

function firstPage(positions: readonly Position[], size: number): Omit<WorkflowPage, 'total'> {
  const page = positions.slice(0, size);
  const last = positions.length > page.length ? page.at(-1) : undefined;
  return { ids: page.map(({ id }) => id), last };
}

/** Whether the caller may read every execution in the plan's range. */
async function mayReadAll(
  { context, store }: SearchContext,
  caller: Caller,
  { range }: Plan,
): Promise<boolean> {
  const { access } = context;
  if (mayOnAllExecutions(access, caller, 'READ')) return true;
  if (range.names?.every(readableNames(access, caller)) !== true) return false;
  for (const name of range.names) {
    const since = access.heldSince(name);
    if (since === undefined) return false;
    if (since <= (range.fromAt ?? 0)) continue;
    // Executions that began before the name was registered anew belong to others.
    if ((await store.count({ ...range, names: [name], untilAt: since - 1 })) > 0) return false;
  }
  return true;
}

/**
 * With the text index, when words are looked for among many; undefined when it does not answer the
 * search.
 */
async function findIndexed(
  search: SearchContext,
  wanted: Wanted,
): Promise<FoundWorkflows | undefined> {
  const { expression, criteria, caller } = wanted;
  const { store, texts, limits, context } = search;
  const question = textQuestion(expression);
  if (question === undefined || texts === undefined) return undefined;
  const { plan, rest } = question;
  if ((await store.count(plan.range)) < limits.textIndexMin) return undefined;
  const index = await texts.current();
  if (index === undefined) return undefined;
  const isReadable = readableOwned(context.access, caller);
  const { documents, unread } = await findByText(index, question, isReadable);
  const read: WorkflowHit[] = [];
  await checkWhole(search, unread, wanted, read);
  if (isByStart(criteria) && plan.isExact && read.length === 0) {
    return { kind: 'documents', index, documents };
  }
  checkBreadth(documents.length, limits.headersMax);
  const candidates = documents.map((document) => index.idOf(document));
  const hits = await check(search, { candidates, areIds: false }, { ...wanted, expression: rest });
  return { kind: 'hits', hits: [...hits, ...read] };
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
): Promise<WorkflowHit[]> {
  const { expression, criteria, caller } = wanted;
  const isReadable = readableExecutions(search.context.access, caller);
  checkCandidates(search, caller, candidates.length);
  const hits: WorkflowHit[] = [];
  const open: ExecutionId[] = [];
  const effort = new SearchEffort();
  for (let first = 0; first < candidates.length; first += headersPerBatch) {
    const headers = await search.store.headers(candidates.slice(first, first + headersPerBatch));
    for (const [i, found] of headers.entries()) {
      const header = found ?? (await archived(search, areIds ? candidates : [], first + i));
      if (header === undefined || !isReadable(header)) continue;
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
  hits: WorkflowHit[],
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

function toHit(item: WorkflowItem, criteria: readonly Criterion[]): WorkflowHit {
  return {
    id: item.id,
    startedAt: item.state.createTime,
    keys: sortKeysOf(item, criteria, searchedWorkflows),
    name: item.snapshot.def.name,
    status: item.state.status,
  };
}
