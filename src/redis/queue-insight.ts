// Reads of the queues: for people who ask why a task is not handed out, and for the rolling check
// of leases. Nothing is changed; the answers may be a moment old.
import type { QueueName } from '../engine/decision.js';
import type { Attempt, AttemptLimits, LimitUse } from '../store/queue-store.js';
import type { RedisClient } from './client.js';
import { memberOf, parseMember } from './codec/queue-record.js';

/** Rank of each attempt among the ready ones. */
export async function readAhead(
  redis: RedisClient,
  queue: QueueName,
  attempts: readonly Attempt[],
): Promise<(number | undefined)[]> {
  if (attempts.length === 0) return [];
  const ready = redis.keys.ready(queue);
  const ranks = (await redis.reads.callAll(
    attempts.map((attempt) => ['ZRANK', ready, memberOf(attempt)] as const),
  )) as (number | null)[];
  return ranks.map((rank) => rank ?? undefined);
}

/** The window is counted as `pop` does: the hand-outs that still lie in it, oldest first. */
export async function readLimitUse(
  redis: RedisClient,
  queue: QueueName,
  limits: AttemptLimits,
  { now, holdersMax }: { now: number; holdersMax: number },
): Promise<LimitUse> {
  const slots = redis.keys.slots(queue.taskType, limits.defName);
  const rate = redis.keys.rate(queue.taskType, limits.defName);
  const windowMs = limits.rateLimitFrequencyInSeconds * 1000;
  const perWindow = limits.rateLimitPerFrequency;
  const [used, holders, handedOut, oldest] = (await redis.reads.callAll([
    ['ZCOUNT', slots, `(${now}`, '+inf'],
    ['ZRANGEBYSCORE', slots, `(${now}`, '+inf', 'LIMIT', 0, holdersMax],
    ['ZCOUNT', rate, `(${now - windowMs}`, '+inf'],
    ['ZRANGE', rate, -perWindow, -perWindow, 'WITHSCORES'],
  ])) as [number, string[], number, string[]];
  const isFull = perWindow > 0 && windowMs > 0 && handedOut >= perWindow;
  return {
    slotsUsed: used,
    holders: holders.map((member) => parseMember(String(member)).taskId),
    opensAt: isFull ? Number(oldest[1]) + windowMs + 1 : 0,
  };
}

/** A page of the leased attempts: QueueStore.leasedPage. */
export async function readLeasedPage(
  redis: RedisClient,
  queue: QueueName,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<{ attempts: Attempt[]; next: string }> {
  const reply = await redis.reads.callBuffer(
    'HSCAN',
    redis.keys.leases(queue),
    cursor,
    'COUNT',
    limit,
  );
  const [next, flat] = reply as [Buffer, Buffer[]];
  const members = flat.filter((_, index) => index % 2 === 0);
  return { attempts: members.map((member) => parseMember(String(member))), next: String(next) };
}
