// Numbers of executions for one search, by status and by workflow, from the same indexes as the
// search itself, so that the numbers are those that the search would show.
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import type { IndexRange } from '../../store/search-store.js';
import { findAll, type FoundWorkflows } from './find-workflows.js';
import type { SearchContext, SearchRequest } from './request.js';

export type StatusCounts = { [Status in WorkflowStatus]?: number };

export interface Facets {
  readonly total: number;
  readonly status: StatusCounts;
  /** When asked for: of each workflow that has any, most first. */
  readonly workflowType?: readonly { readonly name: string; readonly count: number }[];
  /** Executions of further workflows, and of those whose definition is not registered. */
  readonly otherTypes?: number;
}

export interface FacetsRequest extends Pick<SearchRequest, 'caller' | 'query' | 'freeText'> {
  /** Registered workflows to count by, too; absent: by status alone. */
  readonly names?: readonly string[];
}

/** Names that one answer tells apart. */
const namesShownMax = 100;
/** Names that an index is asked for, one by one. */
const namesAskedMax = 1000;

/**
 * Throws AppError 'bad-request' for what is no query, for a field that does not exist and for a
 * search that is too broad.
 */
export async function countWorkflows(
  search: SearchContext,
  { names, ...request }: FacetsRequest,
): Promise<Facets> {
  const options = { start: 0, size: 0, sort: undefined, classifiers: [], topLevelOnly: false };
  const asked = { ...request, ...options, strictFields: true };
  const found = await findAll(search, asked, []);
  const { total, status } = await byStatus(search, found);
  if (names === undefined) return { total, status };
  const counts = await byName(search, found, names);
  const sorted = [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const workflowType = sorted.slice(0, namesShownMax).map(([name, count]) => ({ name, count }));
  const told = workflowType.reduce((sum, { count }) => sum + count, 0);
  return { total, status, workflowType, otherTypes: Math.max(0, total - told) };
}

async function byStatus(
  { store }: SearchContext,
  found: FoundWorkflows,
): Promise<Pick<Facets, 'total' | 'status'>> {
  const counts = new Map<WorkflowStatus, number>(workflowStatuses.map((status) => [status, 0]));
  if (found.kind === 'range') {
    const { range } = found;
    for (const status of workflowStatuses) {
      if (range.statuses?.includes(status) === false) continue;
      counts.set(status, await store.count({ ...range, statuses: [status] }));
    }
  } else for (const { status } of factsOf(found)) counts.set(status, (counts.get(status) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { total, status: Object.fromEntries(counts) };
}

async function byName(
  { store }: SearchContext,
  found: FoundWorkflows,
  registered: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (found.kind === 'range') {
    for (const name of namesWithin(found.range, registered)) {
      counts.set(name, await store.count({ ...found.range, names: [name] }));
    }
  } else for (const { name } of factsOf(found)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function namesWithin({ names }: IndexRange, registered: readonly string[]): readonly string[] {
  return (names ?? registered).slice(0, namesAskedMax);
}

function* factsOf(
  found: Exclude<FoundWorkflows, { kind: 'range' }>,
): Generator<{ readonly name: string; readonly status: WorkflowStatus }> {
  if (found.kind === 'hits') yield* found.hits;
  else {
    const { index, documents } = found;
    for (const document of documents) {
      yield { name: index.nameOf(document), status: index.statusOf(document) };
    }
  }
}
