// Searches for executions and tasks (contract-core 12).
import {
  checkPageSize,
  ignoredFields,
  type SearchContext,
  type SearchRequest,
} from '../operation/search/request.js';
import {
  searchTasks,
  searchTasksInFull,
  searchWorkflowsByTasks,
  searchWorkflowsByTasksInFull,
} from '../operation/search/search-tasks.js';
import { searchedTasks, searchedWorkflows } from '../operation/search/fields.js';
import { classifiers } from '../model/summaries.js';
import type { WorkflowSearch } from '../operation/search/find-workflows.js';
import {
  searchWorkflowsInFull,
  searchWorkflowsInShort,
  type SearchAnswer,
} from '../operation/search/search-workflows.js';
import { query, rawEndpoint, replies, type Endpoint, type Parameter } from './endpoint.js';
import { readsExecutions } from './execution-access.js';
import * as schema from '../model/schema.js';
import {
  tasksFoundSchema,
  taskSummariesSchema,
  workflowPageSchema,
  workflowsFoundSchema,
  workflowSummariesSchema,
} from './schemas/summaries.js';
import type { ApiResponse } from './http-server.js';
import { jsonText, type RouteRequest } from './route.js';

const searchParameters: Readonly<Record<string, Parameter>> = {
  start: query(schema.integer('Records to leave out before', { default: 0 })),
  size: query(schema.integer('Most records to show', { default: 100 })),
  sort: query(schema.text('`field`, `field:ASC` or `field:DESC`'), { repeated: true }),
  freeText: query(schema.text('Words to look for; `*` or empty for all')),
  query: query(schema.text('Conditions, such as `status = "FAILED" AND startTime > 0`')),
  strictFields: query(
    schema.flag('A field that does not exist is refused; otherwise its condition is ignored', {
      default: false,
    }),
  ),
};

const workflowSearchParameters: Readonly<Record<string, Parameter>> = {
  ...searchParameters,
  classifier: query(schema.oneOf(classifiers, 'Only those of this kind'), {
    repeated: true,
  }),
  topLevelOnly: query(schema.flag('Whether children are left out', { default: false })),
};

export function searchRoutes(search: SearchContext): Endpoint[] {
  return [...workflowSearches(search), ...taskSearches(search)];
}

const shortSearchParameters: Readonly<Record<string, Parameter>> = {
  ...workflowSearchParameters,
  includePayloads: query(schema.flag('Whether rows show input and output', { default: true })),
  cursor: query(
    schema.text('Empty for the first page, then what the page before answered as `nextCursor`'),
  ),
};

function workflowSearches(search: SearchContext): Endpoint[] {
  const entry = { method: 'GET', access: readsExecutions } as const;
  return [
    rawEndpoint({
      ...entry,
      pattern: '/api/workflow/search',
      name: 'searchWorkflows',
      summary: 'Finds executions and shows them in short.',
      parameters: shortSearchParameters,
      replies: replies(workflowPageSchema),
      errors: ['validation'],
      handle: async (request) => {
        const asked = {
          ...toWorkflowSearch(request, 'searchWorkflows'),
          includePayloads: request.queryBoolean('includePayloads'),
          cursor: request.query('cursor'),
        };
        return answer(
          await searchWorkflowsInShort(forCaller(search, request), asked),
          asked,
          searchedWorkflows,
        );
      },
    }),
    rawEndpoint({
      ...entry,
      pattern: '/api/workflow/search-v2',
      name: 'searchWorkflowsV2',
      summary: 'Finds executions and shows them in full.',
      parameters: workflowSearchParameters,
      replies: replies(workflowsFoundSchema),
      errors: ['validation'],
      handle: async (request) => {
        const asked = toWorkflowSearch(request, 'searchWorkflowsV2');
        return answer(
          await searchWorkflowsInFull(forCaller(search, request), asked),
          asked,
          searchedWorkflows,
        );
      },
    }),
  ];
}

function taskSearches(search: SearchContext): Endpoint[] {
  const entry = (
    pattern: string,
    name: string,
    run: (search: SearchContext, request: SearchRequest) => Promise<SearchAnswer>,
    reply: { readonly schema: schema.Schema; readonly summary: string },
  ): Endpoint =>
    rawEndpoint({
      method: 'GET',
      pattern,
      name,
      summary: reply.summary,
      access: readsExecutions,
      parameters: searchParameters,
      replies: replies(reply.schema),
      handle: async (request) => {
        const asked = toSearch(request);
        return answer(await run(forCaller(search, request), asked), asked, searchedTasks);
      },
    });
  return [
    entry('/api/workflow/search-by-tasks', 'searchWorkflowsByTasks', searchWorkflowsByTasks, {
      schema: workflowSummariesSchema,
      summary: 'Finds executions by their tasks and shows them in short.',
    }),
    entry(
      '/api/workflow/search-by-tasks-v2',
      'searchWorkflowsByTasksV2',
      searchWorkflowsByTasksInFull,
      {
        schema: workflowsFoundSchema,
        summary: 'Finds executions by their tasks and shows them in full.',
      },
    ),
    entry('/api/tasks/search', 'searchTasks', searchTasks, {
      schema: taskSummariesSchema,
      summary: 'Finds tasks and shows them in short.',
    }),
    entry('/api/tasks/search-v2', 'searchTasksV2', searchTasksInFull, {
      schema: tasksFoundSchema,
      summary: 'Finds tasks and shows them in full.',
    }),
  ];
}

/** The search leaves the line when its caller goes away. */
export function forCaller(search: SearchContext, request: RouteRequest): SearchContext {
  return { ...search, gone: request.whenGone() };
}

function toSearch(request: RouteRequest): SearchRequest {
  return {
    caller: request.caller,
    start: request.queryNumber('start'),
    size: request.queryNumber('size'),
    sort: request.queryAll('sort').join('|'),
    freeText: request.query('freeText'),
    query: request.query('query'),
    strictFields: request.queryBoolean('strictFields'),
  };
}

/** `name` stands in the path of violations. */
function toWorkflowSearch(request: RouteRequest, name: string): WorkflowSearch {
  const search = toSearch(request);
  checkPageSize(search.size, name);
  return {
    ...search,
    classifiers: request.queryChoices('classifier', classifiers),
    topLevelOnly: request.queryBoolean('topLevelOnly'),
  };
}

/** Tells the fields that were ignored, where there are any. */
function answer(
  { totalHits, results, nextCursor }: SearchAnswer,
  asked: SearchRequest,
  { fields }: { readonly fields: ReadonlyMap<string, unknown> },
): ApiResponse {
  const ignored = ignoredFields(asked, fields);
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const told = ignored.length === 0 ? '' : `,"ignoredFields":${JSON.stringify(ignored)}`;
  return jsonText(`{"totalHits":${totalHits},"results":[${results.join(',')}]${next}${told}}`);
}
