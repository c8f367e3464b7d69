// Reads how many commands a private Redis has carried out, and how many bytes it has written.
import path from 'node:path';
import { Redis } from 'ioredis';
import type { RunningServer } from '../testkit/server.js';

export interface RedisCounts {
  /** Commands, those inside scripts counted. */
  readonly calls: number;
  /** The same by command. */
  readonly callsOf: ReadonlyMap<string, number>;
  readonly appendOnlyBytes: number;
}

/** Keeps the append-only file from being rewritten, so that its growth can be read. */
export async function holdRewrites(server: RunningServer): Promise<void> {
  await withRedis(server, (redis) => redis.config('SET', 'auto-aof-rewrite-percentage', '0'));
}

export async function redisCounts(server: RunningServer): Promise<RedisCounts> {
  return withRedis(server, async (redis) => {
    const stats = await redis.info('commandstats');
    const persistence = await redis.info('persistence');
    const callsOf = new Map<string, number>();
    for (const [, name, count] of stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)) {
      callsOf.set(name as string, Number(count));
    }
    const calls = [...callsOf.values()].reduce((sum, count) => sum + count, 0);
    const size = /^aof_current_size:(\d+)/m.exec(persistence)?.[1] ?? 'NaN';
    return { calls, callsOf, appendOnlyBytes: Number(size) };
  });
}

async function withRedis<T>(server: RunningServer, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(path.join(server.dataDir, 'redis', 'redis.sock'));
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}
