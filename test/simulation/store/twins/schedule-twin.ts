// The twin of advance-schedules.lua.
import { unpack } from '../message-pack.js';
import type { RedisCalls } from '../memory-redis.js';
import { texts, type Twin } from './twin.js';

/** Execution id, due time, packed run. */
type Run = [string, number, string];
type Advance = [string, string, Run[]];

/** Beside as many as an advance brings. */
const removedMax = 100;

export const advanceSchedules = createAdvanceTwin({ fence: true });

/** `passed`: told whenever the check of the fence is left out and would have refused. */
export function createAdvanceTwin(
  looksAt: { readonly fence: boolean },
  passed: () => void = () => undefined,
): Twin {
  return (redis, keys, [ofCaller, kept, lifeMs = '', packed = '']) => {
    const [fence = '', cursors = '', runs = '', order = '', ...own] = keys;
    if (redis.call('GET', fence) !== ofCaller) {
      if (looksAt.fence) return 0;
      passed();
    }
    for (const [i, advance] of (unpack(packed) as unknown as Advance[]).entries()) {
      if (isBehind(advance[1], redis.call('HGET', cursors, advance[0]))) continue;
      const places = { runs, order, own: own[i] as string };
      redis.call('HSET', cursors, advance[0], advance[1]);
      for (const run of advance[2]) store(redis, places, run);
      const most = removedMax + advance[2].length;
      trim(redis, places, { most, kept: Number(kept), lifeMs: Number(lifeMs) });
      redis.call('PEXPIRE', places.own, lifeMs);
    }
    return 1;
  };
}

/** Since when a cursor counts, and how far its entries have come, all together. */
function placeOf(cursor: unknown): { from: string | undefined; sum: number } {
  const form = /"activeFrom":(\d+),"handledUntil":\[([\d,]*)\]/;
  const [, from, list = ''] = form.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  const moments = list.match(/\d+/g) ?? [];
  return { from, sum: moments.reduce((sum, moment) => sum + Number(moment), 0) };
}

function isBehind(cursor: string, stored: unknown): boolean {
  const [own, other] = [placeOf(cursor), placeOf(stored)];
  return own.from !== undefined && own.from === other.from && own.sum < other.sum;
}

interface Places {
  readonly runs: string;
  readonly order: string;
  readonly own: string;
}

function trim(
  redis: RedisCalls,
  places: Places,
  { most, kept, lifeMs }: { most: number; kept: number; lifeMs: number },
): void {
  const { own } = places;
  const [, newest] = texts(redis.call('ZRANGE', own, -1, -1, 'WITHSCORES'));
  if (newest === undefined) return;
  const ended = `(${Number(newest) - lifeMs}`;
  const limit = ['LIMIT', 0, most] as const;
  remove(redis, places, texts(redis.call('ZRANGEBYSCORE', own, '-inf', ended, ...limit)));
  const surplus = Math.min(Number(redis.call('ZCARD', own)) - kept, most);
  if (surplus > 0) remove(redis, places, texts(redis.call('ZRANGE', own, 0, surplus - 1)));
}

function remove(redis: RedisCalls, places: Places, ids: readonly string[]): void {
  for (const id of ids) {
    redis.call('ZREM', places.own, id);
    redis.call('ZREM', places.order, id);
    redis.call('HDEL', places.runs, id);
  }
}

function store(redis: RedisCalls, places: Places, [id, dueAt, run]: Run): void {
  redis.call('HSET', places.runs, id, run);
  redis.call('ZADD', places.order, dueAt, id);
  redis.call('ZADD', places.own, dueAt, id);
}
