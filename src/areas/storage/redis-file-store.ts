// Records of files in Redis: a hash per execution in its slot, removed with the execution.
import { shardOf, type ExecutionId } from '../../std/ids.js';
import { parseOwnJson } from '../../model/json-text.js';
import type { FileStore, StoredFile } from './file-store.js';
import type { RedisClient } from '../../redis/client.js';

export class RedisFileStore implements FileStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly shards: number,
  ) {}

  async put(owner: ExecutionId, file: StoredFile): Promise<void> {
    const text = JSON.stringify(file);
    await this.redis.commits.call('HSET', this.#key(owner), file.fileId, text);
  }

  async get(owner: ExecutionId, fileId: string): Promise<StoredFile | undefined> {
    const text = (await this.redis.reads.call('HGET', this.#key(owner), fileId)) as string | null;
    return text === null ? undefined : parseOwnJson<StoredFile>(text);
  }

  async count(owner: ExecutionId): Promise<number> {
    return (await this.redis.reads.call('HLEN', this.#key(owner))) as number;
  }

  async ids(owners: readonly ExecutionId[]): Promise<string[][]> {
    const calls = owners.map((owner) => ['HKEYS', this.#key(owner)] as const);
    const found = (await this.redis.reads.callAll(calls)) as unknown[][];
    return found.map((list) => list.map(String));
  }

  #key(owner: ExecutionId): string {
    const { keys } = this.redis;
    const shard = shardOf(owner, this.shards);
    return keys.filesOf(keys.execution(shard, owner));
  }
}
