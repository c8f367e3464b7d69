import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activeDomainMs, entriesMax, PollLog } from '../../src/queue/poll-log.js';
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

function logOf(store: RedisPollDataStore, clock: VirtualClock, activeMs?: number): PollLog {
  const failed = (error: unknown): void => {
    throw error;
  };
  return new PollLog(store, clock, failed, activeMs);
}

describe('the log of polls', () => {
  it('remembers a bounded number of queues, those polled last', async () => {
    const clock = new VirtualClock();
    const store = new RedisPollDataStore(redis);
    const log = logOf(store, clock);
    for (let i = 0; i < entriesMax + 10; i++) {
      clock.advance(1);
      log.note({ taskType: 't', domain: `d${i}` }, 'w');
    }
    log.note({ taskType: 't', domain: 'd0' }, 'w');
    await log.save();
    expect(await log.list('t')).toHaveLength(entriesMax);
    expect(await store.list('t')).toHaveLength(entriesMax);
    const queues = ['d0', 'd1', 'd10', 'd11'].map((domain) => ({ taskType: 't', domain }));
    const isKnown = (await log.lastPolls(queues)).map((at) => at > 0);
    expect(isKnown).toEqual([true, false, false, true]);
  });

  it('tells what was polled at other nodes, the newest of each', async () => {
    const clock = new VirtualClock();
    const store = new RedisPollDataStore(redis);
    const [here, there] = [logOf(store, clock), logOf(store, clock)];
    const queues = [{ taskType: 'both' }, { taskType: 'both', domain: 'd' }, { taskType: 'no' }];
    clock.advance(5);
    here.note({ taskType: 'both' }, 'first');
    await here.save();
    clock.advance(5);
    there.note({ taskType: 'both' }, 'second');
    there.note({ taskType: 'both', domain: 'd' }, 'second');
    await there.save();
    const [plain, inDomain] = [clock.now(), clock.now()];
    expect(await here.lastPolls(queues)).toEqual([plain, inDomain, 0]);
    expect(await here.list('both')).toHaveLength(2);
    clock.advance(5);
    here.note({ taskType: 'both' }, 'third');
    expect(await here.list('both')).toContainEqual({
      ...{ queueName: 'both', workerId: 'third', lastPollTime: clock.now() },
    });
    expect(await here.lastPolls(queues)).toEqual([clock.now(), inDomain, 0]);
  });

  it('takes a domain for active for 10 s, or for twice the longest wait of a poll', () => {
    const clock = new VirtualClock();
    const store = new RedisPollDataStore(redis);
    for (const [activeMs, isElsewhere] of [
      [activeDomainMs(5000), false],
      [activeDomainMs(5000), true],
      [activeDomainMs(30_000), false],
    ] as const) {
      const log = logOf(store, clock, activeMs);
      const chosen = (): string | undefined => log.activeDomain('w', ['near', 'last']);
      expect(chosen()).toBe('last');
      const queue = { taskType: 'w', domain: 'near' };
      if (isElsewhere) log.noteElsewhere(queue);
      else log.note(queue, 'worker');
      clock.advance(activeMs);
      expect(chosen()).toBe('near');
      clock.advance(1);
      expect(chosen()).toBe('last');
    }
    expect([activeDomainMs(100), activeDomainMs(5000), activeDomainMs(30_000)]).toEqual([
      10_000, 10_000, 60_000,
    ]);
  });
});
