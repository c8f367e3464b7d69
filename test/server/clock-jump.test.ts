// A node whose wall clock jumps by hours, forth and back (invariants M11): timers and leases follow
// the store, and nothing that is stored carries the wrong time.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { createFolder, removeFolder } from '../support/folder.js';
import { projectRoot } from '../support/project.js';
import { startServer, type RunningServer } from '../support/server.js';
import { pause } from '../support/until.js';

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
])('a node whose clock jumps %s', (_where, ms) => {
  it('keeps its timers, leases and times', async () => {
    jump(0);
    const [short, long, held] = [
      await api.start({ name: 'short', version: 1 }),
      await api.start({ name: 'long', version: 1 }),
      await api.start({ name: 'held', version: 1 }),
    ];
    const [task] = await api.poll('held', { timeoutMs: 2_000 });
    jump(ms);
    // The server sees the new time.
    await pause(50);
    const fired = await api.untilEnd(short);
    expect(fired.status).toBe('COMPLETED');
    const tookMs = (fired.endTime ?? 0) - (fired.startTime ?? 0);
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    expect(tookMs).toBeLessThan(60_000);
    expect((await api.workflow(long)).status).toBe('RUNNING');
    expect((await api.workflow(held)).tasks).toHaveLength(1);
    const taskId = task?.taskId as string;
    await api.update({ taskId, workflowInstanceId: held, status: 'COMPLETED' });
    const ended = await api.workflow(held);
    expect(ended.status).toBe('COMPLETED');
    expect(Math.abs((ended.endTime ?? 0) - Date.now())).toBeLessThan(60_000);
    expect((await api.request('GET', '/health')).status).toBe(200);
    const fsck = (await api.ask('GET', '/api/admin/fsck?seconds=30')).body;
    expect(fsck).toMatchObject({ violations: [] });
  });
});
