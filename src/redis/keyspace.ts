// The record that says what lies under a prefix: format, numbers of shards and partitions, the
// deployment's secret and id (invariants M14). It is written once on an empty store; anything
// surprising is refused with a sentence that says what to do.
import { randomFillSync, randomUUID } from 'node:crypto';
import { AppError } from '../model/errors.js';
import type { Keyspace } from '../store/shard-store.js';
import type { FillRandom } from '../std/seeded-bytes.js';
import type { RedisClient } from './client.js';
import { packRecord, unpackRecord } from './codec/record.js';
import { shardsPerPartitionMax } from './codec/scores.js';

const secretBytes = 32;

/** Format of the whole layout; single records have their own. */
const format = 3;

/** Stands in place of the record while `downbeat restore` copies a snapshot. */
const restoringMark = Buffer.from('restoring');

/** Creates or checks the keyspace. Throws AppError 'unavailable' when this store cannot be used. */
export async function openKeyspace(
  redis: RedisClient,
  shards: number,
  secretSource: FillRandom = (bytes) => randomFillSync(bytes),
): Promise<Keyspace> {
  await refuseEviction(redis);
  const { partitions } = redis.keys;
  if (shards > partitions * shardsPerPartitionMax) {
    throw refusal(
      `${shards} shards need at least ${Math.ceil(shards / shardsPerPartitionMax)} partitions and ` +
        `this node is set to ${partitions}: set more partitions or fewer shards.`,
    );
  }
  const stored = (await readRecord(redis)) ?? (await createRecord(redis, shards, secretSource));
  refuseOther('shards', stored.shards, shards);
  refuseOther('partitions', stored.partitions, partitions);
  return stored;
}

/** The record as it is; undefined when there is none. Throws as `openKeyspace` for its format. */
export async function findKeyspace(redis: RedisClient): Promise<Keyspace | undefined> {
  return await readRecord(redis);
}

function refuseOther(what: string, stored: number, set: number): void {
  if (stored === set) return;
  throw refusal(
    `The store was created with ${stored} ${what} and this node is set to ${set}. ` +
      'The number is fixed when the store is created: set it to the stored one.',
  );
}

async function readRecord(redis: RedisClient): Promise<Keyspace | undefined> {
  const bytes = (await redis.reads.callBuffer('GET', redis.keys.keyspace())) as Buffer | null;
  if (!bytes) return undefined;
  if (bytes.equals(restoringMark)) {
    throw refusal(
      `A restore into the store under the prefix "${redis.keys.prefix}" broke off, so it is not whole: ` +
        'run downbeat restore again, with --replace.',
    );
  }
  let fields: readonly unknown[];
  try {
    fields = unpackRecord('keyspace record', bytes, format);
  } catch (error) {
    throw refusal((error as Error).message);
  }
  const [found, shards, storeId, secret, partitions] = fields;
  if (found !== format) {
    throw refusal(
      `The store under the prefix "${redis.keys.prefix}" has the layout of format ${String(found)}, ` +
        `which this version cannot read (it has format ${format}). Let the version that wrote it ` +
        'end what runs there, and give this one another prefix or an empty store.',
    );
  }
  return {
    shards: shards as number,
    storeId: storeId as string,
    secret: secret as Buffer,
    partitions: partitions as number,
  };
}

/** Of several nodes that start on an empty store one writes the record, and all read it. */
async function createRecord(
  redis: RedisClient,
  shards: number,
  fill: FillRandom,
): Promise<Keyspace> {
  await refuseLeftovers(redis);
  const { partitions } = redis.keys;
  const secret = Buffer.alloc(secretBytes);
  fill(secret);
  const record = packRecord([format, shards, randomUUID(), secret, partitions]);
  await redis.reads.call('SET', redis.keys.keyspace(), record, 'NX');
  const stored = await readRecord(redis);
  if (!stored) throw refusal('The store does not keep the keyspace record that was just written.');
  return stored;
}

/** A missing record beside existing owners means lost data, not a fresh store (invariants I16). */
async function refuseLeftovers(redis: RedisClient): Promise<void> {
  const { keys } = redis;
  const found = await redis.reads.callAll([
    ['EXISTS', keys.partitionState(0)],
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
