// Executions in Redis: writes go through `commit-writer.ts`, reads of one execution through
// `execution-loader.ts`; the rest here are the sets around them. See keys.ts for the layout.
import type { ExecutionId } from '../std/ids.js';
import { openStatuses } from '../model/status.js';
import type {
  Commit,
  CommitResult,
  ExecutionStore,
  Fence,
  StoredExecution,
} from '../store/execution-store.js';
import type { RetentionStore } from '../store/retention-store.js';
import type { RedisClient } from './client.js';
import { CommitEncoder, commitLimits } from './commit-encoder.js';
import { CommitWriter, fenceText } from './commit-writer.js';
import { parseExpiryMember } from './codec/expiry-member.js';
import { packEnvelope } from './codec/envelope.js';
import { unpackRecord } from './codec/record.js';
import { ExecutionLoader } from './execution-loader.js';
import { Script } from './script.js';
import { RedisSearchStore } from './search-store.js';
import { SnapshotCache } from './snapshots.js';

const clearDirtyScript = new Script('clear-dirty');
const sweepExpiredScript = new Script('sweep-expired');

const idsPerCallMax = 1000;
const sweepEntriesMax = 200;

export class RedisExecutionStore implements ExecutionStore, RetentionStore {
  readonly snapshots = new SnapshotCache();
  readonly search: RedisSearchStore;
  readonly #writer: CommitWriter;
  readonly #loader: ExecutionLoader;

  /**
   * `shards` is the keyspace's number of shards; searches ask them all. `plantHeadNotChecked` is
   * for the durability tests alone (config, Plant).
   */
  constructor(
    private readonly redis: RedisClient,
    shards: number,
    limits = commitLimits,
    plantHeadNotChecked = false,
  ) {
    const encoder = new CommitEncoder(redis.keys, limits, () => Date.now() + redis.timeOffsetMs);
    this.#writer = new CommitWriter(
      redis.commits,
      redis.keys,
      encoder,
      this.snapshots,
      plantHeadNotChecked,
    );
    this.#loader = new ExecutionLoader(redis.reads, redis.keys, this.snapshots);
    this.search = new RedisSearchStore(redis, shards, this.#loader);
  }

  async commit(batch: readonly Commit[]): Promise<CommitResult[]> {
    if (batch.length === 0) return [];
    return await this.#writer.commit(batch);
  }

  async load(shard: number, id: ExecutionId): Promise<StoredExecution | undefined> {
    return await this.#loader.load(shard, id);
  }

  async clearDirty(fence: Fence, ids: readonly ExecutionId[]): Promise<void> {
    const keys = [this.redis.keys.owner(fence.shard), this.redis.keys.dirty(fence.shard)];
    for (let first = 0; first < ids.length; first += idsPerCallMax) {
      const some = ids.slice(first, first + idsPerCallMax);
      await this.redis.commits.run(clearDirtyScript, keys, [fenceText(fence), packEnvelope(some)]);
    }
  }

  async dueWakeUps(
    shard: number,
    untilAt: number,
    limit: number,
  ): Promise<{ id: ExecutionId; at: number }[]> {
    const key = this.redis.keys.timers(shard);
    const flat = (await this.redis.reads.call(
      'ZRANGEBYSCORE',
      key,
      '-inf',
      untilAt,
      'WITHSCORES',
      'LIMIT',
      0,
      limit,
    )) as string[];
    const due: { id: ExecutionId; at: number }[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      due.push({ id: flat[i] as ExecutionId, at: Number(flat[i + 1]) });
    }
    return due;
  }

  async open(
    shard: number,
    offset: number,
    limit: number,
  ): Promise<{ ids: ExecutionId[]; more: boolean }> {
    const replies = (await this.redis.reads.callAll(
      openStatuses.map((status) => {
        const key = this.redis.keys.inStatus(shard, status);
        return ['ZRANGE', key, offset, offset + limit - 1] as const;
      }),
    )) as Buffer[][];
    return {
      ids: replies.flat().map((id) => id.toString() as ExecutionId),
      more: replies.some((ids) => ids.length === limit),
    };
  }

  async dirty(shard: number): Promise<ExecutionId[]> {
    return (await this.redis.reads.call('SMEMBERS', this.redis.keys.dirty(shard))) as ExecutionId[];
  }

  async idempotency(
    shard: number,
    name: string,
    key: string,
  ): Promise<{ executionId: ExecutionId; counter: number } | undefined> {
    const bytes = (await this.redis.reads.callBuffer(
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

  /**
   * Clears away what expired executions of a shard leave behind (index entries, counts of
   * snapshots); at most 200 per call. Returns how many, so that the caller goes on while there are
   * more.
   */
  async sweepExpired(fence: Fence, untilAt: number): Promise<number> {
    const { keys } = this.redis;
    const { shard } = fence;
    const members = (await this.redis.reads.call(
      'ZRANGEBYSCORE',
      keys.expiry(shard),
      '-inf',
      untilAt,
      'LIMIT',
      0,
      sweepEntriesMax,
    )) as string[];
    if (members.length === 0) return 0;
    const named = [keys.owner(shard), keys.expiry(shard), keys.snapshotReferences(shard)];
    const entries = members.map((member) => {
      const { id, name, status, correlationId, snapshotHash, segments } = parseExpiryMember(member);
      const ofName = keys.named(shard, name, status);
      named.push(
        keys.execution(shard, id),
        ofName,
        keys.inStatus(shard, status),
        keys.snapshot(shard, snapshotHash),
        correlationId === undefined ? ofName : keys.correlated(shard, correlationId),
        ...segments.map((segment) => keys.segment(shard, id, segment)),
      );
      return [member, id, snapshotHash, segments.length];
    });
    const cleared = (await this.redis.commits.run(sweepExpiredScript, named, [
      fenceText(fence),
      untilAt,
      packEnvelope(entries),
    ])) as number;
    return Math.max(0, cleared);
  }
}
