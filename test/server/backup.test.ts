// A backup of a keyspace that is taken while it works, and its restore (docs/backup.md): everything
// that was acknowledged before the backup began is there, in order, and goes on.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RedisProcess } from '../../cluster/redis-process.js';
import { buildFsck } from '../../src/server/build-fsck.js';
import { RedisClient } from '../../src/redis/client.js';
import { systemClock } from '../../src/std/clock.js';
import { ApiClient } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort } from '../../testkit/process.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { completing, ScriptedWorkers } from '../support/workers.js';

const folder = createFolder();
const cleanUps: (() => unknown)[] = [() => removeFolder(folder)];
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function redisIn(name: string, args: readonly string[] = []): Promise<RedisProcess> {
  const place = { name, port: await freePort(), folder: path.join(folder, name), args };
  const redis = new RedisProcess(place);
  cleanUps.push(() => redis.stop());
  await redis.start();
  return redis;
}

async function serverOn(redis: RedisProcess): Promise<{ server: RunningServer; api: ApiClient }> {
  const server = await startServer({ redisUrl: `redis://127.0.0.1:${redis.port}` });
  cleanUps.push(() => server.stop());
  const api = new ApiClient(server.url);
  cleanUps.push(() => api.close());
  return { server, api };
}

interface Acknowledged {
  readonly started: string[];
  readonly reported: string[];
}

/** Starts executions and reports tasks until it is told to stop. */
function load(api: ApiClient, acknowledged: Acknowledged): { stop: () => Promise<void> } {
  let isOver = false;
  const starters = Array.from({ length: 4 }, async () => {
    while (!isOver) acknowledged.started.push(await api.start({ name: 'kept', version: 1 }));
  });
  const reporters = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      for (const { taskId, workflowInstanceId } of await api.poll('kept_first', { count: 5 })) {
        await api.update({ taskId, workflowInstanceId, status: 'COMPLETED' });
        acknowledged.reported.push(workflowInstanceId);
      }
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all([...starters, ...reporters]);
    },
  };
}

/** Takes the snapshot as docs/backup.md says; resolves with its file. */
async function backUp(redis: RedisProcess): Promise<string> {
  const saves = (): string => redis.ask('INFO', 'persistence');
  expect(redis.ask('BGSAVE')).toContain('Background saving started');
  await until('the snapshot', () => saves().includes('rdb_bgsave_in_progress:0'));
  expect(saves()).toContain('rdb_last_bgsave_status:ok');
  return path.join(redis.settings.folder, 'dump.rdb');
}

describe('a backup that is taken under load', () => {
  it('holds everything that was acknowledged before, and goes on', async () => {
    const source = await redisIn('source');
    const before = await serverOn(source);
    const tasks = ['kept_first', 'kept_second'].map((name) => ({ name, taskReferenceName: name }));
    await before.api.registerWorkflows({ name: 'kept', version: 1, tasks });
    const all: Acknowledged = { started: [], reported: [] };
    const running = load(before.api, all);
    await until('some load', () => all.started.length >= 100 && all.reported.length >= 50);
    const kept = { started: [...all.started], reported: new Set(all.reported) };
    const file = await backUp(source);
    const { length } = all.started;
    await until('load after it', () => all.started.length >= length + 20);
    await running.stop();
    await before.server.kill('SIGKILL');
    await source.stop();

    fs.mkdirSync(path.join(folder, 'target'));
    fs.copyFileSync(file, path.join(folder, 'target', 'dump.rdb'));
    const target = await redisIn('target', ['--appendonly', 'no']);
    target.ask('CONFIG', 'SET', 'appendonly', 'yes');
    await until('its append-only file', () =>
      target.ask('INFO', 'persistence').includes('aof_rewrite_in_progress:0'),
    );
    expect(await violationsOf(target)).toEqual([]);

    const { api } = await serverOn(target);
    for (const id of kept.started) {
      const workflow = await api.workflow(id);
      const [first] = workflow.tasks;
      expect(workflow.status).toBe('RUNNING');
      if (kept.reported.has(id)) expect(first?.status).toBe('COMPLETED');
    }
    // What a worker had when the snapshot was taken is with it until its lease ends.
    const held = await heldIn(api, kept.started);
    const workers = new ScriptedWorkers(
      api,
      { kept_first: completing(), kept_second: completing() },
      { count: 50 },
    );
    for (const id of kept.started) {
      if (!held.has(id)) expect((await api.untilEnd(id)).status).toBe('COMPLETED');
    }
    await workers.stop();
  });
});

async function violationsOf(redis: RedisProcess): Promise<readonly object[]> {
  const client = new RedisClient({ url: `redis://127.0.0.1:${redis.port}`, prefix: 'db' });
  await client.connect();
  try {
    const report = await buildFsck(
      { redis: client, shards: 256, retentionSeconds: 86_400, now: () => Date.now() },
      { clock: systemClock, settleMs: 10, repairs: false, suspectsMax: 100 },
    ).run();
    return report.violations;
  } finally {
    client.disconnect();
  }
}

/** Executions whose task a worker has. */
async function heldIn(api: ApiClient, ids: readonly string[]): Promise<Set<string>> {
  const held = new Set<string>();
  for (const id of ids) {
    const { tasks } = await api.workflow(id);
    if (tasks.some(({ status }) => status === 'IN_PROGRESS')) held.add(id);
  }
  return held;
}
