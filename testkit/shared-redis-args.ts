// The Redis that servers of a run share, where it has started one (test/support/shared-redis.ts).
import { createHash } from 'node:crypto';
import path from 'node:path';

/** Tells the processes of the run where it is; absent: each server starts its private one. */
export const sharedRedisVariable = 'DOWNBEAT_TEST_REDIS_URL';

/**
 * Arguments of a server with this folder: its store, and what it would have by itself beside a
 * private Redis, a folder for objects and a key for secrets.
 */
export function sharedRedisArgs(dataDir: string): string[] {
  const shared = sharedRedis(dataDir);
  if (shared === undefined) return [];
  const secretsKey = createHash('sha256').update(dataDir).digest('base64');
  return [
    ...['--redis-url', shared.url, '--redis-prefix', shared.prefix],
    ...['--object-store', 'folder', '--secrets-key', secretsKey],
  ];
}

/** Where the store of a server with this folder lies; undefined: in its private Redis. */
export function sharedRedis(dataDir: string): { url: string; prefix: string } | undefined {
  const url = process.env[sharedRedisVariable];
  return url === undefined ? undefined : { url, prefix: path.basename(dataDir) };
}
