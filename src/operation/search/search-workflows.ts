// Searches for executions (contract-core 12.1, semantics 8.4 to 8.7). The best index gives the candidates (plan.ts). When it says all that was
// asked, a page is read and nothing else; otherwise headers are read in batches and checked, and only what a header leaves open is
// read with its payloads. Numbers of hits are exact.
import type { ExecutionId } from '../../std/ids.js';
import type { Json } from '../../model/json.js';
import { Limiter } from '../../std/limiter.js';
import { toJsonText } from '../../model/json-text.js';
import { toWorkflowSummary } from '../../model/summaries.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import { workflowText } from '../execution-view.js';
import { candidatesOf } from './candidates.js';
import { both, type Expression } from './expression.js';
import { searchedWorkflows, type WorkflowItem } from './fields.js';
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
const isWorkflowField = (name: string): boolean => searchedWorkflows.fields.has(name);

/** WorkflowSummary texts. Throws AppError 'bad-request' for what is no query and for a search that is too broad. */
export async function searchWorkflows(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<SearchAnswer> {
  const { total, ids } = await find(search, request);
  return toAnswer(total, await summaryTexts(search, ids));
}

/** Workflow texts, with tasks. */
export async function searchWorkflowsInFull(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<SearchAnswer> {
  const { total, ids } = await find(search, request);
  const now = search.context.clock.now();
  const texts = await readExecutions(search, ids, (open) => workflowText(open, true, now));
  return toAnswer(total, texts);
}

/** WorkflowSummary texts in the order of the ids; undefined for those that are gone. */
export async function summaryTexts(
  { store }: SearchContext,
  ids: readonly ExecutionId[],
): Promise<(string | undefined)[]> {
  const summaries = await store.summaries(ids);
  return summaries.map(
    (summary) => summary && toJsonText(toWorkflowSummary(summary) as unknown as Json),
  );
}

/** Views of executions in the order of the ids; undefined for those that are gone. */
export function readExecutions<T>(
  { context }: SearchContext,
  ids: readonly ExecutionId[],
  view: (open: OpenExecution) => T,
): Promise<(T | undefined)[]> {
  const limiter = new Limiter(context.limits.readsAtOnceMax);
  return Promise.all(ids.map((id) => limiter.run(() => context.executions.read(id, view))));
}

/** What has gone since it was found does not count (contract-core 12.1). */
function toAnswer(total: number, texts: readonly (string | undefined)[]): SearchAnswer {
  const results = texts.filter((text) => text !== undefined);
  return { totalHits: total - (texts.length - results.length), results };
}

async function find(
  search: SearchContext,
  request: WorkflowSearch,
): Promise<{ total: number; ids: ExecutionId[] }> {
  const expression = both(expressionOf(request, isWorkflowField), optionsOf(request));
  const plan = planWorkflows(expression);
  const criteria = parseSort(request.sort, isWorkflowField);
  const byStart =
    criteria.length === 0 || (criteria.length === 1 && criteria[0]?.field === 'startTime');
  if (plan.isExact && byStart) {
    const limit = Math.max(0, request.start) + Math.max(0, request.size);
    const isNewestFirst = criteria[0]?.isDescending ?? true;
    const page = await search.store.page(plan.range, isNewestFirst, request.size > 0 ? limit : 0);
    return { total: page.total, ids: pageOf(page.entries, request).map(({ id }) => id) };
  }
  const hits = await check(search, plan, expression, criteria);
  hits.sort(
    (a, b) =>
      compareKeys(a.keys, b.keys, criteria) || b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1),
  );
  return { total: hits.length, ids: pageOf(hits, request).map(({ id }) => id) };
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

/** Candidates that fit the expression. */
async function check(
  search: SearchContext,
  plan: Plan,
  expression: Expression | undefined,
  criteria: readonly Criterion[],
): Promise<Hit[]> {
  const candidates = await candidatesOf(search, plan);
  checkBreadth(candidates.length, search.limits.headersMax);
  const hits: Hit[] = [];
  const open: ExecutionId[] = [];
  for (let first = 0; first < candidates.length; first += headersPerBatch) {
    const headers = await search.store.headers(candidates.slice(first, first + headersPerBatch));
    for (const header of headers) {
      if (header === undefined) continue;
      const fits = expression === undefined ? true : matches(expression, header, searchedWorkflows);
      if (fits === undefined) open.push(header.id);
      else if (fits) hits.push(toHit(header, criteria));
    }
  }
  checkBreadth(open.length, search.limits.executionsReadMax);
  for (let first = 0; first < open.length; first += summariesPerBatch) {
    const summaries = await search.store.summaries(open.slice(first, first + summariesPerBatch));
    for (const summary of summaries) {
      if (summary === undefined || expression === undefined) continue;
      if (matches(expression, summary, searchedWorkflows) === true) {
        hits.push(toHit(summary, criteria));
      }
    }
  }
  return hits;
}

function toHit(item: WorkflowItem, criteria: readonly Criterion[]): Hit {
  return {
    id: item.id,
    startedAt: item.progress.createTime,
    keys: sortKeysOf(item, criteria, searchedWorkflows),
  };
}
