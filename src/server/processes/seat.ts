// The place that a supervisor gives to one of its processes: its place in the data folder, its
// name, and where the store is that all of them share.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { socketAddress } from '../../placement/peer/peer-place.js';
import { openDataFolder } from '../../redis/data-folder.js';
import type { LaunchedStore } from '../../redis/launch-store.js';
import { socketPathFor } from '../../redis/local-store.js';
import { nodeSettings } from '../../settings/node-settings.js';
import type { Settings } from '../settings-table.js';

export interface ProcessSeat {
  /** From 1. */
  readonly number: number;
  readonly nodeId: string;
  readonly storeUrl: string;
  /**
   * Listens before it serves, to tell callers to wait: only while no other process serves, which
   * would answer them.
   */
  readonly listensEarly: boolean;
}

/** Sent to the supervisor once the process serves. */
export const servingMessage = 'serving';

/**
 * The settings of the process: its own name, and a Unix socket for the other processes, unless an
 * address for other machines is given.
 */
export function seatedSettings(settings: Settings, seat: ProcessSeat): Settings {
  const folder = folderOf(settings.dataDir, seat.number);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { peerHost } = settings;
  const isLocal = peerHost === nodeSettings.peerHost.default;
  return {
    ...settings,
    nodeId: seat.nodeId,
    peerHost: isLocal ? socketAddress(socketPathFor(folder, 'peer.sock')) : peerHost,
  };
}

/** The store of the supervisor, and a folder of the process's own beside it. */
export function joinStore(settings: Settings, seat: ProcessSeat): LaunchedStore {
  const folder = openDataFolder(folderOf(settings.dataDir, seat.number));
  return {
    folder,
    url: Promise.resolve(seat.storeUrl),
    async stop() {
      folder.close();
    },
  };
}

function folderOf(dataDir: string, number: number): string {
  return path.join(dataDir, 'processes', String(number));
}
