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
  const url = process.env[sharedRedisVariable];
  if (url === undefined) return [];
  const secretsKey = createHash('sha256').update(dataDir).digest('base64');
  return [
    ...['--redis-url', url, '--redis-prefix', path.basename(dataDir)],
    ...['--object-store', 'folder', '--secrets-key', secretsKey],
  ];
}
