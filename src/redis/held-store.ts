// Reads what executions hold from their headers. A finished one is a string: its length counts.
import { shardOf, type ExecutionId } from '../std/ids.js';
import { isTerminalWorkflow } from '../model/status.js';
import {
  smallBytes,
  type ExecutionLoad,
  type HeldLoad,
  type HeldStore,
} from '../store/held-store.js';
import type { RedisClient } from './client.js';
import { decodeAttributes, decodeLoad, decodeProgress } from './codec/header-record.js';
import { readHeaders } from './execution-headers.js';
import type { RedisExecutionStore } from './execution-store.js';

export class RedisHeldStore implements HeldStore {
  constructor(
    private readonly redis: RedisClient,
    /** The keyspace's number of shards. */
    private readonly shards: number,
    private readonly executions: Pick<RedisExecutionStore, 'search' | 'snapshotOf'>,
  ) {}

  scan(): AsyncGenerator<ExecutionId[]> {
    return this.executions.search.scan();
  }

  async loads(ids: readonly ExecutionId[]): Promise<(ExecutionLoad | undefined)[]> {
    const { keys, reads } = this.redis;
    const places = ids.map((id) => {
      const shard = shardOf(id, this.shards);
      return { partition: keys.partitionOf(shard), key: keys.execution(shard, id) };
    });
    const headers = await readHeaders(this.redis, places);
    const finished = places.filter((_, i) => headers[i]?.isCompact === true);
    const lengths = (await reads.callAll(
      finished.map(({ key }) => ['STRLEN', key] as const),
    )) as number[];
    const bytesOf = new Map(finished.map(({ key }, i) => [key, lengths[i] ?? 0]));
    const loads: (ExecutionLoad | undefined)[] = [];
    for (const [i, header] of headers.entries()) {
      const { partition, key } = places[i] as (typeof places)[number];
      if (header === undefined) {
        loads.push(undefined);
        continue;
      }
      const { attributes, snapshotHash } = decodeAttributes(header.attributes);
      const snapshot = await this.executions.snapshotOf(partition, snapshotHash);
      const { createTime: createdAt, status } = decodeProgress(header.progress);
      const said = header.isCompact
        ? { openTasks: 0, bytes: bytesOf.get(key) ?? 0 }
        : decodeLoad(header.progress);
      loads.push(
        snapshot && {
          ...(said ?? smallLoad(isTerminalWorkflow(status))),
          ...{ caller: attributes.createdBy ?? '', definition: snapshot.def.name, createdAt },
        },
      );
    }
    return loads;
  }
}

function smallLoad(hasEnded: boolean): HeldLoad {
  return { openTasks: hasEnded ? 0 : 1, bytes: smallBytes };
}
