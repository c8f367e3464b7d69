// Twins of the scripts that fence one small write: set-owner, clear-dirty, stage, and read-many.
import { unpack } from '../message-pack.js';
import { RedisError } from '../memory-redis.js';
import type { Twin } from './twin.js';

export const setOwner: Twin = (
  redis,
  [state = ''],
  [shard = '', expected, fence = '', node = ''],
) => {
  if ((redis.call('HGET', state, shard) ?? '') !== expected) return 0;
  redis.call('HSET', state, shard, fence, `${shard}n`, node);
  return 1;
};

export const clearDirty: Twin = (
  redis,
  [state = '', dirty = ''],
  [shard = '', fence, ids = ''],
) => {
  if (redis.call('HGET', state, shard) !== fence) return 0;
  redis.call('ZREM', dirty, ...(unpack(ids) as string[]));
  return 1;
};

export const stage: Twin = (redis, [state = '', segment = ''], args) => {
  const [shard = '', fence, lifeMs = '', packedFields = ''] = args;
  if (redis.call('HGET', state, shard) !== fence) return 0;
  redis.call('HSET', segment, ...(unpack(packedFields) as string[]));
  redis.call('PEXPIRE', segment, lifeMs);
  return 1;
};

export const readMany: Twin = (redis, keys, [command = '', stringBytes, ...args]) => {
  const bytes = Number(stringBytes);
  return keys.map((key) => {
    try {
      return redis.call(command, key, ...args);
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      return redis.call('GETRANGE', key, 0, bytes < 0 ? -1 : bytes - 1);
    }
  });
};
