// Removes finished executions whose time is over: reads of each what has to be taken back with it
// (index entries, the use of its snapshot, segments), then writes a removal like any other commit.
// So an execution that moves again meanwhile stays: its head is another one by then.
import { isTerminalWorkflow } from '../model/status.js';
import type { Fence } from '../store/execution-store.js';
import type { RedisClient } from './client.js';
import type { Command, EncodedCommit, SetChange } from './commit-encoder.js';
import type { CommitWriter } from './commit-writer.js';
import { segmentsIn } from './codec/execution-fields.js';
import { decodeAttributes, decodeProgress } from './codec/header-record.js';
import { shardScore } from './codec/shard-score.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { ExecutionLoader } from './execution-loader.js';
import { readMany } from './read-many.js';

const entriesMax = 200;

export class ExpirySweep {
  constructor(
    private readonly redis: RedisClient,
    private readonly writer: CommitWriter,
    private readonly loader: Pick<ExecutionLoader, 'findSnapshot'>,
  ) {}

  /** At most 200 per call; returns how many went. */
  async sweep(fence: Fence, untilAt: number): Promise<number> {
    const { keys } = this.redis;
    const partition = keys.partitionOf(fence.shard);
    const found = (await this.redis.reads.call(
      'ZRANGEBYSCORE',
      keys.expiry(partition),
      shardScore(fence.shard, keys.partitions, 0),
      shardScore(fence.shard, keys.partitions, untilAt),
      'LIMIT',
      0,
      entriesMax,
    )) as string[];
    if (found.length === 0) return 0;
    const records = await readMany(
      this.redis,
      found.map((shortId) => ({ partition, key: keys.executionOf(partition, shortId) })),
      entriesMax,
      'HMGET',
      ...['h', 'a', 'x', 'g'],
    );
    const removals: EncodedCommit[] = [];
    for (const [i, shortId] of found.entries()) {
      removals.push(await this.#removal(fence, shortId, records[i] as (Buffer | null)[]));
    }
    const { commits } = await this.writer.write(removals, []);
    return commits.filter((result) => result === 'committed').length;
  }

  async #removal(
    fence: Fence,
    shortId: string,
    [head, attributes, state, segments]: (Buffer | null)[],
  ): Promise<EncodedCommit> {
    const { keys } = this.redis;
    const partition = keys.partitionOf(fence.shard);
    const key = keys.executionOf(partition, shortId);
    const commands: Command[] = [];
    const places = [keys.expiry(partition)];
    let formerSnapshot = '';
    // Of one whose record has gone or that runs the entry alone is taken back.
    const status = state ? decodeProgress(state).status : 'RUNNING';
    if (attributes && isTerminalWorkflow(status)) {
      commands.push(['UNLINK', key]);
      for (const segment of segmentsIn(segments ?? undefined)) {
        commands.push(['UNLINK', keys.segment(key, segment)]);
      }
      const decoded = decodeAttributes(attributes);
      const { correlationId } = decoded.attributes;
      formerSnapshot = decoded.snapshotHash;
      const snapshot = await this.loader.findSnapshot(fence.shard, formerSnapshot);
      if (snapshot) places.push(keys.named(partition, snapshot.def.name, status));
      places.push(keys.inStatus(partition, status));
      if (correlationId !== undefined) places.push(keys.correlated(partition, correlationId));
    }
    return {
      id: executionIdOfShort(shortId),
      fence,
      head: head?.toString() ?? '',
      nextHead: 'expired',
      removes: false,
      partition,
      key,
      commands,
      sets: places.map((place): SetChange => ({
        command: 'ZREM',
        key: place,
        score: 0,
        member: shortId,
      })),
      snapshot: undefined,
      formerSnapshot,
      staged: undefined,
      recordEnd: undefined,
      moves: [],
      bytes: 0,
    };
  }
}
