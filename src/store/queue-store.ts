// Task queues (invariants M7 to M10). One queue per (task type, domain); all keys of a type share a
// slot. A member is one attempt: task id and reopenCount number. All moves are idempotent, and
// batched: each call takes many members of many queues and is sent as one write.
import type { QueueName } from '../engine/decision.js';
import type { TaskId } from '../std/ids.js';

export interface Attempt {
  readonly taskId: TaskId;
  readonly reopenCount: number;
}

/**
 * Limits of the attempt's definition as its execution's snapshot has them (architecture section 3).
 */
export interface AttemptLimits {
  readonly defName: string;
  /** 0 = none. */
  readonly concurrentExecLimit: number;
  readonly rateLimitPerFrequency: number;
  readonly rateLimitFrequencyInSeconds: number;
}

export interface Push {
  readonly queue: QueueName;
  readonly attempt: Attempt;
  /** 0 to 99; 1 most urgent, 0 last class (semantics 5.2). */
  readonly priority: number;
  /** Epoch ms store time before which it stays hidden; 0 = at once. */
  readonly visibleAt: number;
  /** Absent when the definition has no limits, which is the cheap way. */
  readonly limits: AttemptLimits | undefined;
  /**
   * The attempt was given back by its worker (IN_PROGRESS report) when it had been polled so often:
   * moves it from leased unless the lease counts more polls, because that is a later one. 0 = it is
   * not given back.
   */
  readonly givenBackAtPoll: number;
}

export interface Popped {
  readonly attempt: Attempt;
  readonly leaseNumber: number;
}

/** A lease as the queue remembers it. */
export interface LeaseRecord {
  readonly attempt: Attempt;
  readonly leaseNumber: number;
  readonly workerId: string | undefined;
  /** First hand-out, epoch ms. */
  readonly startAt: number;
  readonly pollCount: number;
  /** Epoch ms; 0 = no end. */
  readonly endAt: number;
}

export interface PopResult {
  readonly popped: Popped[];
  /**
   * Members still ready after this pop (so: pop again), or hidden by a limit that a finish will
   * open.
   */
  readonly moreReady: boolean;
  /**
   * When the next hidden member becomes visible, a rate window opens, or the lease ends that holds
   * a slot, epoch ms; 0 = none.
   */
  readonly nextVisibleAt: number;
  /** Why nothing more was given, when members are ready: for `why`. */
  readonly blockedBy: 'concurrency' | 'rate' | undefined;
}

export interface QueueHead {
  /** `urgency`: lower goes first; among equals the order of the list. */
  readonly members: { readonly attempt: Attempt; readonly urgency: number }[];
  readonly hasMore: boolean;
  /**
   * Whether `pop` has to decide: always while members with limits wait, once when hidden are due.
   */
  readonly needsScript: 'no' | 'once' | 'always';
  /** When the next hidden member becomes visible, epoch ms; 0 = none. */
  readonly nextVisibleAt: number;
}

export interface QueueStore {
  /** Adds attempts that are absent (M9), or moves them back (given back, or visible later). */
  push(pushes: readonly Push[]): Promise<void>;
  /**
   * Gives up to `count` visible members a provisional lease of `provisionalLeaseMs`, in order,
   * within the limits.
   */
  pop(queue: QueueName, count: number, provisionalLeaseMs: number): Promise<PopResult>;
  /**
   * The first `limit` members of ready in order, which stay there. For owners that hand them out by
   * grants.
   */
  head(queue: QueueName, limit: number): Promise<QueueHead>;
  /**
   * Owner's claim: sets leases to their full length and writes who holds them. False where the
   * number is not current any more.
   */
  confirm(queue: QueueName, leases: readonly LeaseRecord[]): Promise<boolean[]>;
  /** Provisional leases whose delivery failed go back to ready at once. */
  giveBack(queue: QueueName, popped: readonly Popped[]): Promise<void>;
  /**
   * Attempts no longer wanted: removed wherever they are; frees the slot of the lease that they
   * hold. True when the type has definitions with limits, so that a slot may have become free.
   */
  finish(queue: QueueName, attempts: readonly Attempt[]): Promise<boolean>;
  /** Sets the current lease of the attempt to end at `endAt`. False when it holds none. */
  extend(queue: QueueName, attempt: Attempt, endAt: number): Promise<boolean>;
  /** The leases that the queue remembers, by attempt, in order; undefined where it holds none. */
  leases(queue: QueueName, attempts: readonly Attempt[]): Promise<(LeaseRecord | undefined)[]>;
  /**
   * Ended leases of a queue: provisional ones are put back to ready, full ones are returned (and
   * stay until `finish` or a new push, so that a crash repeats them). Also the next lease end,
   * epoch ms, 0 = none.
   */
  endedLeases(queue: QueueName, limit: number): Promise<{ ended: Attempt[]; nextEndAt: number }>;
  /**
   * Some `limit` leased attempts of a queue, from a cursor on ('0': the beginning); `next` is '0'
   * after the last page. An attempt may come twice, one that is leased all the while comes.
   */
  leasedPage(
    queue: QueueName,
    cursor: string,
    limit: number,
  ): Promise<{ attempts: Attempt[]; next: string }>;
  /** All queues that ever had a member, for sweeps. */
  queues(): Promise<QueueName[]>;
  /** Waiting members (ready and hidden; leased ones are not counted, contract-core 17.2). */
  size(queue: QueueName): Promise<number>;
  /**
   * Since when the attempt is ready that has been ready for longest, epoch ms store time, by queue;
   * undefined where none is. One that came back from a failed delivery has been all the while.
   */
  oldestReady(queues: readonly QueueName[]): Promise<(number | undefined)[]>;
  /** Tasks that each worker holds, by its id ('' for none). Reads all leases of the queues. */
  heldByWorker(queues: readonly QueueName[]): Promise<ReadonlyMap<string, number>[]>;
  /** Waiting and leased. */
  sizes(queues: readonly QueueName[]): Promise<{ waiting: number; leased: number }[]>;
  /**
   * How many ready attempts are handed out before each of these; undefined where it is not ready.
   * For `why`.
   */
  ahead(queue: QueueName, attempts: readonly Attempt[]): Promise<(number | undefined)[]>;
  /** How far the limits of a definition are used up. `now`: store time, epoch ms. For `why`. */
  limitUse(
    queue: QueueName,
    limits: AttemptLimits,
    options: { now: number; holdersMax: number },
  ): Promise<LimitUse>;
  /** Whether attempts wait in the queue. */
  contains(queue: QueueName, attempts: readonly Attempt[]): Promise<boolean[]>;
}

export interface LimitUse {
  /** Leases that count against concurrentExecLimit now. */
  readonly slotsUsed: number;
  /** Tasks that hold them, as many as asked for. */
  readonly holders: readonly TaskId[];
  /** When the rate window lets one more through, epoch ms; 0 = now, or no such limit. */
  readonly opensAt: number;
}

/** Poll data (contract-core 4.6), kept per (type, domain). */
export interface PollData {
  readonly queueName: string;
  readonly domain?: string;
  readonly workerId?: string;
  readonly lastPollTime: number;
}

export interface PollDataStore {
  save(entries: readonly PollData[]): Promise<void>;
  remove(queues: readonly QueueName[]): Promise<void>;
  /** All types when `taskType` is undefined. */
  list(taskType: string | undefined): Promise<PollData[]>;
  /** In the order asked; undefined where nobody has polled. */
  read(queues: readonly QueueName[]): Promise<(PollData | undefined)[]>;
}
