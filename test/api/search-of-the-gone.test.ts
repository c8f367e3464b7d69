// A caller that waits for a search and goes away leaves the line, at every endpoint that searches.
import { describe, expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { createApi } from '../../src/api/api.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import { searchSummaryRoutes } from '../../src/api/search-summaries.js';
import { searchRoutes } from '../../src/api/search.js';
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
const endpoints = [...searchRoutes(search), ...searchSummaryRoutes(search, () => ['order'])];
const api = createApi(endpoints, {
  errors: new ErrorAnswers('node-1', { error: () => undefined }),
  json: { depthMax: 8, keysMax: 20 },
});

describe('a search that nobody waits for any more', () => {
  it.each(endpoints.map(({ method, pattern }) => ({ method, pattern })))(
    'leaves the line: $method $pattern',
    async ({ method, pattern }) => {
      let end = (): void => undefined;
      const held = searchTurns.run('', () => new Promise<void>((resolve) => (end = resolve)));
      await turn();
      const listeners: (() => void)[] = [];
      const request = {
        ...plainRequest({ method, path: pattern, query: 'query=correlationId%3Da' }),
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
