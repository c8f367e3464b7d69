// What queues need from the owners of executions. The shard layer implements it; in a cluster a
// claim travels to the owner's node.
import type { Attempt } from '../store/queue-store.js';
import type { TaskText } from './task-queues.js';

/** A confirmed claim of an attempt that the queue leased (invariants M7). */
export interface Claimed {
  readonly text: TaskText;
  /** First hand-out, epoch ms. */
  readonly startAt: number;
  readonly pollCount: number;
  /** Full length of the lease in ms; 0 = no end. */
  readonly leaseMs: number;
}

export interface AttemptOwner {
  /**
   * Resolves behind the output gate; undefined when the attempt is no longer wanted. Rejects when
   * the owner cannot say now.
   */
  claim(attempt: Attempt, workerId: string | undefined): Promise<Claimed | undefined>;
  /**
   * The lease of an attempt has run out: response timeout. Repeated until the attempt is finished
   * in the queue. False when the attempt is over for its execution, so that the queue may forget
   * it.
   */
  leaseEnded(attempt: Attempt): Promise<boolean>;
  /** A poll takes an attempt that was offered here: delivers or fails the ticket later. */
  claimHeld(attempt: Attempt, ticket: DirectTicket): void;
  /** No poll came for an attempt that was offered here: it goes to the store's queue. */
  pushHeld(attempt: Attempt): void;
  /** The worker of a task that was leased in its commit is gone. */
  returnLease(attempt: Attempt, leaseNumber: number): void;
}

/**
 * A parked poll that will take one task handed over inside its execution's commit (sync match,
 * architecture section 1.5).
 */
export interface DirectTicket {
  readonly workerId: string | undefined;
  /** Behind the gate. `giveBack` is called if the worker turns out to be gone. */
  deliver(text: TaskText, giveBack: () => void): void;
  /** The task could not be had after all; the poll waits on. */
  fail(): void;
}
