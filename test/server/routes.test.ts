// The routes of executions, tasks, queues and administration against a started server: each is hit,
// its answer has the status, the content type and the shape that clients rely on (contract-core 8
// to 11, 14 to 18, 20.3).
import { expect, it } from 'vitest';
import type { Endpoint } from '../../src/api/endpoint.js';
import { unseenRefusals } from '../support/declared-refusals.js';
import { unseenSuccesses } from '../support/declared-successes.js';
import { forms, hit, routes, serveRoutes } from './route-calls.js';
import { controllingRoutes } from './routes/controlling.js';
import { readingRoutes } from './routes/reading.js';
import { startingRoutes } from './routes/starting.js';
import { taskRoutes } from './routes/tasks.js';

serveRoutes(import.meta.url);
startingRoutes();
readingRoutes();
controllingRoutes();
taskRoutes();

const isOfTheseAreas = ({ pattern }: Endpoint): boolean =>
  !/metadata|search|facets|failures|outline/.test(pattern);

// Last, when all others have run. Searches, counts and outlines have tests of their own.
it('hits every route of these areas', () => {
  const missed = routes
    .filter(isOfTheseAreas)
    .map((route) => `${route.method} ${route.pattern}`)
    .filter((name) => !hit.has(name));
  expect(missed).toEqual([]);
});

it('has seen every success that it is to see', () => {
  expect(unseenSuccesses('test/server/routes.test.ts', forms)).toEqual([]);
  expect(unseenRefusals('test/server/routes.test.ts', forms)).toEqual([]);
});
