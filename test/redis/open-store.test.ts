import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/server/config.js';
import { openStore } from '../../src/redis/open-store.js';
import { StopStack } from '../../src/server/stop-stack.js';
import { RedisClient } from '../../src/redis/client.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';

let server: RunningRedis;
let redis: RedisClient;
beforeAll(async () => {
  server = await startRedis();
  redis = new RedisClient({ url: server.url, prefix: 'd' });
  await redis.connect();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('the durability that a store promises', () => {
  it.each([
    [{ appendfsync: 'always', 'aof-load-truncated': 'no' }, 'D0'],
    [{ appendfsync: 'always', 'aof-load-truncated': 'yes' }, 'below D0: aof-load-truncated yes'],
    [{ appendfsync: 'everysec', 'aof-load-truncated': 'no' }, 'below D0: appendfsync everysec'],
  ])('with %j is called %s', async (config, level) => {
    for (const [name, value] of Object.entries(config)) {
      await redis.reads.call('CONFIG', 'SET', name, value);
    }
    const stops = new StopStack((error) => expect.unreachable(String(error)));
    const { signal: stopping } = new AbortController();
    const settings = readSettings(['--redis-prefix=d'], {});
    const launched = { url: Promise.resolve(server.url) };
    try {
      expect(
        (await openStore(settings, launched, { stops, stopping, answered: () => undefined }))
          .durability,
      ).toBe(level);
    } finally {
      await stops.stop();
    }
  });
});
