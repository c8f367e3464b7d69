// Records of early files in Redis: a hash of all, a set of ids per maker, and a sorted set of all
// by the moment of their end. The end is written first and removed last, so that whatever a death
// leaves behind is found by its end.
import { parseOwnJson } from '../model/json-text.js';
import type { EarlyFile, EarlyFileStore } from '../store/early-file-store.js';
import type { RedisClient } from './client.js';

export class RedisEarlyFileStore implements EarlyFileStore {
  constructor(private readonly redis: RedisClient) {}

  async put(early: EarlyFile): Promise<void> {
    const { keys, commits } = this.redis;
    const { fileId } = early.file;
    await commits.call('ZADD', keys.earlyFileEnds(), early.endsAt, fileId);
    await commits.call('HSET', keys.earlyFiles(), fileId, JSON.stringify(early));
    await commits.call('SADD', keys.earlyFilesOf(early.madeBy), fileId);
  }

  async find(fileId: string): Promise<EarlyFile | undefined> {
    const { keys, reads } = this.redis;
    const text = (await reads.call('HGET', keys.earlyFiles(), fileId)) as string | null;
    return text === null ? undefined : parseOwnJson<EarlyFile>(text);
  }

  async count(madeBy: string): Promise<number> {
    return (await this.redis.reads.call('SCARD', this.redis.keys.earlyFilesOf(madeBy))) as number;
  }

  async ended(now: number, limit: number): Promise<string[]> {
    const { keys, reads } = this.redis;
    const range = ['-inf', now, 'LIMIT', 0, limit] as const;
    return (await reads.call('ZRANGEBYSCORE', keys.earlyFileEnds(), ...range)) as string[];
  }

  async remove(fileId: string): Promise<void> {
    const { keys, commits } = this.redis;
    const early = await this.find(fileId);
    if (early !== undefined) {
      await commits.call('SREM', keys.earlyFilesOf(early.madeBy), fileId);
      await commits.call('HDEL', keys.earlyFiles(), fileId);
    }
    await commits.call('ZREM', keys.earlyFileEnds(), fileId);
  }
}
