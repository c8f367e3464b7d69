// Opens the store of a node: the Redis that was given, or a private one as a child process with its own data folder.
// Either way the node takes its data folder first, which at most one running node has.
import type { Logger } from '../telemetry/logger.js';
import { RedisClient } from './client.js';
import { openDataFolder, type DataFolder } from './data-folder.js';
import { openLocalStore } from './local-store.js';
import { StoreMemory } from './store-memory.js';

export interface StoreSettings {
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly dataDir: string;
  readonly appendFsync: string;
  readonly redisMemoryBytes: number;
  readonly redisMemoryPercentMax: number;
  readonly nodeId: string;
}

export interface OpenStore {
  readonly redis: RedisClient;
  readonly memory: StoreMemory;
  /** Stays the same over restarts on the same data folder. */
  readonly nodeId: string;
  /** Level of invariants section 2, for the health answer. */
  readonly durability: string;
}

/** Connects; pushes what must be done at a stop. Rejects with a sentence when there is no store to be had. */
export async function openStore(
  settings: StoreSettings,
  log: Logger,
  stops: (() => Promise<unknown>)[],
): Promise<OpenStore> {
  const folder = openDataFolder(settings.dataDir);
  stops.push(async () => folder.close());
  const url =
    settings.redisUrl === '' ? await openPrivate(settings, folder, log, stops) : settings.redisUrl;
  const redis = new RedisClient({ url, prefix: settings.redisPrefix });
  await redis.connect();
  stops.push(async () => redis.disconnect());
  const memory = new StoreMemory(redis, settings.redisMemoryPercentMax);
  await memory.start();
  stops.push(() => memory.stop());
  log.debug('connected to the store');
  const nodeId = settings.nodeId === '' ? folder.nodeId : settings.nodeId;
  return { redis, memory, nodeId, durability: await durabilityOf(redis) };
}

/** Starts or adopts the private Redis; returns its address. */
async function openPrivate(
  settings: StoreSettings,
  folder: DataFolder,
  log: Logger,
  stops: (() => Promise<unknown>)[],
): Promise<string> {
  const local = await openLocalStore({
    dataDir: folder.path,
    keeperFile: folder.keeperFile,
    appendFsync: settings.appendFsync === 'everysec' ? 'everysec' : 'always',
    memoryBytes: settings.redisMemoryBytes,
    report: (level, message) => log[level](message),
  });
  stops.push(() => local.stop());
  return local.url;
}

async function durabilityOf(redis: RedisClient): Promise<string> {
  const info = String(await redis.reads.call('INFO', 'persistence'));
  if (!info.includes('aof_enabled:1')) return 'none: the store keeps no append-only file';
  try {
    const [, fsync] = (await redis.reads.call('CONFIG', 'GET', 'appendfsync')) as string[];
    return fsync === 'always' ? 'D0' : `below D0: appendfsync ${String(fsync)}`;
  } catch {
    return 'unknown: the store does not tell its appendfsync';
  }
}
