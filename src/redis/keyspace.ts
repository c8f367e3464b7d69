// The record that says what lies under a prefix: number of shards, format, the deployment's secret
// and id (invariants M14). It is written once on an empty store; anything surprising is refused
// with a sentence that says what to do.
import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '../model/errors.js';
import type { RedisClient } from './client.js';
import { packRecord, unpackRecord } from './codec/record.js';

/** Format of the whole layout; single records have their own. */
const format = 1;

/** Creates or checks the keyspace. Throws AppError 'unavailable' when this store cannot be used. */
export async function openKeyspace(
  redis: RedisClient,
  shards: number,
): Promise<{ secret: Buffer; shards: number; storeId: string }> {
  await refuseEviction(redis);
  const stored = (await readRecord(redis)) ?? (await createRecord(redis, shards));
  if (stored.shards !== shards) {
    throw refusal(
      `The store was created with ${stored.shards} shards and this node is set to ${shards}. ` +
        'The number is fixed when the store is created: set it to the stored one.',
    );
  }
  return stored;
}

interface KeyspaceRecord {
  shards: number;
  storeId: string;
  secret: Buffer;
}

async function readRecord(redis: RedisClient): Promise<KeyspaceRecord | undefined> {
  const bytes = (await redis.reads.callBuffer('GET', redis.keys.keyspace())) as Buffer | null;
  if (!bytes) return undefined;
  try {
    const [, shards, storeId, secret] = unpackRecord('keyspace record', bytes, format);
    return { shards: shards as number, storeId: storeId as string, secret: secret as Buffer };
  } catch (error) {
    throw refusal((error as Error).message);
  }
}

/** Of several nodes that start on an empty store one writes the record, and all read it. */
async function createRecord(redis: RedisClient, shards: number): Promise<KeyspaceRecord> {
  await refuseLeftovers(redis);
  const record = packRecord([format, shards, randomUUID(), randomBytes(32)]);
  await redis.reads.call('SET', redis.keys.keyspace(), record, 'NX');
  const stored = await readRecord(redis);
  if (!stored) throw refusal('The store does not keep the keyspace record that was just written.');
  return stored;
}

/** A missing record beside existing owners means lost data, not a fresh store (invariants I16). */
async function refuseLeftovers(redis: RedisClient): Promise<void> {
  const { keys } = redis;
  const found = await redis.reads.callAll([
    ['EXISTS', keys.owner(0)],
    ['EXISTS', keys.workflowDefs()],
    ['EXISTS', keys.queues()],
  ]);
  if (found.every((reply) => reply === 0)) return;
  throw refusal(
    `The store holds data under the prefix "${keys.prefix}" but not its keyspace record: part of it was lost or evicted. ` +
      'Restore it from a backup, or choose another prefix.',
  );
}

async function refuseEviction(redis: RedisClient): Promise<void> {
  const memory = await memorySettings(redis);
  if (memory === undefined || memory.limitBytes === 0 || memory.policy === 'noeviction') return;
  throw refusal(
    `Redis has a memory limit and the policy "${memory.policy}", which throws stored executions away. ` +
      'Set maxmemory-policy to noeviction.',
  );
}

/** From INFO, which managed servers allow where CONFIG is refused. */
async function memorySettings(
  redis: RedisClient,
): Promise<{ limitBytes: number; policy: string } | undefined> {
  const text = String(await redis.reads.call('INFO', 'memory'));
  const limit = /^maxmemory:(\d+)/m.exec(text)?.[1];
  const policy = /^maxmemory_policy:(\S+)/m.exec(text)?.[1];
  return limit === undefined || policy === undefined
    ? undefined
    : { limitBytes: Number(limit), policy };
}

function refusal(message: string): AppError {
  return new AppError('unavailable', message);
}
