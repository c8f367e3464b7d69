// What finished executions cost and how long they stay, as a server without any settings shows it:
// executions and bytes per workflow, and retention.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';

let server: RunningServer;
let api: ApiClient;
beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  await checkAnswers(api);
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
});

it('executions and about their bytes are shown per workflow, most bytes first', async () => {
  const bytes = 20_000;
  const task = { name: 'set', taskReferenceName: 's', type: 'SET_VARIABLE', inputParameters: {} };
  for (const name of ['few_large', 'many_small', 'never_run']) {
    await api.registerWorkflows({ name, version: 1, tasks: [task] });
  }
  const start = async (name: string, input: object): Promise<void> => {
    await api.untilEnd(await api.start({ name, version: 1, input } as never));
  };
  for (let i = 0; i < 3; i++) await start('few_large', { large: 'x'.repeat(bytes) });
  for (let i = 0; i < 7; i++) await start('many_small', {});
  const { body } = await api.ask('GET', '/api/admin/storage');
  const { workflows } = body as { workflows: { bytes: number }[] };
  expect(workflows).toMatchObject([
    { name: 'few_large', executions: 3, sampled: 3 },
    { name: 'many_small', executions: 7, sampled: 7 },
    { name: 'never_run', executions: 0, bytes: 0, sampled: 0 },
  ]);
  expect(workflows[0]?.bytes).toBeGreaterThan(3 * bytes);
  // Input and record once each; what Redis rounds up to is below that.
  expect(workflows[0]?.bytes).toBeLessThan(3 * 3 * bytes);
  expect(workflows[1]?.bytes).toBeGreaterThan(7 * 100);
  const { text } = await api.ask('GET', '/metrics');
  const shown = /^downbeat_workflow_bytes\{workflow="few_large"\} (\d+)$/m.exec(text)?.[1];
  expect(Number(shown)).toBe(workflows[0]?.bytes);
});

it('retention is on', async () => {
  const { body } = await api.ask('GET', '/api/admin/retention');
  expect(body).toMatchObject({ retentionSeconds: expect.any(Number) });
  expect((body as { retentionSeconds: number }).retentionSeconds).toBeGreaterThan(0);
});
