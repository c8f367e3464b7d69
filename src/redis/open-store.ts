// Connects a node to its store once that serves (launch-store.ts), and reads what it promises.
import { RedisClient } from './client.js';
import type { LaunchedStore } from './launch-store.js';
import { StoreMemory } from './store-memory.js';

export interface StoreSettings {
  readonly redisPrefix: string;
  readonly partitions: number;
  readonly redisMemoryPercentMax: number;
  readonly waitReplicas: number;
  readonly waitReplicasMs: number;
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
  }: { stops: { push(name: string, stop: () => unknown): void }; stopping: AbortSignal },
): Promise<OpenStore> {
  const redis = new RedisClient({
    url: await launched.url,
    prefix: settings.redisPrefix,
    partitions: settings.partitions,
    waitReplicas: settings.waitReplicas,
    waitReplicasMs: settings.waitReplicasMs,
  });
  await connect(redis, stopping);
  stops.push('connections to Redis', () => redis.disconnect());
  const memory = new StoreMemory(redis, settings.redisMemoryPercentMax);
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

/** What acknowledged work survives (invariants section 2). */
async function durabilityOf(redis: RedisClient, settings: StoreSettings): Promise<string> {
  const level = await levelOfPrimary(redis);
  const { waitReplicas } = settings;
  if (waitReplicas === 0) return level;
  const confirmed = `confirmed by ${waitReplicas} ${waitReplicas === 1 ? 'replica' : 'replicas'}`;
  return `${level === 'D0' ? 'D1' : level}; ${confirmed}`;
}

async function levelOfPrimary(redis: RedisClient): Promise<string> {
  const info = String(await redis.reads.call('INFO', 'persistence'));
  if (!info.includes('aof_enabled:1')) return 'none: the store keeps no append-only file';
  try {
    const [, fsync] = (await redis.reads.call('CONFIG', 'GET', 'appendfsync')) as string[];
    if (fsync !== 'always') return `below D0: appendfsync ${String(fsync)}`;
    const [, repairs] = (await redis.reads.call('CONFIG', 'GET', 'aof-load-truncated')) as string[];
    // After a crash in the middle of a write it may carry out a part of that write at a later start
    // (decision 0004).
    return repairs === 'no' ? 'D0' : 'below D0: aof-load-truncated yes';
  } catch {
    return 'unknown: the store does not tell its appendfsync';
  }
}
