// The rights that a user of Redis must have (docs/redis.md has the line for ACL SETUSER). A node
// asks for all of it when it starts: a right that is missing would else show later, in the middle
// of work. Redis refuses a command of its ACL before it looks at types and values, so each command
// is sent to a scratch key in a form that changes nothing: most are for another type than its
// string. They are sent in this order.
import { AppError } from '../model/errors.js';
import type { RedisClient } from './client.js';
import type { Argument } from './encoded-call.js';
import { isRightMissing } from './errors.js';

/** The scratch key of a node that ended meanwhile expires, ms. */
const scratchMs = 60_000;

/** Arguments behind the key; none is carried out on a string. */
const probes: Readonly<Record<string, readonly Argument[]>> = {
  EXISTS: [],
  GET: [],
  GETRANGE: [0, 0],
  HDEL: ['x'],
  HEXISTS: ['x'],
  HGET: ['x'],
  HGETALL: [],
  HINCRBY: ['x', 1],
  HKEYS: [],
  HLEN: [],
  HMGET: ['x'],
  HSCAN: [0],
  HSET: ['x', 'x'],
  HSETNX: ['x', 'x'],
  HVALS: [],
  INCR: [],
  LLEN: [],
  LPUSH: ['x'],
  LRANGE: [0, 0],
  LTRIM: [0, 0],
  // Writes what is there; PEXPIRE gives the key its end again.
  MSET: [''],
  PERSIST: [],
  PEXPIRE: [scratchMs],
  PEXPIREAT: [Date.UTC(2100, 0)],
  PTTL: [],
  RPUSH: ['x'],
  SADD: ['x'],
  SCARD: [],
  SISMEMBER: ['x'],
  SRANDMEMBER: [],
  SREM: ['x'],
  SSCAN: [0],
  XADD: ['*', 'x', 'x'],
  XREVRANGE: ['+', '-'],
  ZADD: [0, 'x'],
  ZCARD: [],
  ZCOUNT: [0, 0],
  ZMSCORE: ['x'],
  ZPOPMIN: [],
  ZRANGE: [0, 0],
  ZRANGEBYSCORE: [0, 0],
  ZRANK: ['x'],
  ZREM: ['x'],
  ZREMRANGEBYRANK: [0, 0],
  ZREMRANGEBYSCORE: [0, 0],
  ZREVRANGE: [0, 0],
  ZREVRANGEBYSCORE: [0, 0],
  ZSCAN: [0],
  ZSCORE: ['x'],
};

/**
 * Commands that a node needs besides those that it asks for: connecting, subscribing, scripts and
 * the server as a whole. CONFIG GET only tells the level of durability.
 */
const further = [
  ...['ASKING', 'CLIENT|SETNAME', 'CLUSTER|INFO', 'CLUSTER|SLOTS', 'CONFIG|GET', 'DEL', 'EVAL'],
  ...['EVALSHA', 'INFO', 'MEMORY|USAGE', 'PING', 'PUBLISH', 'SCAN', 'SELECT', 'SET', 'SUBSCRIBE'],
  ...['TIME', 'UNLINK', 'UNSUBSCRIBE', 'WAIT'],
];

/** Every command that a user must be allowed, with its subcommand where only that is needed. */
export const neededCommands: readonly string[] = [...Object.keys(probes), ...further].sort();

/**
 * Throws AppError 'unavailable' with what is missing. Rejects with StoreError when the store does
 * not answer.
 */
export async function checkRights(redis: RedisClient): Promise<void> {
  const key = redis.keys.scratch();
  const { reads } = redis;
  const missing: string[] = [];
  const ask = async (name: string, ...args: readonly Argument[]): Promise<void> => {
    try {
      await reads.callBuffer(name, ...args);
    } catch (error) {
      if (isRightMissing(error)) missing.push(name === 'MEMORY' ? 'MEMORY USAGE' : name);
    }
  };
  // First, so that nothing below meets a key that is not there.
  await reads.call('SET', key, '', 'PX', scratchMs);
  await Promise.all([
    ...Object.entries(probes).map(([name, args]) => ask(name, key, ...args)),
    ask('EVAL', 'return 1', 0),
    ask('EVALSHA', '0'.repeat(40), 0),
    ask('PUBLISH', key, ''),
    ask('MEMORY', 'USAGE', key),
    ask('WAIT', 0, 1),
    ask('UNLINK', key),
    ask('DEL', key),
  ]);
  if (missing.length === 0) return;
  throw new AppError(
    'unavailable',
    `Redis does not let this user run ${missing.sort().join(', ')}: give it the rights that docs/redis.md names.`,
  );
}
