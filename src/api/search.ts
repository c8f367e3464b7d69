// Searches for executions and tasks (contract-core 12).
import type { OperationContext } from '../operation/context.js';
import {
  checkPageSize,
  defaultSearchLimits,
  type SearchContext,
  type SearchLimits,
  type SearchRequest,
} from '../operation/search/request.js';
import {
  searchTasks,
  searchTasksInFull,
  searchWorkflowsByTasks,
  searchWorkflowsByTasksInFull,
} from '../operation/search/search-tasks.js';
import {
  searchWorkflows,
  searchWorkflowsInFull,
  type SearchAnswer,
  type WorkflowSearch,
} from '../operation/search/search-workflows.js';
import type { SearchStore } from '../store/search-store.js';
import type { ApiResponse } from './http-server.js';
import { jsonText, type Route, type RouteRequest } from './route.js';

/** `store`: the indexes of executions. */
export function searchRoutes(
  context: Pick<OperationContext, 'executions' | 'clock' | 'limits'>,
  store: SearchStore,
  limits: SearchLimits = defaultSearchLimits,
): Route[] {
  const search: SearchContext = { context, store, limits };
  const workflows = (
    pattern: string,
    name: string,
    run: (search: SearchContext, request: WorkflowSearch) => Promise<SearchAnswer>,
  ): Route => ({
    method: 'GET',
    pattern,
    handle: async (request) => answer(await run(search, toWorkflowSearch(request, name))),
  });
  const tasks = (
    pattern: string,
    run: (search: SearchContext, request: SearchRequest) => Promise<SearchAnswer>,
  ): Route => ({
    method: 'GET',
    pattern,
    handle: async (request) => answer(await run(search, toSearch(request))),
  });
  return [
    workflows('/api/workflow/search', 'searchWorkflows', searchWorkflows),
    workflows('/api/workflow/search-v2', 'searchWorkflowsV2', searchWorkflowsInFull),
    tasks('/api/workflow/search-by-tasks', searchWorkflowsByTasks),
    tasks('/api/workflow/search-by-tasks-v2', searchWorkflowsByTasksInFull),
    tasks('/api/tasks/search', searchTasks),
    tasks('/api/tasks/search-v2', searchTasksInFull),
  ];
}

function toSearch(request: RouteRequest): SearchRequest {
  return {
    start: request.queryInteger('start') ?? 0,
    size: request.queryInteger('size') ?? 100,
    sort: request.queryAll('sort').join('|'),
    freeText: request.query('freeText'),
    query: request.query('query'),
  };
}

/** `name` stands in the path of violations. */
function toWorkflowSearch(request: RouteRequest, name: string): WorkflowSearch {
  const search = toSearch(request);
  checkPageSize(search.size, name);
  return {
    ...search,
    classifiers: request.queryAll('classifier'),
    topLevelOnly: request.queryBoolean('topLevelOnly', false),
  };
}

function answer({ totalHits, results }: SearchAnswer): ApiResponse {
  return jsonText(`{"totalHits":${totalHits},"results":[${results.join(',')}]}`);
}
