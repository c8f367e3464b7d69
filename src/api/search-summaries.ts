// Endpoints that sum up what a search finds: counts, and failures by their cause.
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { countWorkflows } from '../operation/search/facets.js';
import { groupFailures } from '../operation/search/failure-groups.js';
import type { SearchContext } from '../operation/search/request.js';
import { endpoint, query, type Endpoint } from './endpoint.js';
import { readsExecutions } from './execution-access.js';
import * as schema from '../model/schema.js';
import { facetsSchema, failuresSchema } from './schemas/summaries.js';
import type { RouteRequest } from './route.js';
import { forCaller } from './search.js';
import { inWindow, windowOf } from './window.js';

/** `workflowNames`: registered workflows that a caller may read. */
export function searchSummaryRoutes(
  search: SearchContext,
  workflowNames: (caller: Caller) => readonly string[],
): Endpoint[] {
  const entry = { method: 'GET', access: readsExecutions } as const;
  return [
    endpoint({
      ...entry,
      pattern: '/api/workflow/facets',
      name: 'countWorkflows',
      summary: 'Counts the executions that a search finds, by status and by workflow.',
      parameters: {
        query: query(schema.text('Conditions, as in a search')),
        freeText: query(schema.text('Words to look for; `*` or empty for all')),
        by: query(schema.oneOf(facets, 'What is counted, with commas between; `status` always'), {
          repeated: true,
        }),
      },
      reply: facetsSchema,
      handle: async (request) => {
        const asked = { query: request.query('query'), freeText: request.query('freeText') };
        const { caller } = request;
        const names = facetsOf(request).has('workflowType') ? { names: workflowNames(caller) } : {};
        return await countWorkflows(forCaller(search, request), { caller, ...asked, ...names });
      },
    }),
    endpoint({
      ...entry,
      pattern: '/api/workflow/failures',
      name: 'groupFailures',
      summary: 'Groups failed executions by definition, task and reason.',
      parameters: inWindow,
      reply: failuresSchema,
      handle: (request) =>
        groupFailures(forCaller(search, request), request.caller, windowOf(request)),
    }),
  ];
}

const facets = ['status', 'workflowType'];

/** Throws AppError 'bad-request' for what cannot be counted by. */
function facetsOf(request: RouteRequest): ReadonlySet<string> {
  const by = request.queryAll('by');
  if (by.every((each) => facets.includes(each))) return new Set(by);
  throw new AppError('bad-request', `by: one of ${facets.join(', ')}`);
}
