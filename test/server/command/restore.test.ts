// `downbeat backup` and `downbeat restore`: what was stored goes on elsewhere; nothing that is
// stored already is written over unless that is asked for.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisProcess } from '../../../cluster/redis-process.js';
import { ApiClient } from '../../../testkit/api-client.js';
import { PackedCommand } from '../../support/command.js';
import { freePort } from '../../../testkit/process.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';

const keysUntilTorn = 5;

let downbeat: PackedCommand;
let snapshot: string;
let id: string;
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => {
  const server = await startServer();
  downbeat = new PackedCommand(server.url);
  cleanUps.push(() => downbeat.remove());
  const api = new ApiClient(server.url);
  const tasks = [{ name: 'kept', taskReferenceName: 'kept', type: 'SIMPLE' }];
  await api.registerWorkflows({ name: 'kept', version: 1, tasks });
  id = await api.start({ name: 'kept', input: { a: 1 } });
  snapshot = path.join(downbeat.folder, 'kept.rdb');
  const taken = await downbeat.run(['backup', snapshot, '--data-dir', server.dataDir]);
  expect(taken).toMatchObject({ code: 0 });
  await api.close();
  await server.stop();
}, 180_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function goesOn(server: RunningServer): Promise<void> {
  cleanUps.push(() => server.stop());
  const api = new ApiClient(server.url);
  cleanUps.push(() => api.close());
  expect(await api.workflow(id)).toMatchObject({ status: 'RUNNING', input: { a: 1 } });
  const [task] = await api.poll('kept', { timeoutMs: 5000 });
  const { taskId = '', workflowInstanceId = '' } = task ?? {};
  await api.update({ taskId, workflowInstanceId, status: 'COMPLETED', outputData: {} });
  expect((await api.workflow(id)).status).toBe('COMPLETED');
}

describe('restore', () => {
  it('puts a snapshot into a data folder, from which a server goes on', async () => {
    const dataDir = path.join(downbeat.folder, 'again');
    const ran = await downbeat.run(['restore', snapshot, '--data-dir', dataDir, '--json']);
    expect(ran.code).toBe(0);
    expect((JSON.parse(ran.stdout) as { keys: number }).keys).toBeGreaterThan(5);
    await goesOn(await startServer({ dataDir }));
    const running = await downbeat.run(['restore', snapshot, '--data-dir', dataDir, '--replace']);
    expect(running).toMatchObject({ code: 2, stdout: '' });
    expect(running.stderr).toMatch(/A server runs on .*: stop it first\. Nothing was changed/);
  });

  it('refuses a folder that is not empty, or moves it aside', async () => {
    const dataDir = path.join(downbeat.folder, 'used');
    fs.mkdirSync(path.join(dataDir, 'redis'), { recursive: true });
    fs.writeFileSync(path.join(dataDir, 'redis', 'mine'), 'x');
    const refused = await downbeat.run(['restore', snapshot, '--data-dir', dataDir]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/is not empty: .*--replace/);
    expect(fs.readdirSync(path.join(dataDir, 'redis'))).toEqual(['mine']);
    const done = await downbeat.run(['restore', snapshot, '--data-dir', dataDir, '--replace']);
    expect(done.code).toBe(0);
    const aside = fs.readdirSync(dataDir).find((name) => name.startsWith('redis.before-'));
    expect(fs.readdirSync(path.join(dataDir, aside ?? ''))).toEqual(['mine']);
  });

  it('copies it into another Redis, and leaves what others keep there', async () => {
    const place = { name: 'target', port: await freePort(), args: [] };
    const redis = new RedisProcess({ ...place, folder: path.join(downbeat.folder, 'target') });
    cleanUps.push(() => redis.stop());
    await redis.start();
    redis.ask('SET', 'of-others', '1');
    const redisUrl = `redis://127.0.0.1:${redis.port}`;
    const first = await downbeat.run(['restore', snapshot, '--redis-url', redisUrl]);
    expect(first).toMatchObject({ code: 0 });
    const expiring = Number(/expires=(\d+)/.exec(redis.ask('INFO', 'keyspace'))?.[1]);
    expect(redis.ask('GET', 'of-others').trim()).toBe('1');
    const second = await downbeat.run(['restore', snapshot, '--redis-url', redisUrl]);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toMatch(/Keys with the prefix db: are stored there: say --replace/);
    const replaced = await downbeat.run([
      ...['restore', snapshot, '--redis-url', redisUrl, '--replace'],
    ]);
    expect(replaced).toMatchObject({ code: 0 });
    // What the snapshot says of an end may have come meanwhile; nothing else may be missing.
    const lost = restoredKeys(first.stdout) - restoredKeys(replaced.stdout);
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(expiring);
    await goesOn(await startServer({ redisUrl }));
    const live = await downbeat.run(['restore', snapshot, '--redis-url', redisUrl, '--replace']);
    expect(live.stderr).toMatch(/Nodes run on that Redis: stop them first/);
  });

  it('that breaks off leaves nothing that a server takes for a whole', async () => {
    const place = { name: 'torn', port: await freePort(), args: [] };
    const redis = new RedisProcess({ ...place, folder: path.join(downbeat.folder, 'torn') });
    cleanUps.push(() => redis.stop());
    await redis.start();
    const redisUrl = `redis://127.0.0.1:${redis.port}`;
    const torn = await downbeat.run(['restore', snapshot, '--redis-url', await tornAt(redis.port)]);
    expect(torn).toMatchObject({ code: 3, stdout: '' });
    expect(torn.stderr).toMatch(/is not whole, and no server starts on it: the same command with/);
    expect(Number(redis.ask('DBSIZE').trim())).toBeGreaterThan(1);
    const words = ['start', '--port', String(await freePort()), '--redis-url', redisUrl];
    const refused = await downbeat.run([...words, '--data-dir', 'of-torn']);
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toContain('A restore into the store under the prefix');
    const second = await downbeat.run(['restore', snapshot, '--redis-url', redisUrl]);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain('A restore into that Redis broke off: say --replace');
    const again = await downbeat.run(['restore', snapshot, '--redis-url', redisUrl, '--replace']);
    expect(again.code, again.stderr).toBe(0);
    await goesOn(await startServer({ redisUrl }));
  });

  it.each([
    [['none.rdb'], 2, /none\.rdb cannot be read \(ENOENT\)/],
    [['bad.rdb'], 2, /bad\.rdb is no snapshot/],
    [['kept.rdb', '--redis-url', 'redis://a:1,b:2'], 2, /takes the address of one server/],
    [['kept.rdb', '--redis-url', 'redis://127.0.0.1:1'], 3, /redis:\/\/127\.0\.0\.1:1/],
  ])('refuses %j with %i', async (args, code, sentence) => {
    fs.writeFileSync(path.join(downbeat.folder, 'bad.rdb'), 'no snapshot');
    const ran = await downbeat.run(['restore', ...args]);
    expect(ran.stderr).toMatch(sentence);
    expect(ran).toMatchObject({ code, stdout: '' });
  });
});

/** The address of a way to a Redis that ends after a few keys were restored there. */
async function tornAt(port: number): Promise<string> {
  const way = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    far.pipe(near);
    near.on('data', (bytes) => {
      const parts = bytes.toString('latin1').split(/(?=\*\d+\r\n\$7\r\nrestore\r\n)/i);
      const isLast = parts.length > keysUntilTorn;
      const passed = isLast ? parts.slice(0, keysUntilTorn).join('') : bytes;
      far.write(passed, 'latin1', () => {
        if (isLast) near.destroy();
      });
    });
    near.on('close', () => far.end());
    for (const side of [near, far]) side.on('error', () => undefined);
  });
  cleanUps.push(() => way.close());
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  return `redis://127.0.0.1:${(way.address() as net.AddressInfo).port}`;
}

function restoredKeys(output: string): number {
  return Number(/^(\d+) keys are restored\n$/.exec(output)?.[1]);
}
