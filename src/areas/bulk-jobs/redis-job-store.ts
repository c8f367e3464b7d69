// Bulk jobs in Redis: a list of ids per job, and a hash of refusals by position in that list.
import { refusalsMax, type BulkJobStore, type BulkRefusal } from './job-store.js';
import { BulkJobKeys } from './keys.js';
import type { RedisClient } from '../../redis/client.js';
import { packText, unpackText } from '../../redis/codec/record.js';
import { partsOf } from '../../std/parts.js';

const idsPerCallMax = 1000;

export class RedisBulkJobStore implements BulkJobStore {
  readonly #keys: BulkJobKeys;

  constructor(private readonly redis: RedisClient) {
    this.#keys = new BulkJobKeys(redis.keys.prefix);
  }

  async create(jobId: string, ids: readonly string[], lifeMs: number): Promise<void> {
    const { commits } = this.redis;
    const key = this.#keys.ids(jobId);
    for (const some of partsOf(ids, idsPerCallMax)) {
      await commits.callAll([
        ['RPUSH', key, ...some],
        ['PEXPIRE', key, lifeMs],
      ]);
    }
  }

  async ids(jobId: string, from: number, to: number): Promise<string[]> {
    const { reads } = this.redis;
    return (await reads.call('LRANGE', this.#keys.ids(jobId), from, to - 1)) as string[];
  }

  async refuse(
    jobId: string,
    refusals: ReadonlyMap<number, BulkRefusal>,
    lifeMs: number,
  ): Promise<void> {
    const { commits } = this.redis;
    const key = this.#keys.refusals(jobId);
    const known = (await commits.call('HLEN', key)) as number;
    const room = [...refusals].slice(0, Math.max(0, refusalsMax - known));
    if (room.length === 0) return;
    const fields = room.flatMap(([position, refusal]) => [
      String(position),
      packText(JSON.stringify(refusal)),
    ]);
    await commits.callAll([
      ['HSET', key, ...fields],
      ['PEXPIRE', key, lifeMs],
    ]);
  }

  async refusals(jobId: string): Promise<BulkRefusal[]> {
    const { reads } = this.redis;
    const found = (await reads.callBuffer('HGETALL', this.#keys.refusals(jobId))) as Buffer[];
    const byPosition: [position: number, refusal: BulkRefusal][] = [];
    for (let i = 0; i < found.length; i += 2) {
      const text = unpackText('refusal of a bulk job', found[i + 1] as Buffer);
      byPosition.push([Number(found[i]), JSON.parse(text) as BulkRefusal]);
    }
    return byPosition.sort(([a], [b]) => a - b).map(([, refusal]) => refusal);
  }

  async forget(jobId: string): Promise<void> {
    const { commits } = this.redis;
    await commits.callAll([
      ['UNLINK', this.#keys.ids(jobId)],
      ['UNLINK', this.#keys.refusals(jobId)],
    ]);
  }
}
