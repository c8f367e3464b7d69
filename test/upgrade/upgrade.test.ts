// What earlier versions have stored, and nodes of several versions side by side (invariants I16,
// I17). The fixture of a format is a keyspace as the version that began it wrote it: every later
// version of the format must open it and bring everything in it to its end.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildFsck } from '../../src/server/build-fsck.js';
import type { Violation } from '../../src/fsck/fsck.js';
import { RedisClient } from '../../src/redis/client.js';
import { packRecord } from '../../src/redis/codec/record.js';
import { systemClock } from '../../src/std/clock.js';
import { ApiClient } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { loadKeyspace, type KeyspaceDump } from '../support/keyspace-dump.js';
import { freePort, startProgram } from '../../testkit/process.js';
import { writeOtherVersion } from '../support/other-version.js';
import { nodeOptions, projectRoot } from '../../testkit/project.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';
import { startServer, type ServerSettings } from '../../testkit/server.js';
import { viewAt } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';
import { endAll, sealingKey, type VariedKeyspace } from '../support/varied-keyspace.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function emptyStore(): Promise<{ store: RunningRedis; redis: RedisClient }> {
  const store = await startRedis();
  cleanUps.push(() => store.stop());
  const redis = new RedisClient({ url: store.url, prefix: 'db' });
  await redis.connect();
  cleanUps.push(() => redis.disconnect());
  return { store, redis };
}

async function serve(settings: ServerSettings): Promise<ApiClient> {
  const server = await startServer(settings);
  cleanUps.push(() => server.stop());
  const api = new ApiClient(server.url);
  cleanUps.push(() => api.close());
  return api;
}

async function violations(redis: RedisClient): Promise<readonly Violation[]> {
  const report = await buildFsck(
    { redis, shards: 256, retentionSeconds: 86_400, now: () => Date.now() },
    { clock: systemClock, settleMs: 3_000, repairs: false, suspectsMax: 100 },
  ).run();
  return report.violations;
}

/** Formats whose keyspaces this version reads. */
const formats = ['format-3'];

describe('a keyspace of an earlier version', () => {
  it.each(formats)('of %s is opened, and everything in it completes', async (name) => {
    const file = new URL(`${name}.json`, import.meta.url);
    const fixture = JSON.parse(fs.readFileSync(file, 'utf8')) as KeyspaceDump & VariedKeyspace;
    const { store, redis } = await emptyStore();
    await loadKeyspace(redis, fixture);
    expect(await violations(redis)).toEqual([]);
    const api = await serve({
      redisUrl: store.url,
      // What had ended by then is kept.
      args: ['--secrets-key', sealingKey, '--retention-seconds', '1000000000'],
    });
    const { open, ended } = fixture;
    const statuses = await Promise.all(
      Object.entries(ended).map(async ([what, id]) => [what, (await api.workflow(id)).status]),
    );
    expect(Object.fromEntries(statuses)).toEqual({
      completed: 'COMPLETED',
      failed: 'FAILED',
      terminated: 'TERMINATED',
      timedOut: 'TIMED_OUT',
    });
    expect((await api.workflow(ended['completed'] as string)).variables).toEqual({ x: 1 });
    const again = { name: 'varied', version: 1, idempotencyKey: 'key-1' };
    const idempotencyStrategy = 'RETURN_EXISTING';
    expect(await api.start({ ...again, idempotencyStrategy } as never)).toBe(open['keyed']);
    await endAll(api, fixture);
    expect(await violations(redis)).toEqual([]);
  });

  it.each([1, 2])('of format %i is refused by name', async (format) => {
    const { store, redis } = await emptyStore();
    const record = packRecord([format, 256, 'id', Buffer.alloc(32), 16]);
    await redis.reads.call('SET', redis.keys.keyspace(), record);
    expect(await refusedStart(store.url)).toMatch(
      new RegExp(`under the prefix "db" has the layout of format ${format}, which this version`),
    );
  });

  it('is refused by name when a later format wrote it', async () => {
    const { store, redis } = await emptyStore();
    await redis.reads.call('SET', redis.keys.keyspace(), packRecord([4]));
    expect(await refusedStart(store.url)).toMatch(
      /holds a keyspace record of format 4; this version reads formats up to 3. Run the newer/,
    );
  });
});

/** What a server says that does not start on the store. */
async function refusedStart(redisUrl: string): Promise<string> {
  const folder = createFolder();
  cleanUps.push(() => removeFolder(folder));
  const main = path.join(projectRoot, 'dist', 'main.js');
  const program = startProgram(
    process.execPath,
    [
      ...[...nodeOptions, main, '--port', String(await freePort())],
      ...['--data-dir', folder, '--redis-url', redisUrl],
    ],
    { cwd: projectRoot },
  );
  expect((await program.ended).code).toBe(1);
  const said = program.output();
  expect(said.match(/could not start/g)).toHaveLength(1);
  return said;
}

describe('nodes of two versions', () => {
  it('are one cluster, and each serves what the other one owns', async () => {
    const { store, redis } = await emptyStore();
    const folder = createFolder();
    cleanUps.push(() => removeFolder(folder));
    const other = writeOtherVersion(folder);
    const [first, second] = [
      await serve({ redisUrl: store.url, args: ['--node-id', 'n1'] }),
      await serve({ redisUrl: store.url, args: ['--node-id', 'n2'], program: [other] }),
    ];
    await until('both nodes to serve', async () => {
      const views = await Promise.all([first, second].map(({ url }) => viewAt(url)));
      return views.every(
        (view) =>
          view?.moving.length === 0 &&
          view.nodes.length === 2 &&
          view.nodes.every(({ linked, shards }) => linked && shards > 0),
      );
    });
    const versions = (await viewAt(first.url))?.nodes.map(({ version }) => version);
    expect(new Set(versions)).toContain('99.0.0');
    expect(new Set(versions).size).toBe(2);
    const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} };
    await first.registerWorkflows({ name: 'both', version: 1, tasks: [wait] });
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? first : second).start({ name: 'both', version: 1 }),
      ),
    );
    for (const [i, id] of ids.entries()) {
      const [one, another] = i % 4 < 2 ? [first, second] : [second, first];
      await one.ask('POST', `/api/tasks/${id}/w/COMPLETED`, { by: i });
      expect((await another.workflow(id)).status).toBe('COMPLETED');
    }
    expect(await violations(redis)).toEqual([]);
  });
});
