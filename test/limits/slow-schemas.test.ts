// Schemas that definitions bring along take their time to read, as much as their author likes. A
// fork of many in one start ended the process: its event loop was blocked for too long.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

const branches = 24;
const settings = { schemaTimeMsMax: 100, loopBlockedMsMax: 2000 };

let server: RunningServer;
let api: ApiClient;
beforeAll(async () => {
  const { schemaTimeMsMax, loopBlockedMsMax } = settings;
  const args = ['--schema-time-ms-max', String(schemaTimeMsMax)];
  args.push('--loop-blocked-ms-max', String(loopBlockedMsMax));
  server = await startServer({ args });
  api = new ApiClient(server.url, { requestTimeoutMs: 60_000 });
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
});

/** It takes longer to read than schemas may. */
const slow = (of: number): object => ({
  allOf: Array.from({ length: 500 }, (_, n) => ({ properties: { [`p${of}_${n}`]: {} } })),
  unevaluatedProperties: false,
});

it('a fork with many slow schemas ends, and the server does not', async () => {
  const names = Array.from({ length: branches }, (_, n) => `branch${n}`);
  const forkTasks = names.map((name, n) => [
    {
      ...{ name, taskReferenceName: name, type: 'SIMPLE' },
      taskDefinition: { name, enforceSchema: true, inputSchema: { data: slow(n) } },
    },
  ]);
  const workflowDef = {
    name: 'slow_schemas',
    tasks: [
      { name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN', forkTasks },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: names },
    ],
  };
  const id = await api.start({ name: 'slow_schemas', workflowDef } as never);
  const { status, reasonForIncompletion } = await api.untilEnd(id);
  expect(status).toBe('FAILED');
  expect(reasonForIncompletion).toContain('it took more than 100 ms to read');
});
