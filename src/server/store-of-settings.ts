// The store of a server for a command beside it: the one that a setting names, the private Redis of
// a server that runs, or, without one, a private Redis that is started for the moment.
import path from 'node:path';
import type { Settings } from './settings-table.js';
import type { RedisTls } from '../redis/create-client.js';
import { launchStore } from '../redis/launch-store.js';
import { readTlsFiles } from '../redis/redis-tls.js';
import { runningPrivateStore } from '../redis/running-store.js';

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
