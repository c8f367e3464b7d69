import { Script } from '../../src/redis/script.js';
import type { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisClient } from '../../src/redis/client.js';
import { toStoreError } from '../../src/redis/errors.js';
import { signalProcess } from '../../testkit/process.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';
import { until } from '../../testkit/until.js';

let server: RunningRedis | undefined;
let redis: RedisClient | undefined;

afterEach(async () => {
  redis?.disconnect();
  if (server?.pid !== undefined) signalProcess(server.pid, 'SIGCONT');
  await server?.stop();
  server = redis = undefined;
});

async function connect(answerTimeoutMs = 10_000): Promise<RedisClient> {
  server = await startRedis();
  redis = new RedisClient({ url: server.url, prefix: 't', answerTimeoutMs });
  await redis.connect();
  return redis;
}

describe('the outcome of a failed call', () => {
  it.each([
    ['MOVED 1 127.0.0.1:1', 'not-applied'],
    ['READONLY You cannot write against a read only replica.', 'not-applied'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'not-applied'],
    ['BUSY Redis is busy running a script.', 'not-applied'],
    ['LOADING Redis is loading the dataset in memory', 'not-applied'],
    ["Stream isn't writeable and enableOfflineQueue options is false", 'not-applied'],
    ['OOM command not allowed script: 1a2b, on @user_script:3.', 'unclear'],
    ['ERR user_script:19: something', 'unclear'],
    ['Connection is closed.', 'unclear'],
    ['Socket timeout. Expecting data', 'unclear'],
  ])('of "%s" is %s', (message, outcome) => {
    const error = toStoreError(new Error(message));
    expect(error.outcome).toBe(outcome);
    expect(error.cause).toBeUndefined();
  });
});

describe('a connection', () => {
  it('does not keep commands for later while Redis is away, and works again afterwards', async () => {
    const client = await connect();
    const states: boolean[] = [];
    client.onState((up) => states.push(up));
    await client.reads.call('CLIENT', 'KILL', 'TYPE', 'normal').catch(() => undefined);
    await until('the loss', () => !client.isUp);
    const lost = client.commits.call('SET', 'k', 'v');
    await expect(lost).rejects.toMatchObject({ outcome: 'not-applied' });
    await until('the return', () => client.isUp);
    expect(await client.commits.call('GET', 'k')).toBeNull();
    expect(states).toEqual([false, true]);
  });

  it('reports as unclear what got no answer, and does not send it again', async () => {
    const client = await connect(200);
    if (server?.pid === undefined) return;
    await client.commits.call('SET', 'n', 0);
    signalProcess(server.pid, 'SIGSTOP');
    const unanswered = client.commits.call('INCR', 'n');
    await expect(unanswered).rejects.toMatchObject({ outcome: 'unclear' });
    signalProcess(server.pid, 'SIGCONT');
    await until('the return', () => client.isUp);
    expect(await client.commits.call('GET', 'n')).toBe('1');
  });

  it('comes back when the client library has given it up', async () => {
    const client = await connect();
    (client.reads.client as Redis).disconnect();
    await until('the loss', () => !client.isUp);
    await until('the return', () => client.isUp);
    expect(await client.reads.call('EXISTS', 'k')).toBe(0);
  });

  it('goes on when its subscriptions are refused, and listens again when they are not', async () => {
    const client = await connect();
    const messages: string[] = [];
    await client.subscribe('news', (message) => messages.push(String(message)));
    await client.reads.call('ACL', 'SETUSER', 'default', 'resetchannels');
    await until('the refusal', async () =>
      String(await client.reads.call('ACL', 'LOG')).includes('news'),
    );
    await until('the return', () => client.isUp);
    await client.reads.call('ACL', 'SETUSER', 'default', 'allchannels');
    await until('a message', async () => {
      await client.reads.call('PUBLISH', 'news', 'heard');
      return messages.includes('heard');
    });
  });

  it('loads a script that Redis has forgotten', async () => {
    const client = await connect();
    const script = new Script('x', 'return 7');
    expect(await client.reads.run(script, [], [])).toBe(7);
  });
});
