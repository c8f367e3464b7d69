// The twin of pop.lua.
import type { RedisCalls } from '../memory-redis.js';
import { pack } from '../message-pack.js';
import {
  definitionKeys,
  endless,
  limitsOf,
  perMs,
  rateMember,
  readState,
  readyScore,
  saveState,
  type Limits,
} from './queue-part.js';
import { optionalTexts, texts, type Twin } from './twin.js';

const moveMax = 100;
const lookAhead = 200;

interface Room {
  readonly slots: string;
  readonly rate: string;
  left: number;
  reason: string;
  counted: boolean;
  opensAt: number;
}

export const pop: Twin = (redis, keys, args) => {
  const [stateKey = '', ready = '', hidden = '', leases = '', leaseEnds = '', limitsKey = ''] =
    keys;
  const [offset, countText, leaseMs, packedNames = ''] = args;
  const count = Number(countText);
  const state = readState(redis, stateKey, Number(offset));
  const { now } = state;
  const dueUntil = (now + 1) * perMs - 1;
  const due = texts(
    redis.call('ZRANGEBYSCORE', hidden, '-inf', dueUntil, 'WITHSCORES', 'LIMIT', 0, moveMax),
  );
  for (let i = 0; i < due.length; i += 2) {
    const member = due[i] as string;
    redis.call('ZREM', hidden, member);
    redis.call('ZADD', ready, readyScore(state, Number(due[i + 1]) % perMs), member);
  }

  const endAt = now + Number(leaseMs);
  const taken: (string | number)[] = [];
  const take = (member: string, score: number, limits: string | false): void => {
    state.lease += 1;
    taken.push(member, state.lease);
    const lease = [1, state.lease, 0, limits, false, 0, 0, endAt, score];
    redis.call('HSET', leases, member, pack(lease));
    redis.call('ZADD', leaseEnds, endAt, member);
  };

  let blockedBy = '';
  let opensAt = 0;
  const unknown: string[] = [];
  if (redis.call('EXISTS', limitsKey) === 0) {
    const popped = texts(redis.call('ZPOPMIN', ready, count));
    for (let i = 0; i < popped.length; i += 2) {
      take(popped[i] as string, Number(popped[i + 1]), false);
    }
  } else {
    const definitions = definitionKeys(packedNames, keys, 6);
    const rooms = new Map<string, Room>();
    const takeLimited = (member: string, score: number, packed: string): void => {
      const limits = limitsOf(packed);
      const definition = definitions.get(limits[0]);
      if (definition === undefined) {
        unknown.push(limits[0]);
        return;
      }
      const room = rooms.get(limits[0]) ?? roomOf(redis, limits, definition, now);
      rooms.set(limits[0], room);
      if (room.left <= 0) {
        if (blockedBy !== 'concurrency') blockedBy = room.reason;
        if (room.opensAt === 0) {
          room.opensAt = opensOf(redis, room, limits);
          const isFirst = opensAt === 0 || room.opensAt < opensAt;
          if (room.opensAt < endless && isFirst) ({ opensAt } = room);
        }
        return;
      }
      room.left -= 1;
      redis.call('ZREM', ready, member);
      redis.call('HDEL', limitsKey, member);
      take(member, score, packed);
      redis.call('ZADD', room.slots, endAt, member);
      if (!room.counted) return;
      redis.call('ZADD', room.rate, now, rateMember(member, state.lease));
      redis.call('PEXPIRE', room.rate, limits[3] * 1000 + 1000);
    };
    const range = redis.call('ZRANGE', ready, 0, count + lookAhead - 1, 'WITHSCORES');
    const candidates = texts(range);
    const members = candidates.filter((_, i) => i % 2 === 0);
    const limits = members.length === 0 ? [] : redis.call('HMGET', limitsKey, ...members);
    for (const [i, packed] of optionalTexts(limits).entries()) {
      if (taken.length >= 2 * count) break;
      const member = members[i] as string;
      const score = Number(candidates[2 * i + 1]);
      if (packed !== null) takeLimited(member, score, packed);
      else {
        redis.call('ZREM', ready, member);
        take(member, score, false);
      }
    }
  }
  if (taken.length > 0 || due.length > 0) saveState(redis, state);
  const [, firstHidden] = texts(redis.call('ZRANGE', hidden, 0, 0, 'WITHSCORES'));
  let nextAt = opensAt;
  if (firstHidden !== undefined) {
    const visibleAt = Math.floor(Number(firstHidden) / perMs);
    if (nextAt === 0 || visibleAt < nextAt) nextAt = visibleAt;
  }
  return [taken, redis.call('EXISTS', ready), nextAt, blockedBy, unknown];
};

function roomOf(
  redis: RedisCalls,
  [, concurrent, perWindow, windowSeconds]: Limits,
  { slots, rate }: { slots: string; rate: string },
  now: number,
): Room {
  const room: Room = { slots, rate, left: endless, reason: '', counted: false, opensAt: 0 };
  if (concurrent > 0) {
    redis.call('ZREMRANGEBYSCORE', slots, '-inf', now);
    room.left = concurrent - (redis.call('ZCARD', slots) as number);
    room.reason = 'concurrency';
  }
  if (perWindow > 0 && windowSeconds > 0) {
    redis.call('ZREMRANGEBYSCORE', rate, '-inf', now - windowSeconds * 1000);
    const left = perWindow - (redis.call('ZCARD', rate) as number);
    room.counted = true;
    if (left < room.left) {
      room.left = left;
      room.reason = 'rate';
    }
  }
  return room;
}

/** A slot opens by itself when its lease ends. */
function opensOf(redis: RedisCalls, { rate, slots, reason }: Room, limits: Limits): number {
  if (reason !== 'rate') {
    const [, firstEnd] = texts(redis.call('ZRANGE', slots, 0, 0, 'WITHSCORES'));
    return Number(firstEnd ?? endless);
  }
  const [, , perWindow, windowSeconds] = limits;
  const [, oldest] = texts(redis.call('ZRANGE', rate, -perWindow, -perWindow, 'WITHSCORES'));
  return Number(oldest) + windowSeconds * 1000 + 1;
}
