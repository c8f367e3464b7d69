// `downbeat start --demo --open`, as the package brings it: the page is opened, something moves
// within a moment, and all of it ends with Ctrl-C.
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
/** What the browser was told to open; a script stands in for it. */
let opened: string;
let port: number;

beforeAll(async () => {
  downbeat = new PackedCommand('http://127.0.0.1:1');
  port = await freePort();
  const data = fs.mkdtempSync(path.join(downbeat.folder, 'data-'));
  opened = path.join(downbeat.folder, 'opened');
  const words = ['start', '--demo', '--open', '--port', String(port), '--data-dir', data];
  started = downbeat.start(words, { PATH: `${browser()}:${process.env['PATH']}` });
  api = new ApiClient(`http://127.0.0.1:${port}`);
}, timeoutMs);
afterAll(async () => {
  await api?.close();
  started?.child.kill('SIGKILL');
  downbeat?.remove();
});

/** A folder with programmes that open pages on Linux and macOS: they write their words down. */
function browser(): string {
  const folder = path.join(downbeat.folder, 'browser');
  fs.mkdirSync(folder);
  for (const name of ['xdg-open', 'open']) {
    const script = `#!/bin/sh\necho "$*" >> "${opened}"\n`;
    fs.writeFileSync(path.join(folder, name), script, { mode: 0o755 });
  }
  return folder;
}

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
    const order = await get<{ output: object; tasks: { workerId?: string; status: string }[] }>(
      `/api/workflow/${found.workflowId}`,
    );
    expect(order?.output).toMatchObject({
      receipt: expect.any(String),
      parcel: expect.any(String),
    });
    // Some charges of the demo fail at the first attempt.
    const done = order?.tasks.filter(({ workerId, status }) => workerId && status === 'COMPLETED');
    expect(done).toHaveLength(3);
    const schedules = await get<{ startWorkflowRequest: { name: string } }[]>(
      '/api/scheduler/schedules',
    );
    expect(schedules?.map(({ startWorkflowRequest }) => startWorkflowRequest.name)).toContain(
      'downbeat_demo',
    );
  },
  2 * timeoutMs,
);

it('the page was opened once it served, and once', async () => {
  const told = (): string => (fs.existsSync(opened) ? fs.readFileSync(opened, 'utf8') : '');
  const words = await until('the browser', () => told() || undefined, { timeoutMs });
  expect(words).toMatch(new RegExp(`^http://(?:127\\.0\\.0\\.1|localhost):${port}/?\n$`));
});

it('ends at Ctrl-C, with nothing left that answers', async () => {
  started.child.kill('SIGINT');
  await started.ended;
  await expect(api.request('GET', '/health')).rejects.toThrow();
});
