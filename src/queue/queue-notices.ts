// Notices of the queues of a node to those of other nodes. A notice may be lost: it only shortens a
// wait.
import type { QueueName } from '../engine/decision.js';

export interface QueueNotices {
  /** Polls wait here for this queue from now on, or none does any more. */
  wanted(queue: QueueName, isWanted: boolean): void;
  /**
   * Something is ready that no poll of this node has taken. `isHeld`: this node owns it and hands
   * it over itself; else it stands in the store's queue.
   */
  ready(queue: QueueName, isHeld: boolean): void;
  /** A limit of the type lets more through: its queues at other nodes are to be looked at. */
  roomFor(taskType: string): void;
}

/** A node that has no others to tell. */
export const noNotices: QueueNotices = {
  wanted: () => undefined,
  ready: () => undefined,
  roomFor: () => undefined,
};
