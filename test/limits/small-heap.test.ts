// A node with little memory refuses large requests before they fill its heap.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { times } from '../../testkit/load.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { tell } from '../support/figures.js';

const atOnce = 12;
const starts = 48;
let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=220 --max-semi-space-size=16' };
  server = await startServer({ env });
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

it('is alive after more large starts at once than it has memory for', async () => {
  const task = { name: 'w', taskReferenceName: 'w', type: 'WAIT' };
  await api.registerWorkflows({ name: 'large', version: 1, tasks: [task] });
  const input = { text: 'x'.repeat(8_000_000) };
  const taken: string[] = [];
  let refused = 0;
  await times(starts, atOnce, async () => {
    // One that is refused may be cut off before it has come in whole.
    const sent = api.request('POST', '/api/workflow', { name: 'large', version: 1, input });
    const answer = await sent.catch(() => undefined);
    if (answer?.status === 200) taken.push(answer.text);
    else refused += 1;
  });
  for (const id of taken) {
    const { status } = await api.workflow(id, { includeTasks: false });
    expect(status).toBe('RUNNING');
  }
  expect(taken.length).toBeGreaterThan(0);
  tell(`a heap of 220 MB: of ${starts} starts of 8 MB, ${atOnce} at once, ${refused} were refused`);
});
