// Finds the private Redis of a node that runs, for commands beside it.
import { join } from 'node:path';
import { askInstance } from './instance-state.js';
import { socketPathFor } from './local-store.js';

/** URL for RedisClient; undefined when no private Redis serves this data folder. */
export async function runningPrivateStore(dataDir: string): Promise<string | undefined> {
  const socket = socketPathFor(join(dataDir, 'redis'));
  const state = await askInstance(socket);
  return state.kind === 'serving' ? `unix://${socket}` : undefined;
}
