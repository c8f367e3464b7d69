// Twins of the scripts of task queues, but pop.
import { pack, unpack } from '../message-pack.js';
import {
  definitionKeys,
  endless,
  leaseOf,
  limitsOf,
  perMs,
  rateMember,
  readState,
  readyScore,
  saveState,
  type Lease,
} from './queue-part.js';
import { optionalTexts, texts, type Twin } from './twin.js';

/** Member, number, end; to confirm: worker, first start, poll count. */
type WantedLease = [string, number, number, string | false | undefined, number, number];
type PushEntry = [string, number, number, string | false, number];

export const push: Twin = (redis, keys, [offset, packedPushes = '', packedNames = '']) => {
  const [stateKey = '', ready = '', hidden = '', leases = '', leaseEnds = '', limitsKey = ''] =
    keys;
  const state = readState(redis, stateKey, Number(offset));
  const definitions = definitionKeys(packedNames, keys, 6);
  const unknown: string[] = [];

  const isFree = (member: string, givenBackAtPoll: number): boolean => {
    const lease = leaseOf(redis.call('HGET', leases, member) as string | null);
    if (lease === undefined) return true;
    if (givenBackAtPoll === 0 || (lease[6] as number) > givenBackAtPoll) return false;
    if (lease[3] !== false) {
      const [name] = limitsOf(lease[3]);
      const definition = definitions.get(name);
      if (definition === undefined) {
        unknown.push(name);
        return false;
      }
      redis.call('ZREM', definition.slots, member);
    }
    redis.call('HDEL', leases, member);
    redis.call('ZREM', leaseEnds, member);
    return true;
  };

  let ordered = false;
  for (const entry of unpack(packedPushes) as PushEntry[]) {
    const [member, urgencyClass, visibleAt, limits, givenBackAtPoll] = entry;
    if (!isFree(member, givenBackAtPoll) || redis.call('ZSCORE', ready, member) !== null) continue;
    if (visibleAt > state.now) {
      redis.call('ZADD', hidden, visibleAt * perMs + urgencyClass, member);
    } else {
      redis.call('ZREM', hidden, member);
      redis.call('ZADD', ready, readyScore(state, urgencyClass), member);
      ordered = true;
    }
    if (limits !== false) redis.call('HSET', limitsKey, member, limits);
  }
  if (ordered) saveState(redis, state);
  return unknown;
};

export const confirm: Twin = (redis, keys, [, packedLeases = '', packedNames = '']) => {
  const [leases = '', leaseEnds = ''] = keys;
  const definitions = definitionKeys(packedNames, keys, 2);
  const unknown: string[] = [];
  const set = (unpack(packedLeases) as unknown as WantedLease[]).map((wanted) => {
    const [member, number, endAt, worker, startAt, pollCount] = wanted;
    const lease = leaseOf(redis.call('HGET', leases, member) as string | null);
    if (lease === undefined || (number !== 0 && lease[1] !== number)) return 0;
    const name = lease[3] === false ? undefined : limitsOf(lease[3])[0];
    const definition = name === undefined ? undefined : definitions.get(name);
    if (name !== undefined && definition === undefined) {
      unknown.push(name);
      return 0;
    }
    lease[2] = 1;
    lease[7] = endAt;
    if (worker !== undefined) lease.splice(4, 3, worker, startAt, pollCount);
    redis.call('HSET', leases, member, pack(lease));
    if (endAt === 0) redis.call('ZREM', leaseEnds, member);
    else redis.call('ZADD', leaseEnds, endAt, member);
    if (definition) redis.call('ZADD', definition.slots, endAt === 0 ? endless : endAt, member);
    return 1;
  });
  return [set, unknown];
};

export const finish: Twin = (redis, keys, [packedMembers = '', packedNames = '']) => {
  const [ready = '', hidden = '', leases = '', leaseEnds = '', limitsKey = ''] = keys;
  const definitions = definitionKeys(packedNames, keys, 5);
  const members = unpack(packedMembers) as string[];
  const slots: [string, string][] = [];
  const unknown: string[] = [];
  const found = optionalTexts(redis.call('HMGET', leases, ...members));
  for (const [i, packed] of found.entries()) {
    const limits = leaseOf(packed)?.[3] ?? false;
    if (limits === false) continue;
    const [name] = limitsOf(limits);
    const definition = definitions.get(name);
    if (definition === undefined) unknown.push(name);
    else slots.push([definition.slots, members[i] as string]);
  }
  if (unknown.length > 0) return unknown;
  for (const [key, member] of slots) redis.call('ZREM', key, member);
  redis.call('ZREM', ready, ...members);
  redis.call('ZREM', hidden, ...members);
  redis.call('HDEL', leases, ...members);
  redis.call('ZREM', leaseEnds, ...members);
  redis.call('HDEL', limitsKey, ...members);
  return unknown;
};

export const giveBack: Twin = (redis, keys, args) => {
  const [stateKey = '', ready = '', leases = '', leaseEnds = '', limitsKey = ''] = keys;
  const [offset, packedFailed = '', endedMax, packedNames = '', againMs] = args;
  const { now } = readState(redis, stateKey, Number(offset));
  const definitions = definitionKeys(packedNames, keys, 5);
  const unknown: string[] = [];

  const putBack = (member: string, lease: Lease): void => {
    const limits = lease[3];
    if (limits !== false) {
      const [name] = limitsOf(limits);
      const definition = definitions.get(name);
      if (definition === undefined) {
        unknown.push(name);
        return;
      }
      redis.call('ZREM', definition.slots, member);
      redis.call('ZREM', definition.rate, rateMember(member, lease[1]));
      redis.call('HSET', limitsKey, member, limits);
    }
    redis.call('HDEL', leases, member);
    redis.call('ZREM', leaseEnds, member);
    redis.call('ZADD', ready, lease[8] as number, member);
  };

  const leaseAt = (member: string): Lease | undefined =>
    leaseOf(redis.call('HGET', leases, member) as string | null);
  for (const [member, number] of unpack(packedFailed) as [string, number][]) {
    const lease = leaseAt(member);
    if (lease?.[1] === number) putBack(member, lease);
  }
  const ended: string[] = [];
  const due = redis.call('ZRANGEBYSCORE', leaseEnds, '-inf', now, 'LIMIT', 0, Number(endedMax));
  for (const member of texts(due)) {
    const lease = leaseAt(member);
    if (lease === undefined) redis.call('ZREM', leaseEnds, member);
    else if (lease[2] === 0) putBack(member, lease);
    else {
      ended.push(member);
      redis.call('ZADD', leaseEnds, now + Number(againMs), member);
    }
  }
  const [, nextEnd] = texts(redis.call('ZRANGE', leaseEnds, 0, 0, 'WITHSCORES'));
  return [ended, Number(nextEnd ?? 0), unknown];
};
