// Access tokens of persons, signed as the server signs them. A person who signs in with a password
// costs a test two hashes of 300 ms of a processor; test/server/sign-in.test.ts and others do that.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Tokens } from '../src/areas/identity/sign-in/tokens.js';
import type { Person } from '../src/areas/identity/identities.js';
import { RedisClient } from '../src/redis/client.js';
import { findKeyspace } from '../src/redis/keyspace.js';
import { socketPathFor } from '../src/redis/local-store.js';
import { RedisRecordStore } from '../src/redis/record-store.js';
import { sharedRedis } from './shared-redis-args.js';

const lifeSeconds = 3600;

/**
 * Of a person of the server with this folder; its store is at `redisUrl`, else where its arguments
 * say (testkit/shared-redis-args.ts).
 */
export async function personToken(
  dataDir: string,
  id: string,
  redisUrl = `unix://${socketPathFor(path.join(dataDir, 'redis'))}`,
): Promise<string> {
  const redis = new RedisClient(sharedRedis(dataDir) ?? { url: redisUrl, prefix: 'db' });
  try {
    await redis.connect();
    const keyspace = await findKeyspace(redis);
    const { records } = await new RedisRecordStore(redis).load('user');
    const text = records.find((record) => record.id === id.toLowerCase())?.text;
    if (keyspace === undefined || text === undefined) throw new Error(`There is no person ${id}`);
    const { id: sub, generation: gen } = JSON.parse(text) as Person;
    const iat = Math.floor(Date.now() / 1000);
    const claims = { sub, iat, exp: iat + lifeSeconds, jti: randomUUID(), gen };
    return new Tokens(keyspace.secret).sign(claims);
  } finally {
    redis.disconnect();
  }
}
