// Task logs in Redis: a list per task in the slot of its execution's shard, bounded, expiring with
// retention.
import { parseTaskId, shardOf, type TaskId } from '../std/ids.js';
import type { TaskLogEntry, TaskLogStore } from '../store/task-log-store.js';
import type { RedisClient } from './client.js';
import { packRecord, unpackRecord } from './codec/record.js';

export interface TaskLogLimits {
  /** Newest lines kept per task. */
  readonly linesMax: number;
  /** How long after the last line a log is kept, ms. */
  readonly lifeMs: number;
}

export class RedisTaskLogStore implements TaskLogStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly shards: number,
    private readonly limits: TaskLogLimits,
  ) {}

  async append(taskId: TaskId, entries: readonly TaskLogEntry[]): Promise<void> {
    const key = this.#key(taskId);
    if (key === undefined || entries.length === 0) return;
    const newest = entries.slice(-this.limits.linesMax);
    await this.redis.confirmedReads.callAll([
      ['RPUSH', key, ...newest.map((entry) => packRecord([1, entry.log, entry.createdTime]))],
      ['LTRIM', key, -this.limits.linesMax, -1],
      ['PEXPIRE', key, this.limits.lifeMs],
    ]);
  }

  async list(taskId: TaskId): Promise<TaskLogEntry[]> {
    const key = this.#key(taskId);
    if (key === undefined) return [];
    const lines = (await this.redis.reads.callBuffer('LRANGE', key, 0, -1)) as Buffer[];
    return lines.map((bytes) => {
      const [, log, createdTime] = unpackRecord('task log line', bytes, 1);
      return { log: log as string, taskId, createdTime: createdTime as number };
    });
  }

  /** undefined for ids that are not ours; such a task has no log. */
  #key(taskId: TaskId): string | undefined {
    const parsed = parseTaskId(taskId);
    if (parsed === undefined) return undefined;
    const { executionId, taskNumber } = parsed;
    return this.redis.keys.taskLog(shardOf(executionId, this.shards), executionId, taskNumber);
  }
}
