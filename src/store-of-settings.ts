// The store of a server for a command beside it: the one that a setting names, the private Redis of
// a server that runs, or, without one, a private Redis that is started for the moment.
import path from 'node:path';
import type { Settings } from './settings-table.js';
import { launchStore } from './redis/launch-store.js';
import { runningPrivateStore } from './redis/running-store.js';

export async function openStoreOf(
  settings: Settings,
): Promise<{ url: string; stop(): Promise<void> }> {
  if (settings.redisUrl !== '') return { url: settings.redisUrl, stop: async () => undefined };
  const running = await runningPrivateStore(path.resolve(settings.dataDir));
  if (running !== undefined) return { url: running, stop: async () => undefined };
  const launched = launchStore(
    settings,
    (level, message) => (level === 'info' ? undefined : console.error(message)),
    new AbortController().signal,
  );
  return { url: await launched.url, stop: () => launched.stop() };
}
