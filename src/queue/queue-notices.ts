// What the queues of a node tell those of other nodes. Notices may be lost: they only shorten
// waits.
import type { QueueName } from '../engine/decision.js';

export interface QueueNotices {
  /** Polls wait here for this queue from now on, or none does any more. */
  wanted(queue: QueueName, isWanted: boolean): void;
  /** Something is ready in the store's queue that no poll of this node has taken. */
  ready(queue: QueueName): void;
}

/** A node that has no others to tell. */
export const noNotices: QueueNotices = { wanted: () => undefined, ready: () => undefined };
