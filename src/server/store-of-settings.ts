// The store of a server for a command beside it: the one that a setting names, the private Redis of
// a server that runs, or, without one, a private Redis that is started for the moment.
import path from 'node:path';
import type { Settings } from './settings-table.js';
import { whyNoStore } from './start-failure.js';
import { AppError } from '../model/errors.js';
import type { RedisTls } from '../redis/create-client.js';
import { launchStore } from '../redis/launch-store.js';
import { readTlsFiles } from '../redis/redis-tls.js';
import { runningPrivateStore } from '../redis/running-store.js';

/** Work on a store; where it does not serve, the AppError says why and names the setting. */
export async function sayingWhyNoStore<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = whyNoStore(error, settings);
    throw why === undefined ? error : new AppError('unavailable', why, { cause: error });
  }
}

export async function openStoreOf(
  settings: Settings,
): Promise<{ url: string; tls?: RedisTls; stop(): Promise<void> }> {
  if (settings.redisUrl !== '') {
    const tls = readTlsFiles(settings);
    return { url: settings.redisUrl, tls, stop: async () => undefined };
  }
  const running = await runningPrivateStore(path.resolve(settings.dataDir));
  if (running !== undefined) return { url: running, stop: async () => undefined };
  const launched = launchStore(
    settings,
    (level, message) => (level === 'info' ? undefined : console.error(message)),
    new AbortController().signal,
  );
  return { url: await launched.url, stop: () => launched.stop() };
}
