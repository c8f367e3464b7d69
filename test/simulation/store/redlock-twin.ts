// The scripts of the lock that serialises the taking of shards, told apart by what they call.
import type { MemoryRedis, RedisReply } from './memory-redis.js';

/** `args`: number of keys, keys, the lock's value, and its life in ms. */
export function redlockReply(
  redis: MemoryRedis,
  source: string,
  [count, ...rest]: readonly string[],
): RedisReply {
  const keys = rest.slice(0, Number(count));
  const [value = '', lifeMs = ''] = rest.slice(Number(count));
  if (source.includes('"exists"')) {
    if (keys.some((key) => redis.call('EXISTS', key) === 1)) return 0;
    for (const key of keys) redis.call('SET', key, value, 'PX', lifeMs);
    return keys.length;
  }
  const held = keys.filter((key) => redis.call('GET', key) === value);
  if (source.includes('"del"')) return redis.call('DEL', ...held);
  for (const key of held) redis.call('PEXPIRE', key, lifeMs);
  return held.length;
}
