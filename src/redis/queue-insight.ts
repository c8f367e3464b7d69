// Reads of the queues: for people who ask why a task is not handed out, and for the rolling check
// of leases. Nothing is changed; the answers may be a moment old.
import type { QueueName } from '../engine/decision.js';
import type { Attempt, AttemptLimits, LimitUse } from '../store/queue-store.js';
import type { RedisClient } from './client.js';
import {
  lastClass,
  leaseWorker,
  memberOf,
  parseMember,
  parseReadyScore,
  scorePerUrgency,
} from './codec/queue-record.js';

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

/**
 * QueueStore.oldestReady. Members of one class stand by age, so the first one of each class is
 * read: in one write for all queues when no execution has a priority, one more for each class
 * besides.
 */
export async function readOldestReady(
  redis: RedisClient,
  queues: readonly QueueName[],
): Promise<(number | undefined)[]> {
  const oldest = queues.map((): number | undefined => undefined);
  let left = queues.map((queue, index) => ({ queue, index, from: 0 }));
  while (left.length > 0) {
    const firsts = (await redis.reads.callAll(
      left.map(
        ({ queue, from }) =>
          [
            ...['ZRANGEBYSCORE', redis.keys.ready(queue), from, '+inf'],
            ...['WITHSCORES', 'LIMIT', 0, 1],
          ] as const,
      ),
    )) as unknown[][];
    left = left.flatMap(({ queue, index }, position) => {
      const score = firsts[position]?.[1];
      if (score === undefined) return [];
      const { since, class: found } = parseReadyScore(Number(score));
      oldest[index] = Math.min(oldest[index] ?? since, since);
      return found < lastClass ? [{ queue, index, from: (found + 1) * scorePerUrgency }] : [];
    });
  }
  return oldest;
}

/** QueueStore.sizes. */
export async function readSizes(
  { keys, reads }: RedisClient,
  queues: readonly QueueName[],
): Promise<{ waiting: number; leased: number }[]> {
  const replies = (await reads.callAll(
    queues.flatMap((queue) => [
      ['ZCARD', keys.ready(queue)] as const,
      ['ZCARD', keys.hidden(queue)] as const,
      ['HLEN', keys.leases(queue)] as const,
    ]),
  )) as number[];
  return queues.map((_, index) => ({
    waiting: (replies[3 * index] as number) + (replies[3 * index + 1] as number),
    leased: replies[3 * index + 2] as number,
  }));
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

/** QueueStore.heldByWorker. */
export async function readHeldByWorker(
  redis: RedisClient,
  queues: readonly QueueName[],
): Promise<Map<string, number>[]> {
  if (queues.length === 0) return [];
  const replies = (await redis.reads.callAll(
    queues.map((queue) => ['HVALS', redis.keys.leases(queue)] as const),
  )) as Buffer[][];
  return replies.map((leases) => {
    const held = new Map<string, number>();
    for (const lease of leases) {
      const worker = leaseWorker(lease) ?? '';
      held.set(worker, (held.get(worker) ?? 0) + 1);
    }
    return held;
  });
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
