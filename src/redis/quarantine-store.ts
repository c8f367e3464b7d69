// Marks of executions that are loaded with care: a hash per partition, on the connection that
// executions are read on, so that a mark is there before what is read behind it arrives.
import { shardOf, type ExecutionId } from '../std/ids.js';
import type { LoadMark, QuarantineStore } from '../store/quarantine-store.js';
import type { RedisClient } from './client.js';
import { executionIdOfShort, shortIdOf } from './codec/short-id.js';
import { groupBy } from '../std/group-by.js';

export class RedisQuarantineStore implements QuarantineStore {
  /** `shards` is the keyspace's number of shards. */
  constructor(
    private readonly redis: RedisClient,
    private readonly shards: number,
  ) {}

  async marks(shards: readonly number[]): Promise<LoadMark[]> {
    const { keys, confirmedReads } = this.redis;
    const partitions = new Set(shards.map((shard) => keys.partitionOf(shard)));
    const replies = await confirmedReads.callAll(
      [...partitions].map((partition) => ['HGETALL', keys.loads(partition)] as const),
    );
    const wanted = new Set(shards);
    return replies
      .flatMap((reply) => marksOf(reply as Buffer[]))
      .filter(({ id }) => wanted.has(shardOf(id, this.shards)));
  }

  async find(id: ExecutionId): Promise<LoadMark | undefined> {
    const { reads } = this.redis;
    const text = await reads.call('HGET', this.#keyOf(id), shortIdOf(id));
    return text === null ? undefined : toMark(id, String(text));
  }

  async set(marks: readonly LoadMark[]): Promise<void> {
    await this.redis.confirmedReads.callAll(
      marks.map(({ id, deaths, loader }) => {
        return ['HSET', this.#keyOf(id), shortIdOf(id), `${deaths}:${loader}`] as const;
      }),
    );
  }

  async clear(ids: readonly ExecutionId[]): Promise<void> {
    const byKey = groupBy(ids, (id) => this.#keyOf(id));
    await this.redis.confirmedReads.callAll(
      [...byKey].map(([key, some]) => ['HDEL', key, ...some.map(shortIdOf)] as const),
    );
  }

  #keyOf(id: ExecutionId): string {
    const { keys } = this.redis;
    return keys.loads(keys.partitionOf(shardOf(id, this.shards)));
  }
}

/** Of a hash as fields and values in turn. */
function marksOf(flat: readonly Buffer[]): LoadMark[] {
  const marks: LoadMark[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    marks.push(toMark(executionIdOfShort(String(flat[i])), String(flat[i + 1])));
  }
  return marks;
}

function toMark(id: ExecutionId, text: string): LoadMark {
  const colon = text.indexOf(':');
  return { id, deaths: Number(text.slice(0, colon)), loader: text.slice(colon + 1) };
}
