// A Redis in memory for the simulation: the commands that the product sends and its scripts call,
// on a clock of the simulation. Keys and values are strings of one character per byte; `null`
// stands for nil. A script is carried out by its twin (twins/list.ts). Nothing here is random or
// takes time, so a log of what was written gives the same keyspace again.
import { SortedSet } from './sorted-set.js';

export type RedisReply = string | number | null | RedisReply[];
type Hash = Map<string, string>;
type Value = string | Hash | SortedSet | Set<string> | string[];

interface Entry {
  value: Value;
  /** Epoch ms; undefined: it stays. */
  endAt: number | undefined;
}

export class RedisError extends Error {}

/** What a twin may do: what `redis.call` does in its script. */
export interface RedisCalls {
  call(name: string, ...args: (string | number)[]): RedisReply;
}

type Carry = (redis: MemoryRedis, args: string[]) => RedisReply;

export class MemoryRedis implements RedisCalls {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly clock: { now: () => number }) {}

  call(name: string, ...args: (string | number)[]): RedisReply {
    const carry = commands.get(name);
    if (carry === undefined) throw new RedisError(`ERR unknown command '${name}'`);
    return carry(this, args.map(String));
  }

  get now(): number {
    return this.clock.now();
  }

  entry(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.endAt === undefined || entry.endAt > this.now) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  put(key: string, value: Value, endAt?: number): void {
    this.#entries.set(key, { value, endAt });
  }

  delete(key: string): boolean {
    const wasThere = this.entry(key) !== undefined;
    this.#entries.delete(key);
    return wasThere;
  }

  get keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.entry(key) !== undefined).sort();
  }
}

const wrongType = 'WRONGTYPE Operation against a key holding the wrong kind of value';

function textAt(redis: MemoryRedis, key: string): string | undefined {
  const value = redis.entry(key)?.value;
  if (value !== undefined && typeof value !== 'string') throw new RedisError(wrongType);
  return value;
}

function hashAt(redis: MemoryRedis, key: string): Hash | undefined {
  const value = redis.entry(key)?.value;
  if (value !== undefined && !(value instanceof Map)) throw new RedisError(wrongType);
  return value;
}

function zsetAt(redis: MemoryRedis, key: string): SortedSet | undefined {
  const value = redis.entry(key)?.value;
  if (value !== undefined && !(value instanceof SortedSet)) throw new RedisError(wrongType);
  return value;
}

function setAt(redis: MemoryRedis, key: string): Set<string> | undefined {
  const value = redis.entry(key)?.value;
  if (value !== undefined && !(value instanceof Set)) throw new RedisError(wrongType);
  return value;
}

function listAt(redis: MemoryRedis, key: string): string[] | undefined {
  const value = redis.entry(key)?.value;
  if (value !== undefined && !Array.isArray(value)) throw new RedisError(wrongType);
  return value;
}

/** The value, created if it is absent. */
function made<T extends Value>(redis: MemoryRedis, key: string, found: T | undefined, fresh: T): T {
  if (found !== undefined) return found;
  redis.put(key, fresh);
  return fresh;
}

/** A collection without members does not exist. */
function dropEmpty(redis: MemoryRedis, key: string, value: { readonly size: number }): void {
  if (value.size === 0) redis.delete(key);
}

function countOf(items: readonly string[], carry: (item: string) => boolean): number {
  return items.filter((item) => carry(item)).length;
}

function setField(redis: MemoryRedis, [key = '', ...pairs]: string[]): number {
  const hash = made(redis, key, hashAt(redis, key), new Map());
  let added = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    if (!hash.has(pairs[i] as string)) added += 1;
    hash.set(pairs[i] as string, pairs[i + 1] as string);
  }
  return added;
}

function setFieldOnce(redis: MemoryRedis, [key = '', field = '', value = '']: string[]): number {
  return hashAt(redis, key)?.has(field) === true ? 0 : setField(redis, [key, field, value]);
}

function deleteFields(redis: MemoryRedis, [key = '', ...fields]: string[]): number {
  const hash = hashAt(redis, key);
  if (hash === undefined) return 0;
  const removed = countOf(fields, (field) => hash.delete(field));
  dropEmpty(redis, key, hash);
  return removed;
}

function increment(redis: MemoryRedis, [key = '', field = '', change = '']: string[]): number {
  const value = Number(hashAt(redis, key)?.get(field) ?? 0) + Number(change);
  setField(redis, [key, field, String(value)]);
  return value;
}

function raise(redis: MemoryRedis, key: string): number {
  const value = Number(textAt(redis, key) ?? 0) + 1;
  redis.put(key, String(value), redis.entry(key)?.endAt);
  return value;
}

function setText(redis: MemoryRedis, [key = '', value = '', ...options]: string[]): RedisReply {
  if (options.includes('NX') && redis.entry(key) !== undefined) return null;
  const place = options.indexOf('PX');
  redis.put(key, value, place < 0 ? undefined : redis.now + Number(options[place + 1]));
  return 'OK';
}

function setTexts(redis: MemoryRedis, texts: string[]): RedisReply {
  for (let i = 0; i < texts.length; i += 2) setText(redis, texts.slice(i, i + 2));
  return 'OK';
}

/** When a member is set that has the score `before`, or none. */
const addRules = new Map<string, (before: number | undefined, score: number) => boolean>([
  ['NX', (before) => before === undefined],
  ['XX', (before) => before !== undefined],
  ['LT', (before, score) => before === undefined || score < before],
]);

function addMembers(redis: MemoryRedis, [key = '', ...rest]: string[]): number {
  const rule = addRules.get(rest[0] ?? '');
  const pairs = rule ? rest.slice(1) : rest;
  const zset = made(redis, key, zsetAt(redis, key), new SortedSet());
  let added = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const member = pairs[i + 1] as string;
    if (rule?.(zset.score(member), Number(pairs[i])) === false) continue;
    if (zset.add(member, Number(pairs[i]))) added += 1;
  }
  dropEmpty(redis, key, zset);
  return added;
}

function removeMembers(redis: MemoryRedis, [key = '', ...members]: string[]): number {
  const zset = zsetAt(redis, key);
  if (zset === undefined) return 0;
  const removed = countOf(members, (member) => zset.remove(member));
  dropEmpty(redis, key, zset);
  return removed;
}

function listed(entries: readonly [string, number][], withScores: boolean): string[] {
  return entries.flatMap(([member, score]) => (withScores ? [member, String(score)] : [member]));
}

function range(redis: MemoryRedis, [key = '', from = '', until = '', scores]: string[]): string[] {
  const entries = zsetAt(redis, key)?.entries() ?? [];
  const place = (text: string): number => {
    const index = Number(text);
    return index < 0 ? entries.length + index : index;
  };
  const some = entries.slice(Math.max(0, place(from)), Math.max(0, place(until) + 1));
  return listed(some, scores === 'WITHSCORES');
}

/** Scores that are asked for with an exclusive bound are whole numbers. */
function bound(text: string, inwards: number): number {
  if (text.startsWith('(')) return Number(text.slice(1)) + inwards;
  return text === '-inf' ? -Infinity : text === '+inf' ? Infinity : Number(text);
}

function rangeByScore(redis: MemoryRedis, args: string[]): string[] {
  const [key = '', from = '', until = '', ...options] = args;
  let entries = zsetAt(redis, key)?.between(bound(from, 0.5), bound(until, -0.5)) ?? [];
  const limit = options.indexOf('LIMIT');
  if (limit >= 0) {
    const offset = Number(options[limit + 1]);
    const count = Number(options[limit + 2]);
    entries = entries.slice(offset, count < 0 ? undefined : offset + count);
  }
  return listed(entries, options.includes('WITHSCORES'));
}

function removeByScore(redis: MemoryRedis, [key = '', from = '', until = '']: string[]): number {
  const zset = zsetAt(redis, key);
  if (zset === undefined) return 0;
  return removeMembers(redis, [
    key,
    ...zset.between(bound(from, 0.5), bound(until, -0.5)).map(([member]) => member),
  ]);
}

function removeByRank(redis: MemoryRedis, [key = '', from = '', until = '']: string[]): number {
  return removeMembers(redis, [key, ...range(redis, [key, from, until])]);
}

function pushFirst(redis: MemoryRedis, [key = '', ...items]: string[]): number {
  return made(redis, key, listAt(redis, key), []).unshift(...items.reverse());
}

/** `until`: above -1 or -1 for all. */
function trim(redis: MemoryRedis, [key = '', from = '', until = '']: string[]): RedisReply {
  const list = listAt(redis, key);
  if (list === undefined) return 'OK';
  const end = Number(until) < 0 ? undefined : Number(until) + 1;
  list.splice(0, list.length, ...list.slice(Number(from), end));
  if (list.length === 0) redis.delete(key);
  return 'OK';
}

function popMin(redis: MemoryRedis, [key = '', count = '1']: string[]): string[] {
  const popped = (zsetAt(redis, key)?.entries() ?? []).slice(0, Number(count));
  removeMembers(redis, [key, ...popped.map(([member]) => member)]);
  return listed(popped, true);
}

function scoreOf(redis: MemoryRedis, key: string, member: string): string | null {
  const score = zsetAt(redis, key)?.score(member);
  return score === undefined ? null : String(score);
}

function expireAt(redis: MemoryRedis, key: string, endAt: number): number {
  const entry = redis.entry(key);
  if (entry === undefined) return 0;
  if (endAt <= redis.now) redis.delete(key);
  else entry.endAt = endAt;
  return 1;
}

function persist(redis: MemoryRedis, key: string): number {
  const entry = redis.entry(key);
  if (entry?.endAt === undefined) return 0;
  entry.endAt = undefined;
  return 1;
}

function lifeOf(redis: MemoryRedis, key: string): number {
  const entry = redis.entry(key);
  if (entry === undefined) return -2;
  return entry.endAt === undefined ? -1 : entry.endAt - redis.now;
}

function addToSet(redis: MemoryRedis, [key = '', ...members]: string[]): number {
  const set = made(redis, key, setAt(redis, key), new Set());
  return countOf(members, (member) => !set.has(member) && set.add(member).has(member));
}

function removeFromSet(redis: MemoryRedis, [key = '', ...members]: string[]): number {
  const set = setAt(redis, key);
  if (set === undefined) return 0;
  const removed = countOf(members, (member) => set.delete(member));
  dropEmpty(redis, key, set);
  return removed;
}

/** The first ones: nothing here is random. */
function someMembers(redis: MemoryRedis, [key = '', count = '1']: string[]): string[] {
  return [...(setAt(redis, key) ?? [])].slice(0, Number(count));
}

function flatHash(redis: MemoryRedis, key: string): string[] {
  return [...(hashAt(redis, key) ?? [])].flat();
}

function time(redis: MemoryRedis): string[] {
  const now = redis.now;
  return [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
}

const remove: Carry = (redis, keys) => countOf(keys, (key) => redis.delete(key));

const commands = new Map<string, Carry>([
  ['TIME', (redis) => time(redis)],
  ['EXISTS', (redis, keys) => countOf(keys, (key) => redis.entry(key) !== undefined)],
  ['DEL', remove],
  ['UNLINK', remove],
  ['PERSIST', (redis, [key = '']) => persist(redis, key)],
  [
    'RPUSH',
    (redis, [key = '', ...items]) => made(redis, key, listAt(redis, key), []).push(...items),
  ],
  ['LPUSH', pushFirst],
  ['LTRIM', trim],
  ['LRANGE', (redis, [key = '']) => [...(listAt(redis, key) ?? [])]],
  ['PEXPIRE', (redis, [key = '', ms]) => expireAt(redis, key, redis.now + Number(ms))],
  ['PEXPIREAT', (redis, [key = '', at]) => expireAt(redis, key, Number(at))],
  ['PTTL', (redis, [key = '']) => lifeOf(redis, key)],
  ['GET', (redis, [key = '']) => textAt(redis, key) ?? null],
  ['SET', setText],
  ['MSET', setTexts],
  [
    'GETRANGE',
    (redis, [key = '', from, until]) =>
      (textAt(redis, key) ?? '').slice(
        Number(from),
        Number(until) < 0 ? undefined : Number(until) + 1,
      ),
  ],
  ['HGET', (redis, [key = '', field = '']) => hashAt(redis, key)?.get(field) ?? null],
  [
    'HMGET',
    (redis, [key = '', ...fields]) => fields.map((field) => hashAt(redis, key)?.get(field) ?? null),
  ],
  ['INCR', (redis, [key = '']) => raise(redis, key)],
  ['HSET', setField],
  ['HSETNX', setFieldOnce],
  ['HDEL', deleteFields],
  ['HINCRBY', increment],
  ['HLEN', (redis, [key = '']) => hashAt(redis, key)?.size ?? 0],
  ['HGETALL', (redis, [key = '']) => flatHash(redis, key)],
  ['HSCAN', (redis, [key = '']) => ['0', flatHash(redis, key)]],
  ['ZADD', addMembers],
  ['ZREM', removeMembers],
  ['ZCARD', (redis, [key = '']) => zsetAt(redis, key)?.size ?? 0],
  ['ZSCORE', (redis, [key = '', member = '']) => scoreOf(redis, key, member)],
  [
    'ZMSCORE',
    (redis, [key = '', ...members]) => members.map((member) => scoreOf(redis, key, member)),
  ],
  ['ZRANGE', range],
  ['ZRANGEBYSCORE', rangeByScore],
  ['ZREMRANGEBYSCORE', removeByScore],
  ['ZREMRANGEBYRANK', removeByRank],
  ['ZPOPMIN', popMin],
  ['SADD', addToSet],
  ['SREM', removeFromSet],
  ['SCARD', (redis, [key = '']) => setAt(redis, key)?.size ?? 0],
  ['SISMEMBER', (redis, [key = '', member = '']) => (setAt(redis, key)?.has(member) ? 1 : 0)],
  ['SRANDMEMBER', someMembers],
  ['SMEMBERS', (redis, [key = '']) => [...(setAt(redis, key) ?? [])]],
  ['SSCAN', (redis, [key = '']) => ['0', [...(setAt(redis, key) ?? [])]]],
]);
