// A caller that waits for a search and goes away leaves the line, at every endpoint that searches.
import { describe, expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { createApi } from '../../src/api/api.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import { searchSummaryRoutes } from '../../src/api/search-summaries.js';
import { searchRoutes } from '../../src/api/search.js';
import { BulkJobs, type BulkJobsParts } from '../../src/areas/bulk-jobs/bulk-jobs.js';
import { bulkJobRoutes } from '../../src/areas/bulk-jobs/endpoints.js';
import { localAdministrator } from '../../src/model/caller.js';
import { defaultSearchLimits, type SearchContext } from '../../src/operation/search/request.js';
import { systemClock } from '../../src/std/clock.js';
import { SharedLimiter } from '../../src/std/shared-limiter.js';
import type { SearchStore } from '../../src/store/search-store.js';
import { plainRequest } from './plain-request.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const searchTurns = new SharedLimiter(1);
const context = {
  ...{ access: everythingAllowed, searchTurns, clock: systemClock },
} as SearchContext['context'];
/** Failures are listed before the line, the rest behind it. */
const store = {
  page: async () => ({ entries: [], total: 0 }),
} as Pick<SearchStore, 'page'> as SearchStore;
const search: SearchContext = { context, store, limits: defaultSearchLimits };
const jobs = new BulkJobs({
  ...{
    search,
    table: new Map([[':jobId', { createdBy: localAdministrator.id, state: 'RUNNING' }]]),
  },
  ...{ executionsMax: 10, jobsMax: 10, clock: systemClock },
} as Partial<Record<keyof BulkJobsParts, unknown>> as BulkJobsParts);
const bulkSearches = ['createBulkJob', 'listBulkJobOutcomes'];
const endpoints = [
  ...searchRoutes(search),
  ...searchSummaryRoutes(search, () => ['order']),
  ...bulkJobRoutes(jobs, 10).filter(({ name }) => bulkSearches.includes(name)),
];
const api = createApi(endpoints, {
  errors: new ErrorAnswers('node-1', { error: () => undefined }),
  json: { depthMax: 8, keysMax: 20 },
});

const body = '{"action": "restart", "ids": ["a"]}';

describe('a search that nobody waits for any more', () => {
  it.each(endpoints.map(({ method, pattern }) => ({ method, pattern })))(
    'leaves the line: $method $pattern',
    async ({ method, pattern }) => {
      let end = (): void => undefined;
      const held = searchTurns.run('', () => new Promise<void>((resolve) => (end = resolve)));
      await turn();
      const listeners: (() => void)[] = [];
      const request = {
        ...plainRequest({ method, path: pattern, query: '', body }),
        onAbort: (listener: () => void) => void listeners.push(listener),
      };
      const answer = Promise.resolve(api(request));
      await turn();
      for (const listener of listeners) listener();
      end();
      await held;
      expect(String((await answer).body)).toContain('The caller has gone');
    },
  );
});
