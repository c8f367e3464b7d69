// Connects a node to its store and builds the stores of every noun on that connection.
import type { Settings } from './settings-table.js';
import type { FillRandom } from '../std/seeded-bytes.js';
import type { ExecutionId } from '../std/ids.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { QuarantineStore } from '../store/quarantine-store.js';
import type { QueueStore } from '../store/queue-store.js';
import { RedisDefinitionStore } from '../redis/definition-store.js';
import { RedisExecutionStore } from '../redis/execution-store.js';
import { openObjectStore } from '../object-store/open-object-store.js';
import { RedisHeldStore } from '../redis/held-store.js';
import { RedisPermitStore } from '../redis/permit-store.js';
import { RedisHumanTaskStore } from '../redis/human-task-store.js';
import type { LaunchedStore } from '../redis/launch-store.js';
import { openStore, type OpenStore } from '../redis/open-store.js';
import { RedisPollDataStore } from '../redis/poll-data-store.js';
import { RedisQuarantineStore } from '../redis/quarantine-store.js';
import { RedisQueueStore } from '../redis/queue-store.js';
import { RedisRecordStore } from '../redis/record-store.js';
import { executionFeed, humanTaskFeed } from '../redis/search-feed.js';
import { RedisShardStore } from '../redis/shard-store.js';
import { RedisStatisticsStore } from '../redis/statistics-store.js';
import { RedisTaskLogStore } from '../redis/task-log-store.js';
import { RedisVectorStore } from '../redis/vector-store.js';
import type { StopStack } from './stop-stack.js';
import type { SkippedTime } from './test-time.js';
import type { ObjectStore } from '../store/object-store.js';
import type { RetentionStore } from '../store/retention-store.js';

export interface NodeStores extends OpenStore {
  /** Of the deployment. */
  readonly secret: Buffer;
  /** Identity of the keyspace. */
  readonly storeId: string;
  readonly executions: ExecutionStore & RetentionStore & Pick<RedisExecutionStore, 'search'>;
  readonly held: RedisHeldStore;
  readonly executionFeed: ChangeFeed<ExecutionId>;
  readonly humanTaskFeed: ChangeFeed<string>;
  readonly queues: QueueStore;
  readonly quarantine: QuarantineStore;
  readonly definitions: RedisDefinitionStore;
  readonly pollData: RedisPollDataStore;
  readonly shards: RedisShardStore;
  readonly taskLogs: RedisTaskLogStore;
  readonly records: RedisRecordStore;
  readonly statistics: RedisStatisticsStore;
  /** undefined: there is none. */
  readonly objects: ObjectStore | undefined;
  readonly humanTasks: RedisHumanTaskStore;
  readonly permits: RedisPermitStore;
  readonly vectors: RedisVectorStore;
}

/** Rejects with a sentence when there is no store to be had, or it refuses this node. */
export async function openStores(
  settings: Settings,
  launched: LaunchedStore,
  at: {
    stops: StopStack;
    stopping: AbortSignal;
    answered: (ms: number) => void;
    skipped?: SkippedTime | undefined;
    secretSource?: FillRandom | undefined;
  },
): Promise<NodeStores> {
  const store = await openStore(settings, launched, at);
  const { redis } = store;
  const shards = new RedisShardStore(redis);
  const { secret, storeId } = await shards.openKeyspace(settings.shards, at.secretSource);
  const executions = new RedisExecutionStore(redis, settings.shards);
  return {
    ...store,
    secret,
    storeId,
    shards,
    executions,
    held: new RedisHeldStore(redis, settings.shards, executions),
    executionFeed: executionFeed(redis, settings.shards),
    humanTaskFeed: humanTaskFeed(redis),
    queues: new RedisQueueStore(redis),
    quarantine: new RedisQuarantineStore(redis, settings.shards),
    definitions: new RedisDefinitionStore(redis),
    pollData: new RedisPollDataStore(redis),
    taskLogs: new RedisTaskLogStore(redis, settings.shards, {
      linesMax: settings.logLinesPerTaskMax,
      lifeMs: settings.retentionSeconds * 1000,
    }),
    records: new RedisRecordStore(redis),
    statistics: new RedisStatisticsStore(redis),
    objects: openObjectStore(settings),
    permits: new RedisPermitStore(redis),
    humanTasks: new RedisHumanTaskStore(redis, { lookedAtMax: settings.humanTasksLookedAtMax }),
    vectors: new RedisVectorStore(redis, { vectorsPerIndexMax: settings.vectorsPerIndexMax }),
  };
}
