// The port by which queues ask the owners of executions. The shard layer implements it; in a
// cluster a claim travels to the owner's node.
import type { QueueName } from '../engine/decision.js';
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

/** An attempt of the head with its lease in the store. */
export interface Leased {
  readonly text: TaskText;
  readonly leaseNumber: number;
  /** Epoch ms; 0 = no end. */
  readonly endAt: number;
}

/**
 * 'over': not wanted any more. 'taken': somebody else has it. 'later': its execution is in the
 * middle of a transition, or cannot be loaded now, or the attempt is still to be pushed.
 * 'by-script': the lease would have no end.
 */
export type NotLeased = 'over' | 'taken' | 'later' | 'by-script';

/** Attempts of the head of a queue that one poll is to get. */
export interface LeaseWish {
  readonly queue: QueueName;
  readonly attempts: readonly Attempt[];
  readonly workerId: string | undefined;
  /** Leases without an end are refused. */
  readonly mustEnd?: boolean;
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
  /** Whether this node owns any execution: else nothing can be claimed. */
  readonly isServing: boolean;
  /** Whether this node owns the attempt's execution. */
  owns(attempt: Attempt): boolean;
  /**
   * Leases attempts of the head for one poll, in one write that rides with the next commits.
   * Resolves behind the output gate, in order. Rejects when the write failed: then the executions
   * are dropped.
   */
  lease(wish: LeaseWish): Promise<(Leased | NotLeased)[]>;
  /** The worker of a task that was leased in its execution's commit is gone. */
  returnLease(attempt: Attempt, leaseNumber: number): void;
}

/** The keeper of a lease: the queue, or the execution in its record (sync match). */
export type LeaseKeeper = 'queue' | 'execution';

/** Room for one task in a parked poll; delivered or failed, once. */
export interface Ticket {
  readonly workerId: string | undefined;
  /** Behind the gate. */
  deliver(text: TaskText, lease: HeldLease): void;
  /** The task was not handed out after all; the poll waits on. */
  fail(): void;
}

/** A lease that is given back when its worker is gone. */
export interface HeldLease {
  readonly attempt: Attempt;
  readonly leaseNumber: number;
  readonly keeper: LeaseKeeper;
}
