// What a node knows of one queue: who waits at it, which fresh tasks are held back for a moment in
// case a poll comes (so that a chain does not pay a push and a pop per step), and whether the
// store's part of the queue may hold something.
import type { QueueName } from '../engine/decision.js';
import type { Attempt } from '../store/queue-store.js';
import type { ParkedPoll } from './parked-poll.js';

export class TaskQueue {
  /** Waiting polls, oldest first. */
  readonly parked: Set<ParkedPoll> = new Set();
  /**
   * Committed SCHEDULED attempts that are not yet in the store's queue, oldest first; the key is
   * task id and reopenCount.
   */
  readonly held: Map<string, Attempt> = new Map();
  /** False only when the store said so after the last push from anywhere that we know of. */
  maybeReady = true;
  fetching = false;
  /** Ask again once the running fetch is over. */
  fetchAgain = false;
  /** Next hidden member becomes visible, epoch ms; 0 = none known. */
  nextVisibleAt = 0;
  /** Earliest lease end that we know of, epoch ms; 0 = none known. */
  nextLeaseEndAt = 0;
  /** Ended leases are being asked for. */
  lookingForEnds = false;
  /** Why the store held members back at the last pop, for `why`. */
  blockedBy: 'concurrency' | 'rate' | undefined;
  lastPollAt = 0;

  constructor(readonly name: QueueName) {}

  /** Nothing waits here or is expected, and nobody has polled since then. */
  isIdle(since: number): boolean {
    return (
      this.lastPollAt < since &&
      this.parked.size === 0 &&
      this.held.size === 0 &&
      !this.fetching &&
      this.nextVisibleAt === 0 &&
      this.nextLeaseEndAt === 0 &&
      !this.lookingForEnds
    );
  }

  /** The first waiting poll that takes a task in this commit batch. */
  waiting(batch: number): ParkedPoll | undefined {
    for (const poll of this.parked) {
      if (poll.wants(batch) > 0) return poll;
    }
    return undefined;
  }
}
