// The routes of executions, tasks, queues and administration against a started server: each is hit,
// its answer has the status, the content type and the shape that clients rely on (contract-core 8
// to 11, 14 to 18, 20.3).
import { expect, it } from 'vitest';
import type { Endpoint } from '../../src/api/endpoint.js';
import { forms, hit, routes, serveRoutes } from './route-calls.js';
import { controllingRoutes } from './routes/controlling.js';
import { readingRoutes } from './routes/reading.js';
import { startingRoutes } from './routes/starting.js';
import { taskRoutes } from './routes/tasks.js';

serveRoutes();
startingRoutes();
readingRoutes();
controllingRoutes();
taskRoutes();

const isOfTheseAreas = ({ pattern }: Endpoint): boolean => !/metadata|search/.test(pattern);

// Last, when all others have run. Searches have tests of their own.
it('hits every route of these areas', () => {
  const missed = routes
    .filter(isOfTheseAreas)
    .map((route) => `${route.method} ${route.pattern}`)
    .filter((name) => !hit.has(name));
  expect(missed).toEqual([]);
});

it('has seen every success that these areas describe', () => {
  const named = new Set(routes.filter(isOfTheseAreas).map((route) => route.name));
  const missed = forms.successes.filter(
    (reply) => named.has(reply.split(' ')[0] as string) && !forms.seen.has(reply),
  );
  expect(missed).toEqual([]);
});
