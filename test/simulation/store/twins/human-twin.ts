// The twin of put-human-task.lua.
import type { Twin } from './twin.js';

const firstSet = 6;

export const putHumanTask: Twin = (redis, keys, args) => {
  const [entries = '', sets = '', ended = '', names = '', changed = '', due = ''] = keys;
  const [taskId = '', before = '', after = '', setsText = '', leftCount, at = ''] = args;
  const [hasEnded, displayName = '', namesMax, lifeMs = '', dueAt = ''] = args.slice(6);
  if ((redis.call('HGET', entries, taskId) ?? '') !== before) return 0;
  for (const [i, set] of keys.slice(firstSet).entries()) {
    if (i < Number(leftCount)) redis.call('ZREM', set, taskId);
    else redis.call('ZADD', set, at, taskId);
  }
  if (hasEnded === '1') redis.call('ZADD', ended, at, taskId);
  else redis.call('ZREM', ended, taskId);
  if (dueAt === '0') redis.call('ZREM', due, taskId);
  else redis.call('ZADD', due, dueAt, taskId);
  if (after === '') {
    redis.call('HDEL', entries, taskId);
    redis.call('HDEL', sets, taskId);
  } else {
    redis.call('HSET', entries, taskId, after);
    redis.call('HSET', sets, taskId, setsText);
    redis.call('ZADD', names, at, displayName);
    redis.call('ZREMRANGEBYRANK', names, 0, -1 - Number(namesMax));
  }
  redis.call('RPUSH', changed, taskId);
  redis.call('PEXPIRE', changed, lifeMs);
  return 1;
};
