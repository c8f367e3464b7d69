// How many bytes executions take in Redis: MEMORY USAGE of their records, a few hundred bytes more
// each for their places in the indexes.
import { shardOf, type ExecutionId } from '../../std/ids.js';
import type { RedisClient } from '../../redis/client.js';

export class RedisExecutionBytes {
  constructor(
    private readonly redis: RedisClient,
    private readonly shards: number,
  ) {}

  /** Bytes of each; 0 for one that is gone. */
  async of(ids: readonly ExecutionId[]): Promise<number[]> {
    const { keys, reads } = this.redis;
    const calls = ids.map((id) => {
      const key = keys.execution(shardOf(id, this.shards), id);
      return ['MEMORY', 'USAGE', key] as const;
    });
    const found = (await reads.callAll(calls)) as (number | null)[];
    return found.map((bytes) => bytes ?? 0);
  }
}
