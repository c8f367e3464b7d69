// Records of early files in Redis: a hash of all, a set of ids per maker, and a sorted set of all
// by the moment of their end. The end is written first and removed last, so that whatever a death
// leaves behind is found by its end.
import { parseOwnJson } from '../../model/json-text.js';
import type { EarlyFile, EarlyFileStore } from './early-file-store.js';
import { EarlyFileKeys } from './keys.js';
import type { RedisClient } from '../../redis/client.js';

export class RedisEarlyFileStore implements EarlyFileStore {
  readonly #keys: EarlyFileKeys;

  constructor(private readonly redis: RedisClient) {
    this.#keys = new EarlyFileKeys(redis.keys.prefix);
  }

  async put(early: EarlyFile): Promise<void> {
    const { commits } = this.redis;
    const { fileId } = early.file;
    await commits.call('ZADD', this.#keys.ends(), early.endsAt, fileId);
    await commits.call('HSET', this.#keys.files(), fileId, JSON.stringify(early));
    await commits.call('SADD', this.#keys.filesOf(early.madeBy), fileId);
  }

  async find(fileId: string): Promise<EarlyFile | undefined> {
    const { reads } = this.redis;
    const text = (await reads.call('HGET', this.#keys.files(), fileId)) as string | null;
    return text === null ? undefined : parseOwnJson<EarlyFile>(text);
  }

  async count(madeBy: string): Promise<number> {
    return (await this.redis.reads.call('SCARD', this.#keys.filesOf(madeBy))) as number;
  }

  async ended(now: number, limit: number): Promise<string[]> {
    const { reads } = this.redis;
    const range = ['-inf', now, 'LIMIT', 0, limit] as const;
    return (await reads.call('ZRANGEBYSCORE', this.#keys.ends(), ...range)) as string[];
  }

  async remove(fileId: string): Promise<void> {
    const { commits } = this.redis;
    const early = await this.find(fileId);
    if (early !== undefined) {
      await commits.call('SREM', this.#keys.filesOf(early.madeBy), fileId);
      await commits.call('HDEL', this.#keys.files(), fileId);
    }
    await commits.call('ZREM', this.#keys.ends(), fileId);
  }
}
