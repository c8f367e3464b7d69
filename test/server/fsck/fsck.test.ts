// The check of a keyspace (docs/fsck.md) on a real server: nothing is wrong after a workload, and
// whatever is broken by hand is named and mended.
import { WebhookKeys } from '../../../src/areas/webhooks/keys.js';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFsck } from '../../../src/server/build-fsck.js';
import type { FsckReport } from '../../../src/fsck/fsck.js';
import { RedisClient } from '../../../src/redis/client.js';
import { packRecord, packText } from '../../../src/redis/codec/record.js';
import { systemClock, type Clock } from '../../../src/std/clock.js';
import { ApiClient } from '../../../testkit/api-client.js';
import { projectRoot } from '../../../testkit/project.js';
import { startRedis, type RunningRedis } from '../../../testkit/redis.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import {
  endAll,
  fillKeyspace,
  sealingKey,
  type VariedKeyspace,
} from '../../support/varied-keyspace.js';
import { allBreaks, BreakingHand, shards } from './breaks.js';

/** Secrets of webhooks are stored encrypted. */
const sealed = ['--secrets-key', sealingKey];
let store: RunningRedis;
let server: RunningServer;
let api: ApiClient;
let redis: RedisClient;
let varied: VariedKeyspace;

beforeAll(async () => {
  store = await startRedis();
  server = await startServer({ redisUrl: store.url, args: sealed });
  api = new ApiClient(server.url);
  redis = new RedisClient({ url: store.url, prefix: 'db' });
  await redis.connect();
  varied = await fillKeyspace(api);
}, 60_000);

afterAll(async () => {
  await api.close();
  redis.disconnect();
  await server.stop();
  await store.stop();
});

async function check(
  settleMs: number,
  repairs = false,
  clock: Clock = systemClock,
): Promise<FsckReport> {
  return await buildFsck(
    { redis, shards, retentionSeconds: 86_400, now: () => Date.now() },
    { clock, settleMs, repairs, suspectsMax: 1000 },
  ).run();
}

/** Executions that are broken beyond what can be derived. */
async function startOdd(): Promise<{ [what: string]: string }> {
  const odd: { [what: string]: string } = {};
  for (const i of [1, 2, 3]) {
    const parent = await api.start({ name: 'varied_parent', version: 1 });
    odd[`odd-parent-${i}`] = parent;
    const { tasks } = await api.untilWorkflow(
      parent,
      (seen) => 'subWorkflowId' in (seen.tasks[0] ?? {}),
    );
    odd[`odd-child-${i}`] = (tasks[0] as unknown as { subWorkflowId: string }).subWorkflowId;
  }
  odd['odd-1'] = await api.start({ name: 'varied_wait', version: 1 });
  const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} };
  await api.registerWorkflows({ name: 'odd', version: 1, tasks: [wait] });
  odd['odd-2'] = await api.start({ name: 'odd', version: 1 });
  odd['human-2'] = await api.start({ name: 'varied_human', version: 1 });
  return odd;
}

function named({ violations }: FsckReport): string[] {
  return violations.map(({ kind, subject }) => `${kind} ${subject}`);
}

describe('the check of a keyspace', () => {
  it('says 0 violations as a command', async () => {
    const command = path.join(projectRoot, 'dist', 'fsck-command.js');
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[command, '--redis-url', store.url, '--prefix', 'db'],
    ]);
    expect(stdout).toMatch(/^0 violations$/m);
    const empty = promisify(execFile)(process.execPath, [
      ...[command, '--redis-url', store.url, '--prefix', 'nobody'],
    ]);
    await expect(empty).rejects.toMatchObject({
      code: 2,
      stderr: 'There is no keyspace under the prefix "nobody".\n',
    });
    const folder = path.join(os.tmpdir(), `downbeat-no-data-${process.pid}`);
    const nothing = promisify(execFile)(process.execPath, [command, '--data-dir', folder]);
    await expect(nothing).rejects.toMatchObject({
      code: 2,
      stderr: `No server keeps its data in ${folder}: give --redis-url or --data-dir.\n`,
    });
    expect(fs.existsSync(folder)).toBe(false);
  });

  it.each([
    ['fsck-command.js', [], 2],
    ['admin-command.js', ['create-key'], 1],
  ] as const)(
    '%s names the flag of a Redis that is away, without a stack',
    async (file, words, code) => {
      const command = path.join(projectRoot, 'dist', file);
      const away = 'redis://me:secret@127.0.0.1:1';
      const ran = promisify(execFile)(process.execPath, [command, ...words, '--redis-url', away]);
      const why =
        'start it, or set --redis-url to one that runs (empty: the server starts its own).';
      const stderr = `Redis at redis://127.0.0.1:1 cannot be reached: ${why}\n`;
      await expect(ran).rejects.toMatchObject({ code, stdout: '', stderr });
    },
  );

  it.each([-1, 0, 301])('is refused with a walk of %s seconds', async (seconds) => {
    const { status, body } = await api.request('GET', `/api/admin/fsck?seconds=${seconds}`);
    expect([status, body]).toMatchObject([400, { message: expect.stringContaining("'seconds'") }]);
  });

  it('does not report what is only under way', async () => {
    const due = redis.keys.due(0);
    await redis.reads.call('ZADD', due, 1, 'under-way-------');
    const healing = {
      ...systemClock,
      after(_ms: number, fire: () => void) {
        void redis.reads.call('ZREM', due, 'under-way-------').then(fire);
        return { cancel: () => undefined };
      },
    };
    const report = await check(1, false, healing);
    expect(report).toMatchObject({ violations: [], passing: 1 });
  });

  it('finds nothing after a workload', async () => {
    const report = await check(3_000);
    expect(report.violations).toEqual([]);
    expect(report.complete).toBe(true);
    expect(report.inspected['executions']).toBeGreaterThan(20);
  });

  it('names whatever is broken, and mends what can be derived', async () => {
    const ids = { ...varied.open, ...varied.ended, ...(await startOdd()) };
    expect((await check(3_000)).violations).toEqual([]);
    // A running node would mend some of it by itself.
    await server.kill('SIGTERM');
    const hand = new BreakingHand(redis, ids);
    const broken: { name: string; fate: string }[] = [];
    for (const { kind, fate, apply } of allBreaks()) {
      broken.push({ name: `${kind} ${await apply(hand)}`, fate });
    }
    const found = await check(10);
    expect(named(found)).toEqual(expect.arrayContaining(broken.map(({ name }) => name)));
    expect(found.violations.every(({ keys }) => keys.length > 0)).toBe(true);
    const repaired = await check(10, true);
    const fates = new Map(
      repaired.violations.map(({ kind, subject, repair }) => [`${kind} ${subject}`, repair]),
    );
    expect(broken.map(({ name }) => ({ name, fate: fates.get(name) }))).toEqual(broken);
    await server.restart();
    await endAll(api, varied);
    const left = await check(3_000);
    const lasting = new Set<string>(
      allBreaks().flatMap(({ kind, fate }) => (fate === 'none' ? [kind] : [])),
    );
    expect(left.violations.filter(({ kind }) => !lasting.has(kind))).toEqual([
      // Of the child whose record was deleted.
      expect.objectContaining({ kind: 'snapshot-count' }),
    ]);
  });

  it('names owners and leases that are not as they should be', async () => {
    await server.kill('SIGKILL');
    const { keys } = redis;
    for (const nodeId of (await redis.reads.call('ZRANGE', keys.nodes(), 0, -1)) as string[]) {
      await redis.reads.call('DEL', keys.node(nodeId));
    }
    await redis.reads.call('HSET', keys.partitionState(5), '5', 'no fence');
    const record = packRecord([1, 'ghost', 'boot', '', '', '1', 'serving']);
    await redis.reads.call('SET', keys.node('ghost'), record);
    await redis.reads.call(
      'HSET',
      new WebhookKeys(keys.prefix).events(),
      'event-1',
      packText('{}'),
    );
    const broken = [
      { kind: 'owner-unreadable', subject: 'shard 5', repair: 'none' },
      { kind: 'node-lease-endless', subject: 'ghost', repair: 'mended' },
      { kind: 'node-unlisted', subject: 'ghost', repair: 'mended' },
      { kind: 'webhook-event-unlisted', subject: 'event-1', repair: 'mended' },
    ];
    const { violations } = await check(10, true);
    for (const each of broken) expect(violations).toContainEqual(expect.objectContaining(each));
    // The node that seems to live has none of the shards.
    const unserved = (await check(10)).violations.filter(({ kind }) => kind === 'shard-unserved');
    expect(unserved).toHaveLength(shards - 1);
  });
});
