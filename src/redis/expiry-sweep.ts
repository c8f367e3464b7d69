// Removes finished executions whose time is over: reads of each what has to be taken back with it
// (index entries, the use of its snapshot, segments), then writes a removal like any other commit.
// So an execution that moves again meanwhile stays: its head is another one by then.
import type { Fence } from '../store/execution-store.js';
import type { BeforeRemoval, Leaver, Swept } from '../store/retention-store.js';
import type { RedisClient } from './client.js';
import type { Command, EncodedCommit, SetChange } from './encoded-commit.js';
import type { CommitWriter } from './commit-writer.js';
import { segmentsIn } from './codec/execution-fields.js';
import { decodeAttributes } from './codec/header-record.js';
import { Packer } from './codec/packer.js';
import { dueScore } from './codec/scores.js';
import { executionIdOfShort } from './codec/short-id.js';
import type { ExecutionLoader } from './execution-loader.js';
import { readHeaders, type StoredHeaders } from './execution-headers.js';
import { firstDue } from './first-due.js';
import { namesOf } from './stored-form.js';

const entriesMax = 200;

export class ExpirySweep {
  constructor(
    private readonly redis: RedisClient,
    private readonly writer: CommitWriter,
    private readonly loader: Pick<ExecutionLoader, 'findSnapshot'>,
  ) {}

  /** At most 200 per call. */
  async sweep(fence: Fence, untilAt: number, before?: BeforeRemoval): Promise<Swept> {
    const { keys } = this.redis;
    const partition = keys.partitionOf(fence.shard);
    const place = keys.placeOf(fence.shard);
    const found = (await this.redis.reads.call(
      'ZRANGEBYSCORE',
      keys.due(partition),
      dueScore(place, true, 0),
      dueScore(place, true, untilAt),
      'LIMIT',
      0,
      entriesMax,
    )) as string[];
    if (found.length === 0) {
      const nextAt = await firstDue(this.redis, fence.shard, true);
      return { removed: 0, nextAt: nextAt ?? Infinity };
    }
    const headers = await readHeaders(
      this.redis,
      found.map((shortId) => ({ partition, key: keys.executionOf(partition, shortId) })),
    );
    const going = before && (await before(leaversOf(found, headers)));
    const removals: EncodedCommit[] = [];
    for (const [i, shortId] of found.entries()) {
      if (headers[i] && going?.has(executionIdOfShort(shortId)) === false) continue;
      removals.push(await this.#removal(fence, shortId, headers[i]));
    }
    const { commits } = await this.writer.write(removals, new Packer(), []);
    return { removed: commits.filter((result) => result === 'committed').length, nextAt: 0 };
  }

  async #removal(
    fence: Fence,
    shortId: string,
    headers: StoredHeaders | undefined,
  ): Promise<EncodedCommit> {
    const { keys } = this.redis;
    const partition = keys.partitionOf(fence.shard);
    const names = namesOf(shortId, partition, keys);
    const { key } = names;
    const commands: Command[] = [];
    const unlink = (of: string): unknown =>
      commands.push({ name: 'UNLINK', key: of, args: undefined });
    const places = [keys.due(partition)];
    let formerSnapshot = '';
    // Of one whose record has gone the entry alone is taken back.
    if (headers) {
      unlink(key);
      unlink(keys.filesOf(key));
      for (const segment of segmentsIn(headers.segments)) {
        unlink(keys.segment(key, segment));
      }
      const decoded = decodeAttributes(headers.attributes);
      const { correlationId } = decoded.attributes;
      formerSnapshot = decoded.snapshotHash;
      const snapshot = await this.loader.findSnapshot(fence.shard, formerSnapshot);
      if (snapshot) places.push(keys.named(partition, snapshot.def.name));
      places.push(keys.all(partition));
      if (correlationId !== undefined) places.push(keys.correlated(partition, correlationId));
    }
    const sets = places.map((place): SetChange => ({
      command: 'ZREM',
      key: place,
      score: 0,
      member: names.bytes,
    }));
    return {
      id: executionIdOfShort(shortId),
      names,
      fence,
      head: headers?.head ?? '',
      nextHead: 'expired',
      removes: false,
      partition,
      key,
      commands,
      sets,
      isNoted: true,
      snapshot: undefined,
      formerSnapshot,
      staged: undefined,
      recordEnd: undefined,
      moves: [],
      bytes: 0,
    };
  }
}

function leaversOf(
  shortIds: readonly string[],
  headers: readonly (StoredHeaders | undefined)[],
): Leaver[] {
  return shortIds.flatMap((shortId, i) => {
    const found = headers[i];
    return found ? { id: executionIdOfShort(shortId), head: found.head } : [];
  });
}
