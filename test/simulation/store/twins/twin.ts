// A script of the store in TypeScript. It does by `call` what its Lua does by `redis.call`, in the
// same order, so that the two can be read side by side; twins.test.ts compares what they do.
import type { RedisCalls, RedisReply } from '../memory-redis.js';

export type Twin = (redis: RedisCalls, keys: readonly string[], args: readonly string[]) => Reply;

type Reply = RedisReply;

/** List of bulk strings of a command. */
export function texts(reply: RedisReply): string[] {
  return reply as string[];
}

export function optionalTexts(reply: RedisReply): (string | null)[] {
  return reply as (string | null)[];
}
