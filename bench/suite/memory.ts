// The memory that the private Redis of a server takes.
import path from 'node:path';
import { Redis } from 'ioredis';
import type { RunningServer } from '../../testkit/server.js';

export async function redisBytes({ dataDir }: RunningServer): Promise<number> {
  const redis = new Redis(path.join(dataDir, 'redis', 'redis.sock'));
  try {
    return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  } finally {
    redis.disconnect();
  }
}
