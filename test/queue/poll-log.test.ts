import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesMax, PollLog } from '../../src/queue/poll-log.js';
import { RedisClient } from '../../src/redis/client.js';
import { RedisPollDataStore } from '../../src/redis/poll-data-store.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';
import { VirtualClock } from '../support/virtual-clock.js';

let server: RunningRedis;
let redis: RedisClient;
beforeAll(async () => {
  server = await startRedis();
  redis = new RedisClient({ url: server.url, prefix: 'log' });
  await redis.connect();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('the log of polls', () => {
  it('remembers a bounded number of queues, those polled last', async () => {
    const clock = new VirtualClock();
    const store = new RedisPollDataStore(redis);
    const log = new PollLog(store, clock, (error) => {
      throw error;
    });
    for (let i = 0; i < entriesMax + 10; i++) {
      clock.advance(1);
      log.note({ taskType: 't', domain: `d${i}` }, 'w');
    }
    log.note({ taskType: 't', domain: 'd0' }, 'w');
    await log.save();
    expect(log.list('t')).toHaveLength(entriesMax);
    expect(await store.list('t')).toHaveLength(entriesMax);
    const isKnown = (domain: string): boolean => log.lastPollAt({ taskType: 't', domain }) > 0;
    expect(['d0', 'd1', 'd10', 'd11'].map(isKnown)).toEqual([true, false, false, true]);
  });
});
