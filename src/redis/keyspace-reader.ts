// Reads a live keyspace in slices, for the check of its invariants (src/fsck): SCAN, ZSCAN and
// HSCAN with small counts, so that no command takes Redis long. A key that changes while it is read
// may be seen twice or, if it is new, not at all. Also the one write of that check: the guarded
// repair of derived entries (scripts/mend.lua).
import { Cluster } from 'ioredis';
import type { Keyspace } from '../store/shard-store.js';
import type { RedisClient } from './client.js';
import type { Argument } from './encoded-call.js';
import { packEnvelope } from './codec/envelope.js';
import type { PackValue } from './codec/packer.js';
import { toStoreError } from './errors.js';
import { findKeyspace } from './keyspace.js';
import { parseKey, type ParsedKey } from './key-kinds.js';
import { scan } from './scans.js';
import { Script } from './script.js';

const mendScript = Script.named('mend');

/** Entries that one command looks at: far below a millisecond of Redis. */
const perSlice = 200;

/** The record that derived entries hang on: an execution by its head, or a field of a hash. */
export type Basis =
  | { readonly key: string; readonly head: string }
  | { readonly key: string; readonly field: string; readonly value: Buffer | undefined };

/** A write to a derived key that shares a slot with its basis. */
export type Mending = readonly ['ZADD' | 'ZREM' | 'HSET' | 'HDEL', string, ...PackValue[]];

export class KeyspaceReader {
  constructor(readonly redis: RedisClient) {}

  /** undefined on an empty store. Throws AppError 'unavailable' for another format. */
  async keyspace(): Promise<Keyspace | undefined> {
    return await findKeyspace(this.redis);
  }

  /** All keys of the deployment whose kind is known. */
  async *keys(): AsyncGenerator<ParsedKey[]> {
    const { prefix } = this.redis.keys;
    for await (const keys of this.names()) yield keys.flatMap((key) => parseKey(prefix, key) ?? []);
  }

  /** All keys that start with the deployment's prefix. */
  async *names(): AsyncGenerator<string[]> {
    const { client } = this.redis.reads;
    const servers = client instanceof Cluster ? client.nodes('master') : [client];
    const { prefix } = this.redis.keys;
    const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*`;
    for (const server of servers) {
      let cursor = '0';
      do {
        const scan = server.scan(cursor, 'MATCH', pattern, 'COUNT', perSlice);
        const [next, keys] = await scan.catch((error: unknown) => {
          throw toStoreError(error);
        });
        yield keys;
        cursor = next;
      } while (cursor !== '0');
    }
  }

  /** Members of a sorted set with their scores. */
  async *members(key: string): AsyncGenerator<{ member: string; score: number }[]> {
    for await (const flat of scan(this.redis.reads, 'ZSCAN', key, perSlice)) {
      yield pairsOf(flat).map(([member, score]) => ({ member, score: Number(score) }));
    }
  }

  /** Fields of a hash with their values. */
  async *fields(key: string): AsyncGenerator<{ field: string; value: Buffer }[]> {
    for await (const flat of scan(this.redis.reads, 'HSCAN', key, perSlice)) {
      yield pairsOf(flat).map(([field, value]) => ({ field, value }));
    }
  }

  /** Members of a set. */
  async *elements(key: string): AsyncGenerator<string[]> {
    const { reads } = this.redis;
    for await (const flat of scan(reads, 'SSCAN', key, perSlice)) yield flat.map(String);
  }

  /** Of each pair of a sorted set and a member the score; undefined where it is not in the set. */
  async scores(
    places: readonly { readonly key: string; readonly member: string }[],
  ): Promise<(number | undefined)[]> {
    const replies = await this.redis.reads.callAll(
      places.map(({ key, member }) => ['ZSCORE', key, member] as const),
    );
    return replies.map((reply) => (reply === null ? undefined : Number(reply)));
  }

  /** The lowest score of a sorted set; undefined: it is empty. */
  async lowestScore(key: string): Promise<number | undefined> {
    const found = await this.redis.reads.call('ZRANGE', key, 0, 0, 'WITHSCORES');
    const [, score] = found as unknown[];
    return score === undefined ? undefined : Number(score);
  }

  async values(key: string, fields: readonly string[]): Promise<(Buffer | undefined)[]> {
    if (fields.length === 0) return [];
    const found = await this.redis.reads.callBuffer('HMGET', key, ...fields);
    return (found as (Buffer | null)[]).map((value) => value ?? undefined);
  }

  async exist(keys: readonly string[]): Promise<boolean[]> {
    const replies = await this.redis.reads.callAll(keys.map((key) => ['EXISTS', key] as const));
    return replies.map((reply) => reply === 1);
  }

  /** Milliseconds; -1: never expires, -2: no such key. */
  async livesMs(keys: readonly string[]): Promise<number[]> {
    const replies = await this.redis.reads.callAll(keys.map((key) => ['PTTL', key] as const));
    return replies.map(Number);
  }

  /** One command of a repair that needs no guard: it is right whatever has happened meanwhile. */
  async write(command: string, ...args: Argument[]): Promise<void> {
    await this.redis.commits.call(command, ...args);
  }

  /** Carries out the commands unless the basis has moved; false when it has. */
  async mend(basis: Basis, commands: readonly Mending[]): Promise<boolean> {
    const changed = [...new Set(commands.map(([, key]) => key))];
    const packed = packEnvelope(
      commands.map(([name, key, ...args]) => [name, 1 + changed.indexOf(key), ...args]),
    );
    const expected = 'head' in basis ? basis.head : (basis.value ?? '');
    const field = 'head' in basis ? '' : basis.field;
    const args = [field, expected, packed];
    return (await this.redis.commits.run(mendScript, [basis.key, ...changed], args)) === 1;
  }
}

function pairsOf(flat: readonly Buffer[]): [string, Buffer][] {
  const pairs: [string, Buffer][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    pairs.push([String(flat[i]), flat[i + 1] as Buffer]);
  }
  return pairs;
}
