// The first moment that the due set has for a shard: of its open executions the next wake-up, of
// its finished ones the next expiry.
import type { RedisClient } from './client.js';
import { dueScore, momentOf, noWakeUp } from './codec/scores.js';

/** Epoch ms, or `noWakeUp`; undefined when the shard has no such execution. */
export async function firstDue(
  { keys, reads }: RedisClient,
  shard: number,
  isFinished: boolean,
): Promise<number | undefined> {
  const place = keys.placeOf(shard);
  const [, score] = (await reads.call(
    'ZRANGEBYSCORE',
    keys.due(keys.partitionOf(shard)),
    dueScore(place, isFinished, 0),
    dueScore(place, isFinished, noWakeUp),
    'WITHSCORES',
    'LIMIT',
    0,
    1,
  )) as string[];
  return score === undefined ? undefined : momentOf(Number(score));
}
