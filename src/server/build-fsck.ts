// Builds the check of a keyspace out of stores of its own: it reads past the memory of a node, as
// somebody who only has the store.
import { Fsck, type FsckOptions } from '../fsck/fsck.js';
import type { RedisClient } from '../redis/client.js';
import { RedisExecutionStore } from '../redis/execution-store.js';
import { RedisHumanTaskStore } from '../redis/human-task-store.js';
import { KeyspaceReader } from '../redis/keyspace-reader.js';
import { RedisQueueStore } from '../redis/queue-store.js';
import { RedisPermitStore } from '../redis/permit-store.js';
import type { Area } from '../areas/area.js';
import { areas } from '../areas/list.js';

/** Between two passes: longer than a provisional lease, and than any step of ordinary work. */
export const fsckSettleMs = 6_000;

/** Findings of the checks of areas, each with the promise that it breaks. */
export const areaFindings: Readonly<Record<string, string>> = Object.assign(
  {},
  ...areas.map(({ findings }) => findings),
);

export interface FsckSettings {
  readonly redis: RedisClient;
  /** Of the keyspace. */
  readonly shards: number;
  readonly retentionSeconds: number;
  /** Store time, epoch ms. */
  readonly now: () => number;
}

export function buildFsck(settings: FsckSettings, options: FsckOptions): Fsck {
  const { redis, shards, retentionSeconds, now } = settings;
  const parts = {
    reader: new KeyspaceReader(redis),
    shards,
    executions: new RedisExecutionStore(redis, shards),
    queues: new RedisQueueStore(redis),
    humanTasks: new RedisHumanTaskStore(redis, { lookedAtMax: 1 }),
    permits: new RedisPermitStore(redis),
    now,
    retentionMs: retentionSeconds * 1000,
  };
  const own = {
    checks: areas.flatMap(({ checks }) => checks?.(parts) ?? []),
    ofExecutions: areas.flatMap(
      ({ executionChecks = [] }: Pick<Area, 'executionChecks'>) => executionChecks,
    ),
    findings: areaFindings,
  };
  return new Fsck(parts, own, options);
}
