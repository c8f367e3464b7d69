// Writes that must be on disk before they are acknowledged (WAITAOF): where the Redis knows it, the
// level is kept and named; where it does not, the server refuses to start with a sentence.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisProcess } from '../../cluster/redis-process.js';
import { readSettings } from '../../src/server/config.js';
import { RedisClient } from '../../src/redis/client.js';
import { openStore } from '../../src/redis/open-store.js';
import { whyNotStarted } from '../../src/server/start-failure.js';
import { StopStack } from '../../src/server/stop-stack.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort } from '../../testkit/process.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';
import { until } from '../../testkit/until.js';
import { findWaitAof, knowsWaitAof, whyNoWaitAof } from '../support/valkey.js';

/** The durability that a node with these arguments names, or why it does not start. */
async function openedWith(url: string, ...args: readonly string[]): Promise<string> {
  const stops = new StopStack((error) => expect.unreachable(String(error)));
  const { signal: stopping } = new AbortController();
  const settings = readSettings([`--redis-url=${url}`, '--wait-aof', ...args], {});
  try {
    const store = await openStore(
      settings,
      { url: Promise.resolve(url) },
      { stops, stopping, answered: () => undefined },
    );
    return store.durability;
  } catch (error) {
    return whyNotStarted(error, settings) ?? `not known: ${String(error)}`;
  } finally {
    await stops.stop();
  }
}

describe('a Redis before 7.2', () => {
  let redis: RunningRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it.skipIf(knowsWaitAof('redis-server'))('is refused with --wait-aof', async () => {
    expect(await openedWith(redis.url)).toMatch(
      /^Redis [67]\.[\d.]+ does not know WAITAOF, which --wait-aof needs: take Redis 7\.2 or later/,
    );
  });
});

const program = findWaitAof();

describe.skipIf(program === undefined)(`a Redis that knows WAITAOF${whyNoWaitAof()}`, () => {
  const folder = createFolder();
  let primary: RedisProcess;
  let replica: RedisProcess;
  let redis: RedisClient;
  const url = (): string => `redis://127.0.0.1:${primary.port}`;

  const start = async (name: string, config: readonly string[]): Promise<RedisProcess> => {
    const place = { name, port: await freePort(), folder: `${folder}/${name}`, config };
    const server = new RedisProcess({ ...place, args: [], program: program as string });
    await server.start();
    return server;
  };

  beforeAll(async () => {
    primary = await start('primary', []);
    replica = await start('replica', [`replicaof 127.0.0.1 ${primary.port}`]);
    await until('the replica', () => replica.ask('INFO', 'replication').includes('status:up'));
    const waiting = { waitReplicas: 1, waitReplicasMs: 3_000, waitAof: true };
    redis = new RedisClient({ url: url(), prefix: 'w', ...waiting });
    await redis.connect();
  });
  afterAll(async () => {
    redis.disconnect();
    await Promise.all([primary.stop(), replica.stop()]);
    removeFolder(folder);
  });

  it.each([
    [[], 'D0'],
    [['--wait-replicas=1'], 'D1; confirmed by 1 replica on disk'],
  ] as const)('is named with %j', async (args, level) => {
    expect(await openedWith(url(), ...args)).toBe(level);
  });

  it('is refused with appendfsync everysec, which confirms what is not on disk yet', async () => {
    primary.ask('CONFIG', 'SET', 'appendfsync', 'everysec');
    expect(await openedWith(url())).toBe(
      'Redis has appendfsync everysec, with which it confirms writes that are not on disk yet: --wait-aof needs appendfsync always there and at its replicas.',
    );
    primary.ask('CONFIG', 'SET', 'appendfsync', 'always');
  });

  it('does not wait for the second after which a replica tells what it has on disk', async () => {
    // The replica has written its first file by then.
    await redis.commits.call('SET', 'w:quick', '');
    // With a second each they would take longer than a test may take.
    for (let i = 0; i < 100; i++) await redis.commits.call('SET', 'w:quick', String(i));
  });

  it('writes its mark to the file, without which Valkey 7.2 would not confirm it', async () => {
    await redis.confirmedReads.call('GET', 'w:quick');
    const files = path.join(folder, 'primary', 'appendonlydir');
    const written = fs.readdirSync(files).filter((name) => name.endsWith('.incr.aof'));
    const texts = written.map((name) => fs.readFileSync(path.join(files, name), 'latin1'));
    expect(texts.join('')).toContain('w:mark');
    expect(primary.ask('EXISTS', 'w:mark').trim()).toBe('0');
  });

  it('acknowledges what the replica has on disk, and nothing while it has no file', async () => {
    await redis.commits.call('SET', 'w:kept', '1');
    replica.ask('CONFIG', 'SET', 'appendonly', 'no');
    await expect(redis.commits.call('SET', 'w:unclear', '1')).rejects.toMatchObject({
      outcome: 'unclear',
      message: '0 of 1 replicas of Redis confirmed a write in 3000 ms',
    });
    // What is read rests on writes of others.
    await expect(redis.confirmedReads.call('GET', 'w:unclear')).rejects.toMatchObject({
      outcome: 'unclear',
    });
    replica.ask('CONFIG', 'SET', 'appendonly', 'yes');
    await until('the file of the replica', () =>
      redis.commits.call('SET', 'w:again', '1').then(
        () => true,
        () => false,
      ),
    );
  });

  it('is refused without an append-only file', async () => {
    primary.ask('CONFIG', 'SET', 'appendonly', 'no');
    expect(await openedWith(url())).toBe(
      'Redis keeps no append-only file, which --wait-aof needs: set appendonly yes there, or leave it off.',
    );
    primary.ask('CONFIG', 'SET', 'appendonly', 'yes');
    await until('the new file', () =>
      primary.ask('INFO', 'persistence').includes('aof_rewrite_in_progress:0'),
    );
  });
});
