// Paths of a definition that visit much: each is bounded, and so are all of one evaluation. One
// start with many ended the process: its event loop was blocked for too long.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

let server: RunningServer;
let api: ApiClient;
beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url, { requestTimeoutMs: 40_000 });
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
});

it('a task with many searching paths fails with the reason, and the server goes on', async () => {
  const path = (n: number): string => `\${workflow.input..[?(@.x =~ /(a|b)*c${n}/)]..*}`;
  const paths = Array.from({ length: 1500 }, (_, n) => [`p${n}`, path(n)] as const);
  const inputParameters = Object.fromEntries(paths);
  const task = { name: 's', taskReferenceName: 's', type: 'SET_VARIABLE', inputParameters };
  const inner = Array.from({ length: 20 }, () => ({ x: 'abc' }));
  const list = Array.from({ length: 300 }, (_, n) => ({ x: `${'ab'.repeat(20)}${n}`, y: inner }));
  const workflowDef = { name: 'many_paths', tasks: [task] };
  const id = await api.start({ name: 'many_paths', input: { list }, workflowDef } as never);
  const { status, reasonForIncompletion } = await api.untilEnd(id);
  expect(status).toBe('FAILED');
  expect(reasonForIncompletion).toContain('its paths visit more than 2500000 values');
});
