// The twin of scripts/lib/queue.lua.
import type { RedisCalls } from '../memory-redis.js';
import { unpack, type Packed } from '../message-pack.js';
import { optionalTexts, texts } from './twin.js';

const classStep = 2 ** 46;
export const perMs = 128;
const timeBase = 1_735_689_600_000;
export const endless = 2 ** 53 - 1;

export interface QueueState {
  readonly key: string;
  readonly now: number;
  order: number;
  lease: number;
}

/** Epoch ms of the store, moved by `offsetMs`. */
export function clockOf(redis: RedisCalls, offsetMs: number): number {
  const [seconds, micros] = texts(redis.call('TIME'));
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) + offsetMs;
}

export function readState(redis: RedisCalls, key: string, offsetMs: number): QueueState {
  const clock = clockOf(redis, offsetMs);
  const [c, n] = optionalTexts(redis.call('HMGET', key, 'c', 'n'));
  const order = Number(c ?? 0);
  const now = Math.max(clock, Math.floor(order / perMs) + timeBase);
  return {
    key,
    now,
    order: Math.max(order, (now - timeBase) * perMs),
    lease: Math.max(Number(n ?? 0), now * 1000),
  };
}

export function saveState(redis: RedisCalls, { key, order, lease }: QueueState): void {
  redis.call('HSET', key, 'c', order, 'n', lease);
}

export function readyScore(state: QueueState, urgencyClass: number): number {
  state.order += 1;
  return urgencyClass * classStep + state.order;
}

/** Format, number, full, limits, worker, first start, poll count, end, score. */
export type Lease = [number, number, number, string | false, ...Packed[]];

export function leaseOf(packed: string | null): Lease | undefined {
  return packed === null ? undefined : (unpack(packed) as Lease);
}

/** Definition name, concurrent, per window, window in seconds. */
export type Limits = [string, number, number, number];

export function limitsOf(packed: string): Limits {
  return unpack(packed) as Limits;
}

/** Keys of slots and rate by definition name. */
export function definitionKeys(
  packedNames: string,
  keys: readonly string[],
  first: number,
): Map<string, { slots: string; rate: string }> {
  return new Map(
    (unpack(packedNames) as string[]).map((name, index) => [
      name,
      {
        slots: keys[first + 2 * index] as string,
        rate: keys[first + 2 * index + 1] as string,
      },
    ]),
  );
}

/** The rate window's name of a hand-out; Lua writes a number with 14 digits. */
export function rateMember(member: string, leaseNumber: number): string {
  const [digits = '', exponent] = leaseNumber.toPrecision(14).split('e');
  const text = exponent === undefined ? digits : `${digits.replace(/\.?0+$/, '')}e${exponent}`;
  return `${member}#${text}`;
}
