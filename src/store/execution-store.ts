// Executions in the store. Commits are fenced and chained (invariants M1, M2): each names its
// shard's owner record (epoch and token), the head it builds on and the head it makes.
import type { ExecutionId } from '../std/ids.js';
import type { Execution } from '../model/execution.js';
import type { Changes, QueueName } from '../engine/decision.js';
import type { HeldLoad } from './held-store.js';
import type { Attempt, LeaseRecord } from './queue-store.js';

/** Proves ownership of a shard; compared for equality in every script that writes for it. */
export interface Fence {
  readonly shard: number;
  readonly epoch: number;
  /** 128 random bits, hex. */
  readonly token: string;
}

/**
 * One execution's part of a batch. Encoded synchronously by `commit`, so the execution may move on
 * right afterwards.
 */
export interface Commit {
  readonly fence: Fence;
  readonly execution: Execution;
  readonly changes: Changes;
  /** Head the commit builds on; '' for the first commit of an execution. */
  readonly head: string;
  readonly nextHead: string;
  /** New durable wake-up, epoch ms; 0 removes it; undefined leaves it as it is. */
  readonly wakeAt: number | undefined;
  /** Sets or clears the execution's mark in the shard's dirty set; undefined leaves it. */
  readonly dirty: boolean | undefined;
  /**
   * The execution is terminal and settled: rewrite it as one compact record that expires at this
   * time (epoch ms).
   */
  readonly compactUntilAt: number | undefined;
  /**
   * Stored as a compact record until now: delete that, stop its expiry and write every part of the
   * execution as a hash again.
   */
  readonly rewrite: boolean;
  /** Remove everything (remove operation). */
  readonly remove: boolean;
  /** Idempotency record to set with the first commit, to point at this execution. */
  readonly idempotency: { name: string; key: string; counter: number } | undefined;
  /** The load of the execution with this commit; absent: unknown. */
  readonly load?: HeldLoad;
  /**
   * Moves of its tasks in their queues, applied in the same write. None where
   * `movesRideWithCommits` is false.
   */
  readonly moves: readonly QueueMove[];
}

/** A task's move in its queue that is applied together with the commit that decides it. */
export type QueueMove =
  /**
   * The attempt became SCHEDULED: adds it to ready unless it is in the queue already (invariants
   * M9). For attempts without limits and without delay.
   */
  | {
      readonly kind: 'ready';
      readonly queue: QueueName;
      readonly attempt: Attempt;
      /** 0 to 99, as in a push. */
      readonly priority: number;
      /** It was never in its queue, so it need not be searched for there. */
      readonly isNew: boolean;
    }
  /**
   * The attempt is over: removes it from ready and from the leases. For attempts without limits
   * that no push has delayed; of others `QueueStore.finish` frees the slot and looks everywhere.
   */
  | { readonly kind: 'done'; readonly queue: QueueName; readonly attempt: Attempt };

/**
 * Takes attempts that their owner holds in memory out of ready and into the leases, for one poll
 * (invariants M7). An attempt is in ready only while it is wanted, so its being there is what
 * decides.
 */
export interface LeaseGrant {
  readonly queue: QueueName;
  /** Full leases, of attempts without limits; each attempt once. */
  readonly leases: readonly LeaseRecord[];
}

export interface BatchResult {
  /** In the order of the batch. */
  readonly commits: CommitResult[];
  /**
   * Per grant and lease: true when the lease stands; false when the attempt was not in ready, so
   * that a pop has it, or nobody wants it.
   */
  readonly grants: boolean[][];
}

export type CommitResult =
  | 'committed'
  /** The stored head was already the one to make (a repeated batch). */
  | 'already-applied'
  /** Another owner has the shard: drop every actor of it. */
  | 'stale-owner'
  /** The stored head is another one: drop this execution's actor. */
  | 'wrong-head'
  | Unwritable;

/**
 * The commit could not be put into the form of the store: nothing of it was sent, the others of its
 * batch were (invariants M19).
 */
export interface Unwritable {
  readonly kind: 'unwritable';
  /** Why, as a clause: "one of its values is ...". */
  readonly reason: string;
}

export interface ExecutionStore {
  /**
   * True where queues and executions share a store without slots (one Redis, Sentinel): then moves
   * and grants ride with commits. False on a cluster, where an execution and its queue share none.
   */
  readonly movesRideWithCommits: boolean;
  /**
   * Shards of one lane are written as one; those of different lanes lie on different servers, each
   * of which may be away (a partition of a cluster). Where moves ride with commits there is one.
   */
  laneOf(shard: number): number;
  /**
   * False on a cluster: a failover of one of its primaries may undo writes without any node being
   * told (placement/membership.ts).
   */
  readonly noticesFailovers: boolean;
  /**
   * Writes a batch in one write, one call per slot; each commit has its own result. Grants are
   * applied after the commits; a batch may hold grants alone. Rejects when the outcome is unclear
   * or the store refuses (`StoreError`); then nothing may be assumed about any of them (M3).
   */
  commit(batch: readonly Commit[], grants?: readonly LeaseGrant[]): Promise<BatchResult>;
  /** undefined when there is no such execution. Heads of finished ones work too. */
  load(shard: number, id: ExecutionId): Promise<StoredExecution | undefined>;
  /**
   * Clears executions from the dirty set of their shard, fenced; executions that were marked again
   * stay marked by their owner.
   */
  clearDirty(fence: Fence, ids: readonly ExecutionId[]): Promise<void>;
  /**
   * When the first of a shard's open executions wakes up, epoch ms; Infinity when none of them
   * does; undefined when none is open.
   */
  firstOpenAt(shard: number): Promise<number | undefined>;
  /** Wake-ups of a shard due before `untilAt`, earliest first, at most `limit`. */
  dueWakeUps(
    shard: number,
    untilAt: number,
    limit: number,
  ): Promise<{ id: ExecutionId; at: number }[]>;
  /** Ids of a shard's open executions, `limit` from `offset` on, and whether there are more. */
  open(
    shard: number,
    offset: number,
    limit: number,
  ): Promise<{ ids: ExecutionId[]; more: boolean }>;
  /** Executions with outbox messages or queue pushes that may be unconfirmed. */
  dirty(shard: number): Promise<ExecutionId[]>;
  idempotency(
    shard: number,
    name: string,
    key: string,
  ): Promise<{ executionId: ExecutionId; counter: number } | undefined>;
  /** Ids of non-terminal executions of a workflow name, oldest first. */
  running(name: string): Promise<ExecutionId[]>;
  /** Ids of executions with a correlation id, oldest first. */
  correlated(name: string, correlationId: string): Promise<ExecutionId[]>;
  /** Ids by start time window (epoch ms, inclusive), oldest first. */
  startedBetween(name: string, fromAt: number, untilAt: number): Promise<ExecutionId[]>;
}

export interface StoredExecution {
  readonly execution: Execution;
  readonly head: string;
  /** Durable wake-up as stored, 0 when none. */
  readonly wakeAt: number;
  readonly dirty: boolean;
  /** Stored as the compact record of a finished execution. */
  readonly compact: boolean;
}

/** A failed store call; `outcome` tells whether it may have been applied (invariants M3). */
export class StoreError extends Error {
  constructor(
    readonly outcome: 'not-applied' | 'unclear',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StoreError';
  }
}
