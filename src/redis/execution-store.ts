// Executions in Redis: writes go through `commit-writer.ts`, reads of one execution through
// `execution-loader.ts`; the rest here are the sets around them. See keys.ts for the layout.
import type { ExecutionId } from '../std/ids.js';
import type { DefinitionSnapshot } from '../model/execution.js';
import { openStatuses } from '../model/status.js';
import type {
  BatchResult,
  Commit,
  ExecutionStore,
  Fence,
  LeaseGrant,
  StoredExecution,
} from '../store/execution-store.js';
import type { BeforeRemoval, RetentionStore, Swept } from '../store/retention-store.js';
import type { RedisClient } from './client.js';
import { CommitEncoder, commitLimits } from './commit-encoder.js';
import { fenceText } from './commit-call.js';
import { firstDue } from './first-due.js';
import { CommitWriter } from './commit-writer.js';
import { packEnvelope } from './codec/envelope.js';
import { unpackRecord } from './codec/record.js';
import { dueScore, momentOf, noWakeUp } from './codec/scores.js';
import { executionIdOfShort, shortIdOf } from './codec/short-id.js';
import { ExecutionLoader } from './execution-loader.js';
import { ExpirySweep } from './expiry-sweep.js';
import { Script } from './script.js';
import { RedisSearchStore } from './search-store.js';
import { SnapshotCache } from './snapshots.js';
import { partsOf } from '../std/parts.js';

const clearDirtyScript = Script.named('clear-dirty');

const idsPerCallMax = 1000;

export class RedisExecutionStore implements ExecutionStore, RetentionStore {
  readonly snapshots = new SnapshotCache();
  readonly search: RedisSearchStore;
  readonly #writer: CommitWriter;
  readonly #loader: ExecutionLoader;
  readonly #expiry: ExpirySweep;

  /** `shards` is the keyspace's number of shards. */
  constructor(
    private readonly redis: RedisClient,
    shards: number,
    limits = commitLimits,
  ) {
    const encoder = new CommitEncoder(redis.keys, limits, () => redis.estimatedNow);
    this.#writer = new CommitWriter(redis, encoder, this.snapshots);
    this.#loader = new ExecutionLoader(redis.confirmedReads, redis.keys, this.snapshots);
    this.#expiry = new ExpirySweep(redis, this.#writer, this.#loader);
    this.search = new RedisSearchStore(redis, shards, this.#loader);
  }

  get movesRideWithCommits(): boolean {
    return !this.redis.isCluster;
  }

  laneOf(shard: number): number {
    const { keys, isCluster } = this.redis;
    return isCluster ? keys.partitionOf(shard) : 0;
  }

  get noticesFailovers(): boolean {
    return !this.redis.isCluster;
  }

  async commit(batch: readonly Commit[], grants: readonly LeaseGrant[] = []): Promise<BatchResult> {
    const moves = grants.length > 0 || batch.some((commit) => commit.moves.length > 0);
    if (moves && !this.movesRideWithCommits) {
      throw new Error('On a cluster an execution and its queue share no slot');
    }
    return await this.#writer.commit(batch, grants);
  }

  async load(shard: number, id: ExecutionId): Promise<StoredExecution | undefined> {
    return await this.#loader.load(shard, id);
  }

  /** The definition snapshot that executions of a partition name; undefined when it is missing. */
  async snapshotOf(partition: number, hash: string): Promise<DefinitionSnapshot | undefined> {
    return await this.#loader.findSnapshotIn(partition, hash);
  }

  async clearDirty(fence: Fence, ids: readonly ExecutionId[]): Promise<void> {
    const { keys } = this.redis;
    const partition = keys.partitionOf(fence.shard);
    for (const some of partsOf(ids, idsPerCallMax)) {
      // A commit that is sent next may set the mark again.
      await this.redis.commits.runInOrder(
        clearDirtyScript,
        [keys.partitionState(partition), keys.dirty(partition)],
        [fence.shard, fenceText(fence), packEnvelope(some.map(shortIdOf))],
      );
    }
  }

  async firstOpenAt(shard: number): Promise<number | undefined> {
    const at = await firstDue(this.redis, shard, false);
    return at === noWakeUp ? Infinity : at;
  }

  async dueWakeUps(
    shard: number,
    untilAt: number,
    limit: number,
  ): Promise<{ id: ExecutionId; at: number }[]> {
    const { keys } = this.redis;
    const place = keys.placeOf(shard);
    const flat = (await this.redis.reads.call(
      'ZRANGEBYSCORE',
      keys.due(keys.partitionOf(shard)),
      dueScore(place, false, 0),
      dueScore(place, false, Math.min(untilAt, noWakeUp - 1)),
      'WITHSCORES',
      'LIMIT',
      0,
      limit,
    )) as string[];
    const due: { id: ExecutionId; at: number }[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      const id = executionIdOfShort(flat[i] as string);
      due.push({ id, at: momentOf(Number(flat[i + 1])) });
    }
    return due;
  }

  async open(
    shard: number,
    offset: number,
    limit: number,
  ): Promise<{ ids: ExecutionId[]; more: boolean }> {
    const { keys } = this.redis;
    const place = keys.placeOf(shard);
    const found = (await this.redis.reads.call(
      'ZRANGEBYSCORE',
      keys.due(keys.partitionOf(shard)),
      dueScore(place, false, 0),
      dueScore(place, false, noWakeUp),
      'LIMIT',
      offset,
      limit,
    )) as string[];
    return { ids: found.map(executionIdOfShort), more: found.length === limit };
  }

  async dirty(shard: number): Promise<ExecutionId[]> {
    const { keys } = this.redis;
    const key = keys.dirty(keys.partitionOf(shard));
    const found = (await this.redis.reads.call('ZRANGEBYSCORE', key, shard, shard)) as string[];
    return found.map(executionIdOfShort);
  }

  async idempotency(
    shard: number,
    name: string,
    key: string,
  ): Promise<{ executionId: ExecutionId; counter: number } | undefined> {
    const bytes = (await this.redis.confirmedReads.callBuffer(
      'GET',
      this.redis.keys.idempotency(shard, name, key),
    )) as Buffer | null;
    if (!bytes) return undefined;
    const fields = unpackRecord('idempotency record', bytes, 1);
    return { executionId: fields[1] as ExecutionId, counter: fields[2] as number };
  }

  async running(name: string): Promise<ExecutionId[]> {
    const found = await this.search.list({
      names: [name],
      statuses: openStatuses,
      fromAt: undefined,
      untilAt: undefined,
    });
    return found.map(({ id }) => id);
  }

  async correlated(name: string, correlationId: string): Promise<ExecutionId[]> {
    const found = await this.search.correlated(correlationId);
    const headers = await this.search.headers(found.map(({ id }) => id));
    return headers.flatMap((header) => (header?.snapshot.def.name === name ? header.id : []));
  }

  async startedBetween(name: string, fromAt: number, untilAt: number): Promise<ExecutionId[]> {
    const found = await this.search.list({ names: [name], statuses: undefined, fromAt, untilAt });
    return found.map(({ id }) => id);
  }

  async sweepExpired(fence: Fence, untilAt: number, before?: BeforeRemoval): Promise<Swept> {
    return await this.#expiry.sweep(fence, untilAt, before);
  }
}
