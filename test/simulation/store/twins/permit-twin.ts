// The twin of room.lua.
import { texts, type Twin } from './twin.js';

export const room: Twin = (redis, keys, args) => {
  const [taken = '', waiting = '', untold = '', asked = '', limit = '', left = ''] = keys;
  const [operation, id = '', number, startedAt = '', places = '', fenceMs = '', atOnceMax] = args;
  const newest = Number(redis.call('HGET', asked, id) ?? redis.call('GET', left) ?? 0);
  if (operation === 'told') redis.call('SREM', untold, id);
  else if (Number(number) >= newest) {
    if (operation === 'leave') {
      redis.call('HDEL', asked, id);
      redis.call('SREM', taken, id);
      redis.call('SREM', untold, id);
      redis.call('ZREM', waiting, id);
      redis.call('SET', left, number ?? '', 'PX', fenceMs);
    } else {
      redis.call('HSET', asked, id, number ?? '');
      redis.call('SET', limit, places);
      if (operation === 'force') {
        redis.call('SADD', taken, id);
        redis.call('ZREM', waiting, id);
      } else if (redis.call('SISMEMBER', taken, id) === 0) {
        redis.call('ZADD', waiting, startedAt, id);
      }
    }
  }

  const free = Number(redis.call('GET', limit) ?? 0) - (redis.call('SCARD', taken) as number);
  for (let given = 0; given < Math.min(free, Number(atOnceMax)); given++) {
    const [first] = texts(redis.call('ZPOPMIN', waiting));
    if (first === undefined) break;
    redis.call('SADD', taken, first);
    redis.call('SADD', untold, first);
  }
  if (redis.call('EXISTS', asked) === 0) redis.call('DEL', limit);

  const has = redis.call('SISMEMBER', taken, id);
  if (has === 1 && operation !== 'told') redis.call('SREM', untold, id);
  return [has, redis.call('SRANDMEMBER', untold, atOnceMax ?? '')];
};
