// A server without schedules (setting service.scheduler.enabled).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { declaredEndpoints } from '../../support/endpoints.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';

let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  server = await startServer({ args: ['--service.scheduler.enabled=false'] });
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

it('answers 404 on every route of the scheduler, and serves the others', async () => {
  const routes = declaredEndpoints([]).filter(({ pattern }) =>
    pattern.startsWith('/api/scheduler'),
  );
  expect(routes.length).toBeGreaterThan(20);
  for (const { method, pattern, body } of routes) {
    const path = pattern.replace(/:(\w+)/g, 'x');
    const sent = body === null ? undefined : {};
    const { status } = await api.request(method as 'GET', path, sent);
    expect({ method, path, status }).toEqual({ method, path, status: 404 });
  }
  expect((await api.request('GET', '/api/event')).status).toBe(200);
});
