// `downbeat start --demo`, as the package brings it: something moves within a moment, and all of it
// ends with Ctrl-C.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { PackedCommand } from '../../support/command.js';
import { freePort, type Program } from '../../../testkit/process.js';
import { until } from '../../../testkit/until.js';

const timeoutMs = 60_000;
let downbeat: PackedCommand;
let started: Program;
let api: ApiClient;

beforeAll(async () => {
  downbeat = new PackedCommand('http://127.0.0.1:1');
  const port = await freePort();
  const data = fs.mkdtempSync(path.join(downbeat.folder, 'data-'));
  started = downbeat.start(['start', '--demo', '--port', String(port), '--data-dir', data]);
  api = new ApiClient(`http://127.0.0.1:${port}`);
}, timeoutMs);
afterAll(async () => {
  await api?.close();
  started?.child.kill('SIGKILL');
  downbeat?.remove();
});

const get = async <T>(route: string): Promise<T | undefined> => {
  if (started.hasEnded()) throw new Error(`the server ended:\n${started.output()}`);
  const answer = await api.request('GET', route).catch(() => undefined);
  return answer?.status === 200 ? (answer.body as T) : undefined;
};

it(
  'a definition, a worker and a schedule are there, and an order ends',
  async () => {
    const query = encodeURIComponent('workflowType = downbeat_demo AND status = COMPLETED');
    const found = await until(
      'an order that ended',
      async () => {
        const page = await get<{ results: { workflowId: string }[] }>(
          `/api/workflow/search?query=${query}`,
        );
        return page?.results[0];
      },
      { timeoutMs },
    );
    const order = await get<{ output: object; tasks: { workerId?: string }[] }>(
      `/api/workflow/${found.workflowId}`,
    );
    expect(order?.output).toMatchObject({
      receipt: expect.any(String),
      parcel: expect.any(String),
    });
    expect(order?.tasks.filter(({ workerId }) => workerId !== undefined)).toHaveLength(3);
    const schedules = await get<{ startWorkflowRequest: { name: string } }[]>(
      '/api/scheduler/schedules',
    );
    expect(schedules?.map(({ startWorkflowRequest }) => startWorkflowRequest.name)).toContain(
      'downbeat_demo',
    );
  },
  2 * timeoutMs,
);

it('ends at Ctrl-C, with nothing left that answers', async () => {
  started.child.kill('SIGINT');
  await started.ended;
  await expect(api.request('GET', '/health')).rejects.toThrow();
});
