// A node whose wall clock jumps by hours, forth and back (invariants M11): timers and leases follow
// the store, and nothing that is stored carries the wrong time.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import { runsOf, saveEachSecond, seconds, startedBy } from '../support/due-times.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const hourMs = 3_600_000;
const folder = createFolder();
const jumpFile = path.join(folder, 'jump');
let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  jump(0);
  server = await startServer({
    program: [
      ...['--import', path.join(import.meta.dirname, 'jumping-clock.mjs')],
      path.join(projectRoot, 'dist', 'main.js'),
    ],
    env: { JUMP_FILE: jumpFile },
    args: ['--schedule-runs-kept-max', '1000'],
  });
  api = new ApiClient(server.url);
  const held = { name: 'held', taskReferenceName: 'held', type: 'SIMPLE' };
  await api.registerTasks({ name: 'held', retryCount: 0, responseTimeoutSeconds: 600 });
  await api.registerWorkflows({ name: 'held', version: 1, tasks: [held] });
  const wait = (duration: string): object => ({
    name: 'wait',
    version: 1,
    tasks: [{ name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: { duration } }],
  });
  await api.registerWorkflows({ ...wait('2 seconds'), name: 'short' } as never);
  await api.registerWorkflows({ ...wait('600 seconds'), name: 'long' } as never);
});
afterAll(async () => {
  await api.close();
  await server.stop();
  removeFolder(folder);
});

function jump(ms: number): void {
  fs.writeFileSync(jumpFile, String(ms));
}

describe.each([
  ['forward', 3 * hourMs],
  ['back', -3 * hourMs],
])('a node whose clock jumps %s', (where, ms) => {
  it('keeps its timers, leases and times', async () => {
    jump(0);
    const [short, long, held] = [
      await api.start({ name: 'short', version: 1 }),
      await api.start({ name: 'long', version: 1 }),
      await api.start({ name: 'held', version: 1 }),
    ];
    const [task] = await api.poll('held', { timeoutMs: 2_000 });
    jump(ms);
    const seen = `${jumpFile}.seen`;
    const hasJumped = (): boolean =>
      fs.existsSync(seen) && fs.readFileSync(seen, 'utf8') === String(ms);
    await until('the new time', hasJumped);
    const fired = await api.untilEnd(short);
    expect(fired.status).toBe('COMPLETED');
    const tookMs = (fired.endTime ?? 0) - (fired.startTime ?? 0);
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    expect(tookMs).toBeLessThan(Math.abs(ms) / 10);
    expect((await api.workflow(long)).status).toBe('RUNNING');
    expect((await api.workflow(held)).tasks).toHaveLength(1);
    const taskId = task?.taskId as string;
    await api.update({ taskId, workflowInstanceId: held, status: 'COMPLETED' });
    const ended = await api.workflow(held);
    expect(ended.status).toBe('COMPLETED');
    expect(Math.abs((ended.endTime ?? 0) - Date.now())).toBeLessThan(Math.abs(ms) / 10);
    expect((await api.request('GET', '/health')).status).toBe(200);
    const fsck = (await api.ask('GET', '/api/admin/fsck?seconds=30')).body;
    expect(fsck).toMatchObject({ violations: [] });
  });

  it('starts each due time of a schedule once, and none early', async () => {
    jump(0);
    const name = `ticks_${where}`;
    const variable = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE' };
    await api.registerWorkflows({ name, tasks: [{ ...variable, inputParameters: {} }] });
    const first = await saveEachSecond(api, name, true);
    const runsUntil = (dueAt: number): Promise<true> =>
      until(`the run of ${dueAt}`, async () => {
        const newest = (await runsOf(api, name)).at(-1)?.scheduledTime ?? 0;
        return newest >= dueAt ? true : undefined;
      });
    await runsUntil(first);
    jump(ms);
    await runsUntil(first + 2_000);
    jump(0);
    await runsUntil(first + 4_000);
    await api.request('PUT', `/api/scheduler/schedules/${name}/pause`);
    // The jump would have made a due time early, or have skipped an hour of them.
    expect(Date.now()).toBeGreaterThanOrEqual(first + 4_000);
    const runs = await until('records of all that was started', async () => {
      const found = await runsOf(api, name);
      return found.length === (await startedBy(api, name)).length ? found : undefined;
    });
    const due = runs.map(({ scheduledTime }) => scheduledTime);
    expect(due).toEqual(seconds(first, due.at(-1) as number));
    expect(runs.every(({ state }) => state === 'EXECUTED')).toBe(true);
    expect(await startedBy(api, name)).toEqual(due);
    expect(due.at(-1)).toBeLessThanOrEqual(Date.now());
  });
});
