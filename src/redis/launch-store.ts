// Takes the node's data folder and starts (or adopts) its private Redis. It imports next to
// nothing, so that the process's entry can call it before the rest of the server is loaded: Redis
// reads its file on one core while Node compiles modules on the other.
import { openDataFolder, type DataFolder } from './data-folder.js';
import { openLocalStore, type LocalStore } from './local-store.js';

export interface LaunchSettings {
  /** '' = a private Redis in the data folder. */
  readonly redisUrl: string;
  readonly dataDir: string;
  readonly appendFsync: string;
  readonly redisMemoryBytes: number;
}

export type StoreReport = (level: 'info' | 'warn' | 'error', message: string) => void;

export interface LaunchedStore {
  readonly folder: DataFolder;
  /**
   * Where the store serves, for RedisClient; rejects with AppError 'unavailable' and what to do.
   */
  readonly url: Promise<string>;
  /** Ends the private Redis in good order and releases the folder; may be called twice. */
  stop(): Promise<void>;
}

/**
 * Throws AppError 'unavailable' when a running node has the folder. `signal` aborts a start that
 * still waits for Redis to read its file. `isVolatile`: a private Redis keeps nothing on disk, for
 * test servers.
 */
export function launchStore(
  settings: LaunchSettings,
  report: StoreReport,
  signal: AbortSignal,
  isVolatile = false,
): LaunchedStore {
  const folder = openDataFolder(settings.dataDir);
  const child =
    settings.redisUrl === ''
      ? openPrivate(settings, folder, { report, signal, isVolatile })
      : undefined;
  const url = child?.then((store) => store.url) ?? Promise.resolve(settings.redisUrl);
  // Prevents an unhandled rejection; callers that await it still see it.
  url.catch(() => undefined);
  return {
    folder,
    url,
    async stop() {
      await child?.then(
        (store) => store.stop(),
        () => undefined,
      );
      folder.close();
    },
  };
}

function openPrivate(
  settings: LaunchSettings,
  folder: DataFolder,
  more: { report: StoreReport; signal: AbortSignal; isVolatile: boolean },
): Promise<LocalStore> {
  return openLocalStore({
    dataDir: folder.path,
    keeperFile: folder.keeperFile,
    appendFsync: settings.appendFsync === 'everysec' ? 'everysec' : 'always',
    memoryBytes: settings.redisMemoryBytes,
    ...more,
  });
}
