// Opens the store of a node: the Redis that was given, or a private one as a child process with its own data folder.
import fs from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Logger } from '../telemetry/logger.js';
import { RedisClient } from './client.js';
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
  fs.mkdirSync(settings.dataDir, { recursive: true });
  if (settings.redisUrl === '') throw new Error('redis-url is missing');
  const redis = new RedisClient({ url: settings.redisUrl, prefix: settings.redisPrefix });
  await redis.connect();
  stops.push(async () => redis.disconnect());
  const memory = new StoreMemory(redis, settings.redisMemoryPercentMax);
  await memory.start();
  stops.push(() => memory.stop());
  log.debug({ url: settings.redisUrl }, 'connected');
  return { redis, memory, nodeId: nodeIdOf(settings), durability: await durabilityOf(redis) };
}

function nodeIdOf(settings: StoreSettings): string {
  if (settings.nodeId !== '') return settings.nodeId;
  const file = path.join(settings.dataDir, 'node-id');
  if (!fs.existsSync(file)) fs.writeFileSync(file, randomUUID());
  return fs.readFileSync(file, 'utf8').trim();
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
