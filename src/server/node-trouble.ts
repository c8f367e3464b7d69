// The reason why a node does not serve, in one sentence for the health answer and the log: what
// placement knows of the store, and, for a private Redis, whether its disk is full, which it dies
// of.
import { statfsSync } from 'node:fs';

/** A disk with less room than that is full for an append-only file. */
const roomBytesMin = 1024 * 1024;

export interface TroubleSources {
  /** Folder of the private Redis; undefined: Redis is elsewhere. */
  readonly privateFolder: string | undefined;
  /** `trouble` is a sentence of the placement; undefined: nothing is wrong. */
  readonly placement: { readonly trouble: string | undefined };
  readonly store: { readonly isLoading: boolean };
}

/** undefined while the node serves. */
export function describeTrouble(sources: TroubleSources): string | undefined {
  const { privateFolder, placement, store } = sources;
  const { trouble } = placement;
  if (trouble === undefined) return undefined;
  if (store.isLoading) return 'Redis is loading its data (LOADING)';
  if (privateFolder === undefined) return trouble;
  const roomBytes = roomIn(privateFolder);
  if (roomBytes === undefined || roomBytes >= roomBytesMin) return trouble;
  return `The disk under ${privateFolder} is full: the private Redis cannot write its file`;
}

/** undefined where the system does not tell. */
function roomIn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
