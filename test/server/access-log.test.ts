// The access log: a line for each request, which the answer's X-Request-Id finds, and without
// what a path or a query may hold. Without the log every answer has an id all the same.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ args: ['--access-log=true'] });
});
afterAll(() => server.stop());

interface Line {
  readonly method: string;
  readonly route?: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestId: string;
}

const lineOf = (requestId: string): Promise<Line> =>
  until('its line', () =>
    server.output
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as Line)
      .find((line) => line.requestId === requestId),
  );

it('tells method, route, status and time of each request', async () => {
  const answer = await fetch(`${server.url}/api/workflow/secret-1?token=secret-2`);
  const id = answer.headers.get('x-request-id') ?? '';
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
  const line = await lineOf(id);
  expect(line).toMatchObject({ method: 'GET', route: '/api/workflow/:workflowId', status: 404 });
  expect(line.milliseconds).toBeGreaterThanOrEqual(0);
  expect(JSON.stringify(line)).not.toContain('secret-');
});

it('keeps the id that a request brought, and gives others one each', async () => {
  const own = await fetch(`${server.url}/health`, { headers: { 'x-request-id': 'mine-17' } });
  expect(own.headers.get('x-request-id')).toBe('mine-17');
  expect(await lineOf('mine-17')).toMatchObject({ status: 200, route: '/health' });
  const ids = await Promise.all(
    [1, 2].map(async () => (await fetch(`${server.url}/no/such/path`)).headers.get('x-request-id')),
  );
  expect(new Set(ids).size).toBe(2);
  const unknown = await lineOf(ids[0] ?? '');
  expect(unknown.status).toBe(404);
  expect(unknown).not.toHaveProperty('route');
});

it('gives each answer an id without the log too', async () => {
  const silent = await startServer();
  try {
    const answers = await Promise.all(
      ['/health', '/api/workflow/none', '/no/such/path', '/api/metadata/workflow'].map((path) =>
        fetch(`${silent.url}${path}`),
      ),
    );
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(silent.output).not.toContain('"msg":"request"');
  } finally {
    await silent.stop();
  }
});
