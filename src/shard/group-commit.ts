// Group commit (architecture section 1.3): which executions go out together, and when. Commits that
// become ready while a batch is in flight go out together, so that the cost of a call and of an
// fsync is shared. An execution has at most one commit in flight, so its heads follow each other. A
// second batch follows the first before that is confirmed once it is worth a call of its own: node
// and Redis then work at the same time instead of in turns (decision 0003).
//
// Large commits do not hold up small ones. Commits of many records go behind the others of a batch,
// one of them at least. A commit of many bytes goes alone, beside the batches of all others,
// because each of its parts is a write of its own; such commits of one lane follow each other.
//
// On a Redis Cluster each partition has a lane of its own, with its own batches in flight: where
// the primary of one is away, neither the outcome nor the wait is that of the others. One Redis is
// one lane.
import type { BatchResult, Commit, ExecutionStore, LeaseGrant } from '../store/execution-store.js';
import type { ExecutionActor } from './execution-actor.js';
import type { PendingCommit } from './pending-commit.js';

/**
 * Batches in flight at a time: one at Redis, one on its way there, one on its way back, one spare.
 */
const batchesInFlightMax = 4;
/**
 * While a batch is in flight the next one waits for so many commits and leases: a call costs as
 * much as several of them.
 */
const writesPerFurtherBatchMin = 16;
/** A commit of more records than these goes behind the others. */
const recordsOfSmallMax = 30;
/** A commit of so many characters of payload goes alone. */
const charsOfLargeMin = 256 * 1024;
/** Executions that wait for a batch beyond which work that can wait does. */
const crowdMin = 200;

/** Leases for one poll on their way to the store. */
export interface PendingGrant {
  readonly grant: LeaseGrant;
  /** Shards of the executions whose attempts are leased. */
  readonly shards: readonly number[];
  /** Per lease whether it stands. */
  granted(isLeased: readonly boolean[]): void;
  fail(error: unknown): void;
}

interface Lane {
  readonly ready: Set<ExecutionActor>;
  /** Those with many bytes, in the order in which they were found. */
  readonly large: Set<ExecutionActor>;
  /** Batches; a commit that goes alone is none. */
  inFlight: number;
  isLargeInFlight: boolean;
}

export class GroupCommit {
  /** By number; the one that was written last stands last. */
  readonly #lanes = new Map<number, Lane>();
  #grants: PendingGrant[] = [];
  #leases = 0;
  #idle: (() => void)[] = [];

  constructor(
    private readonly store: Pick<ExecutionStore, 'commit' | 'laneOf'>,
    /** Commits of one batch, and task records, nearly: encoding and landing them hold the loop. */
    private readonly commitsPerBatchMax: number,
  ) {}

  /** The actor has something to write. */
  add(actor: ExecutionActor): void {
    this.#laneOf(actor.shard).ready.add(actor);
  }

  #laneOf(shard: number): Lane {
    const number = this.store.laneOf(shard);
    let lane = this.#lanes.get(number);
    if (lane === undefined) {
      lane = { ready: new Set(), large: new Set(), inFlight: 0, isLargeInFlight: false };
      this.#lanes.set(number, lane);
    }
    return lane;
  }

  /** Leases that are to ride with the next batch: there is one lane where they do. */
  addGrant(grant: PendingGrant): void {
    this.#grants.push(grant);
    this.#leases += grant.grant.leases.length;
  }

  /** A batch is to go out now. */
  get isDue(): boolean {
    if (this.#leases > 0 && this.#lanes.size === 0) return true;
    for (const lane of this.#lanes.values()) {
      if (lane.large.size > 0 && !lane.isLargeInFlight) return true;
      if (this.#isBatchDue(lane)) return true;
    }
    return false;
  }

  #dueLane(): [number, Lane] | undefined {
    for (const entry of this.#lanes) if (this.#isBatchDue(entry[1])) return entry;
    return undefined;
  }

  #isBatchDue({ ready, inFlight }: Lane): boolean {
    const waiting = ready.size + this.#leases;
    if (waiting === 0) return false;
    if (inFlight === 0) return true;
    return inFlight < batchesInFlightMax && waiting >= writesPerFurtherBatchMin;
  }

  /** So many wait that nothing that can wait is to be added. */
  get isCrowded(): boolean {
    let waiting = 0;
    for (const { ready } of this.#lanes.values()) waiting += ready.size;
    return waiting >= crowdMin;
  }

  takeGrants(): PendingGrant[] {
    const grants = this.#grants;
    if (grants.length === 0) return [];
    this.#grants = [];
    this.#leases = 0;
    return grants;
  }

  /** The executions of the next batch, all of one lane. */
  take(): ExecutionActor[] {
    const due = this.#dueLane();
    if (due === undefined) return [];
    const [number, lane] = due;
    this.#lanes.delete(number);
    this.#lanes.set(number, lane);
    return this.#takeOf(lane);
  }

  #takeOf({ ready, large }: Lane): ExecutionActor[] {
    const actors: ExecutionActor[] = [];
    const long: ExecutionActor[] = [];
    const most = this.commitsPerBatchMax;
    let records = 0;
    for (const actor of ready) {
      if (Math.max(actors.length, records) >= most) break;
      const { pending } = actor;
      // One that has a commit in flight is added again when that has landed.
      if (actor.isDropped || actor.isInFlight || pending === undefined) ready.delete(actor);
      else if (isLarge(actor, pending)) {
        ready.delete(actor);
        large.add(actor);
      } else if (pending.size > recordsOfSmallMax) long.push(actor);
      else {
        ready.delete(actor);
        records += pending.size;
        actors.push(actor);
      }
    }
    for (const [at, actor] of long.entries()) {
      if (at > 0 && records >= most) break;
      ready.delete(actor);
      records += actor.pending?.size ?? 0;
      actors.push(actor);
    }
    return actors;
  }

  /** An execution whose commit goes alone, of a lane where none is on its way. */
  takeLarge(): ExecutionActor | undefined {
    for (const { large, isLargeInFlight } of this.#lanes.values()) {
      if (isLargeInFlight) continue;
      for (const actor of large) {
        large.delete(actor);
        if (!actor.isDropped && !actor.isInFlight && actor.pending !== undefined) return actor;
      }
    }
    return undefined;
  }

  /** Writes what was taken; results in order. Rejects when the outcome is unclear. */
  async write(
    commits: readonly Commit[],
    grants: readonly LeaseGrant[],
    size: 'usual' | 'large' = 'usual',
  ): Promise<BatchResult> {
    const lane = this.#laneOf(commits[0]?.fence.shard ?? 0);
    const count = (change: 1 | -1): void => {
      if (size === 'usual') lane.inFlight += change;
      else lane.isLargeInFlight = change > 0;
    };
    count(1);
    try {
      return await this.store.commit(commits, grants);
    } finally {
      count(-1);
    }
  }

  /** Resolves when nothing is waiting or in flight. */
  async drained(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** A batch has landed: tells those who wait for rest. */
  rest(): void {
    if (!this.isIdle) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  private get isIdle(): boolean {
    if (this.#leases > 0) return false;
    return [...this.#lanes.values()].every(
      ({ ready, large, inFlight, isLargeInFlight }) =>
        inFlight === 0 && !isLargeInFlight && ready.size === 0 && large.size === 0,
    );
  }
}

function isLarge({ open }: ExecutionActor, pending: PendingCommit): boolean {
  if (pending.hasCharsBeyond(charsOfLargeMin)) return true;
  return pending.changes.created && open.execution.input.size > charsOfLargeMin;
}
