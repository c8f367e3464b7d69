// Numbers of executions by status for one search, from the same indexes as the search itself.
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import type { SearchContext, SearchRequest } from '../search/request.js';
import { searchWorkflows } from '../search/search-workflows.js';

export type StatusCounts = { [Status in WorkflowStatus]?: number };

export interface Facets {
  readonly total: number;
  readonly status: StatusCounts;
}

/** Throws AppError 'bad-request' for what is no query and for a search that is too broad. */
export async function countByStatus(
  search: SearchContext,
  request: Pick<SearchRequest, 'caller' | 'query' | 'freeText'>,
): Promise<Facets> {
  const status: StatusCounts = {};
  let total = 0;
  const asked = request.query === undefined || request.query.trim() === '' ? '' : request.query;
  for (const each of workflowStatuses) {
    const query = asked === '' ? `status = "${each}"` : `(${asked}) AND status = "${each}"`;
    const { totalHits } = await searchWorkflows(search, {
      ...{ caller: request.caller, freeText: request.freeText, query },
      ...{ start: 0, size: 0, sort: undefined, classifiers: [], topLevelOnly: false },
    });
    status[each] = totalHits;
    total += totalHits;
  }
  return { total, status };
}
