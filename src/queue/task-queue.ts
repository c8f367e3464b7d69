// A node's knowledge of one queue: which polls wait at it, the head of what is ready, and whether
// the store holds more.
import type { QueueName } from '../engine/decision.js';
import type { ParkedPoll, PollPlace } from './parked-poll.js';
import { ReadyHead } from './ready-head.js';
import { StoreSignals } from './store-signals.js';

export class TaskQueue {
  /** Waiting polls, oldest first. */
  readonly parked: Set<ParkedPoll> = new Set();
  /** Those of them that leave when nothing is on its way to the queue. */
  readonly leaving: Set<ParkedPoll> = new Set();
  /**
   * The ready tasks that are known here. Polls take from it first; when it is empty and the store
   * may hold more, the store is read.
   */
  readonly head = new ReadyHead();
  /**
   * Members with limits or a delay wait in the store, or members of other nodes: then its scripts
   * decide, and the head stays empty.
   */
  scriptsDecide = false;
  /** When the store is read again for other nodes although scripts decide, epoch ms. */
  readAgainAt = 0;
  /** Whether the store may hold members that the head does not. */
  readonly signals = new StoreSignals();
  /** When ready was last read, epoch ms; 0 = never. */
  readAt = 0;
  fetching = false;
  /** Members that are being pushed into the store and become ready there at once. */
  pushing = 0;
  /** Ask again once the running fetch is over. */
  fetchAgain = false;
  /** Fetches that failed, one after the other. */
  failedFetches = 0;
  /** The next fetch after one that failed is on its way. */
  fetchesLater = false;
  /** Next hidden member becomes visible, epoch ms; 0 = none known. */
  nextVisibleAt = 0;
  /** Earliest lease end that we know of, epoch ms; 0 = none known. */
  nextLeaseEndAt = 0;
  /** Ended leases are being asked for. */
  lookingForEnds = false;
  /** Why the store held members back at the last pop, for `why`. */
  blockedBy: 'concurrency' | 'rate' | undefined;
  lastPollAt = 0;
  /** The common place of the polls that wait here. */
  place: PollPlace | undefined;

  constructor(readonly name: QueueName) {}

  /** Nothing waits here or is expected, and nobody has polled since then. */
  isIdle(since: number): boolean {
    return (
      this.lastPollAt < since &&
      this.parked.size === 0 &&
      this.head.size === 0 &&
      !this.fetching &&
      this.pushing === 0 &&
      this.nextVisibleAt === 0 &&
      this.nextLeaseEndAt === 0 &&
      !this.lookingForEnds
    );
  }

  /** Whether members may be ready that no poll of this node waits for. */
  get hasLeft(): boolean {
    return this.parked.size === 0 && (this.signals.mayHold || this.head.size > 0);
  }

  /** Nothing that this node knows of is on its way to the polls that wait here. */
  get isQuiet(): boolean {
    return this.head.size === 0 && !this.fetching && this.pushing === 0;
  }

  /** Something that was on its way has come or not: polls that waited for it alone leave. */
  settle(): void {
    if (this.leaving.size === 0 || !this.isQuiet) return;
    const leaving = [...this.leaving];
    this.leaving.clear();
    for (const poll of leaving) poll.expire();
  }

  /** The first waiting poll that takes a task in this commit batch. */
  waiting(batch: number): ParkedPoll | undefined {
    for (const poll of this.parked) {
      if (poll.wants(batch) > 0) return poll;
    }
    return undefined;
  }
}
