// Limits on the number of records hold where many are made at the same time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SecuredServer } from '../../testkit/secured-server.js';

let server: SecuredServer;
beforeAll(async () => {
  const limits = ['schedules', 'prompts', 'webhooks', 'integrations'].map((of) => `--${of}-max=3`);
  server = await SecuredServer.start({ args: limits });
});
afterAll(() => server?.stop());

const startWorkflowRequest = { name: 'w' };
const webhook = (name: string): object => ({
  ...{ name, sourcePlatform: 'Custom', verifier: 'HEADER_BASED', headers: { a: 'b' } },
  workflowsToStart: { w: 1 },
});
const integration = { type: 'openai', category: 'AI_MODEL', enabled: true, configuration: {} };

it.each<[string, (name: string) => [method: 'POST' | 'PUT', path: string, body: unknown], string]>([
  [
    'schedules',
    (name) => [
      'POST',
      '/api/scheduler/schedules',
      { name, cronExpression: '0 0 0 1 1 ?', startWorkflowRequest },
    ],
    '/api/scheduler/schedules',
  ],
  [
    'prompts',
    (name) => ['POST', `/api/prompts/${name}?description=d`, JSON.stringify('a text')],
    '/api/prompts',
  ],
  ['webhooks', (name) => ['POST', '/api/metadata/webhook', webhook(name)], '/api/metadata/webhook'],
  [
    'integrations',
    (name) => ['POST', `/api/integrations/provider/${name}`, integration],
    '/api/integrations/provider',
  ],
])('%s', async (_kind, request, list) => {
  const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
  const statuses = await Promise.all(names.map((name) => server.admin.status(...request(name))));
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  expect((await server.admin.get(list)).body).toHaveLength(3);
});

it('access keys of an application', async () => {
  const { id } = (await server.admin.post('/api/applications', { name: 'many keys' })).body;
  const keys = `/api/applications/${id}/accessKeys`;
  const made = await Promise.all(
    Array.from({ length: 130 }, () => server.admin.status('POST', keys)),
  );
  expect(made.filter((status) => status === 200)).toHaveLength(100);
  expect((await server.admin.get(keys)).body).toHaveLength(100);
});
