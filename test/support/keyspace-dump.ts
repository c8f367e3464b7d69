// A keyspace as JSON, and back: keys with their contents in base64, whatever version of Redis they
// came from. For small ones: everything is read at once.
import type { RedisClient } from '../../src/redis/client.js';

/** Contents in the order in which the command `fill` takes them. */
interface DumpedKey {
  readonly key: string;
  readonly type: 'string' | 'hash' | 'zset' | 'set' | 'list' | 'stream';
  /** Absent: it stays. */
  readonly livesMs?: number;
  readonly contents: readonly string[];
}

export interface KeyspaceDump {
  readonly keys: readonly DumpedKey[];
}

const reads: { readonly [type: string]: (key: string) => readonly [string, ...string[]] } = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  set: (key) => ['SMEMBERS', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Everything under the prefix of a store that no node uses now. */
export async function dumpKeyspace({ reads: redis, keys }: RedisClient): Promise<KeyspaceDump> {
  const names = (await redis.call('KEYS', `${keys.prefix}:*`)) as string[];
  const dumped: DumpedKey[] = [];
  for (const key of names.sort()) {
    const type = String(await redis.call('TYPE', key)) as DumpedKey['type'];
    const livesMs = Number(await redis.call('PTTL', key));
    const [command, ...args] = (reads[type] as (typeof reads)[string])(key);
    const found = await redis.callBuffer(command, ...args);
    const contents = flat(found).map((bytes) => bytes.toString('base64'));
    dumped.push({ key, type, ...(livesMs > 0 ? { livesMs } : {}), contents });
  }
  return { keys: dumped };
}

function flat(reply: unknown): Buffer[] {
  if (Array.isArray(reply)) return reply.flatMap(flat);
  return [reply as Buffer];
}

const fills: { readonly [type: string]: string } = {
  string: 'SET',
  hash: 'HSET',
  zset: 'ZADD',
  set: 'SADD',
  list: 'RPUSH',
};

/** Fills an empty store. */
export async function loadKeyspace(
  { reads: redis }: RedisClient,
  dump: KeyspaceDump,
): Promise<void> {
  for (const { key, type, livesMs, contents } of dump.keys) {
    const bytes = contents.map((text) => Buffer.from(text, 'base64'));
    if (type === 'stream') {
      for (const [id, ...fields] of entriesOf(bytes)) await redis.call('XADD', key, id, ...fields);
    } else {
      // Scores stand before their members.
      const args = type === 'zset' ? swapped(bytes) : bytes;
      await redis.call(fills[type] as string, key, ...args);
    }
    if (livesMs !== undefined) await redis.call('PEXPIRE', key, livesMs);
  }
}

function swapped(bytes: readonly Buffer[]): Buffer[] {
  return bytes.map((_, i) => bytes[i % 2 === 0 ? i + 1 : i - 1] as Buffer);
}

const streamId = /^\d+-\d+$/;

/** Entries of a stream: an id, then fields and values. */
function entriesOf(bytes: readonly Buffer[]): [Buffer, ...Buffer[]][] {
  const entries: [Buffer, ...Buffer[]][] = [];
  for (const part of bytes) {
    if (streamId.test(part.toString('latin1'))) entries.push([part]);
    else entries.at(-1)?.push(part);
  }
  return entries;
}
