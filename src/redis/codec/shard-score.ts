// Scores of the sorted sets that order a partition's executions by shard and then by a moment, so
// that those of one shard are read at their own cost: the shard's place in its partition in the
// upper 12 of 53 bits, ms since 2020 in the lower 41 (to 2089).

const momentBits = 2 ** 41;
const timeBase = Date.UTC(2020, 0, 1);
/** Shards of one partition that scores can tell apart. */
export const shardsPerPartitionMax = 2 ** 12;

/** Later moments than the last one are stored as that. */
export function shardScore(shard: number, partitions: number, at: number): number {
  const moment = Math.min(Math.max(0, at - timeBase), momentBits - 1);
  return Math.floor(shard / partitions) * momentBits + moment;
}

/** Epoch ms of a score; the first and the last moment stand for everything before and after. */
export function momentOf(score: number): number {
  return (score % momentBits) + timeBase;
}
