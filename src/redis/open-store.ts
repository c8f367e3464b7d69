// Connects a node to its store once that serves (launch-store.ts), and reads what it promises.
import { AppError } from '../model/errors.js';
import { RedisClient } from './client.js';
import type { LaunchedStore } from './launch-store.js';
import { readTlsFiles, type TlsFiles } from './redis-tls.js';
import { checkRights } from './rights.js';
import { StoreMemory } from './store-memory.js';

export interface StoreSettings extends TlsFiles {
  readonly redisPrefix: string;
  readonly partitions: number;
  readonly redisMemoryPercentMax: number;
  readonly waitReplicas: number;
  readonly waitReplicasMs: number;
  readonly waitAof: boolean;
}

export interface OpenStore {
  readonly redis: RedisClient;
  readonly memory: StoreMemory;
  /** Level of invariants section 2, for the health answer. */
  readonly durability: string;
}

/**
 * Connects; pushes what must be done at a stop. `stopping` breaks off the wait for a store that
 * cannot be reached, which has no end with Sentinel and clusters. Rejects with a sentence when
 * there is no store to be had.
 */
export async function openStore(
  settings: StoreSettings,
  launched: Pick<LaunchedStore, 'url'>,
  {
    stops,
    stopping,
    skipped,
    answered,
  }: {
    stops: { push(name: string, stop: () => unknown): void };
    stopping: AbortSignal;
    /** How far time is ahead of the store's own; of test servers. */
    skipped?: { readonly ms: number } | undefined;
    /** Hears of the milliseconds that the store took to answer. */
    answered: (ms: number) => void;
  },
): Promise<OpenStore> {
  const redis = new RedisClient({
    url: await launched.url,
    tls: readTlsFiles(settings),
    prefix: settings.redisPrefix,
    partitions: settings.partitions,
    waitReplicas: settings.waitReplicas,
    waitReplicasMs: settings.waitReplicasMs,
    waitAof: settings.waitAof,
    ...(skipped === undefined ? {} : { timeOffsetMs: () => skipped.ms }),
  });
  await connect(redis, stopping);
  stops.push('connections to Redis', () => redis.disconnect());
  await checkRights(redis);
  if (settings.waitAof) await checkWaitAof(redis);
  const memory = new StoreMemory(redis, settings.redisMemoryPercentMax, answered);
  await memory.start();
  stops.push('memory of Redis', () => memory.stop());
  return { redis, memory, durability: await durabilityOf(redis, settings) };
}

async function connect(redis: RedisClient, stopping: AbortSignal): Promise<void> {
  const breakOff = (): void => redis.disconnect();
  stopping.addEventListener('abort', breakOff, { once: true });
  try {
    stopping.throwIfAborted();
    await redis.connect();
  } finally {
    stopping.removeEventListener('abort', breakOff);
  }
}

/**
 * Throws AppError 'unavailable' where this Redis cannot tell what is on disk. With `appendfsync
 * everysec` it says that writes are which are not (Valkey 8.0 was seen to, by its system calls).
 */
async function checkWaitAof(redis: RedisClient): Promise<void> {
  try {
    await redis.reads.call('WAITAOF', 1, 0, 1);
  } catch (error) {
    const { message } = error as Error;
    if (message.includes('unknown command')) {
      const version = await versionOf(redis);
      throw new AppError(
        'unavailable',
        `${version} does not know WAITAOF, which --wait-aof needs: take Redis 7.2 or later, or Valkey, or leave it off.`,
      );
    }
    if (!message.includes('appendonly is disabled')) throw error;
    throw new AppError(
      'unavailable',
      'Redis keeps no append-only file, which --wait-aof needs: set appendonly yes there, or leave it off.',
    );
  }
  const fsync = await configOf(redis, 'appendfsync');
  if (fsync !== 'always' && fsync !== undefined) {
    throw new AppError(
      'unavailable',
      `Redis has appendfsync ${fsync}, with which it confirms writes that are not on disk yet: --wait-aof needs appendfsync always there and at its replicas.`,
    );
  }
}

async function versionOf(redis: RedisClient): Promise<string> {
  const info = String(await redis.reads.call('INFO', 'server'));
  return `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1] ?? 'of this version'}`;
}

/** The level at which acknowledged work survives (invariants section 2). */
async function durabilityOf(redis: RedisClient, settings: StoreSettings): Promise<string> {
  const { waitReplicas, waitAof } = settings;
  const level = await levelOfPrimary(redis);
  if (waitReplicas === 0) return level;
  const who = `${waitReplicas} ${waitReplicas === 1 ? 'replica' : 'replicas'}`;
  const confirmed = `confirmed by ${who}${waitAof ? ' on disk' : ''}`;
  const d1 = `${level === 'D0' ? 'D1' : level}; ${confirmed}`;
  const replication = String(await redis.reads.call('INFO', 'replication'));
  const attached = Number(/^connected_slaves:(\d+)/m.exec(replication)?.[1] ?? 0);
  if (attached <= waitReplicas) return d1;
  return `${d1} of ${attached}, so a failover may lose acknowledged work`;
}

async function levelOfPrimary(redis: RedisClient): Promise<string> {
  const info = String(await redis.reads.call('INFO', 'persistence'));
  if (!info.includes('aof_enabled:1')) return 'none: the store keeps no append-only file';
  const fsync = await configOf(redis, 'appendfsync');
  if (fsync === undefined) return 'unknown: the store does not tell its appendfsync';
  if (fsync !== 'always') return `below D0: appendfsync ${fsync}`;
  // After a crash in the middle of a write it may carry out a part of that write at a later start
  // (decision 0004).
  const repairs = await configOf(redis, 'aof-load-truncated');
  return repairs === 'no' ? 'D0' : 'below D0: aof-load-truncated yes';
}

/** Undefined where the user may not ask, or is not told. */
async function configOf(redis: RedisClient, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await redis.reads.call('CONFIG', 'GET', name)) as (string | undefined)[];
    return value;
  } catch {
    return undefined;
  }
}
