// Group commit (architecture section 1.3): which executions go out together, and when. Commits that
// become ready while a batch is in flight go out together, so that the cost of a call and of an
// fsync is shared. An execution has at most one commit in flight, so its heads follow each other. A
// second batch follows the first before that is confirmed once it is worth a call of its own: node
// and Redis then work at the same time instead of in turns (decision 0003).
//
// Large commits do not hold up small ones. Commits of many records go behind the others of a batch,
// one of them at least. A commit of many bytes goes alone, beside the batches of all others,
// because each of its parts is a write of its own; such commits follow each other.
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
/** Task records of one batch, nearly: encoding them holds the event loop. */
const recordsPerBatchMax = 400;

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

export class GroupCommit {
  readonly #ready = new Set<ExecutionActor>();
  /** Those with many bytes, in the order in which they were found. */
  readonly #large = new Set<ExecutionActor>();
  #isLargeInFlight = false;
  #grants: PendingGrant[] = [];
  #leases = 0;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(
    private readonly store: Pick<ExecutionStore, 'commit'>,
    private readonly commitsPerBatchMax: number,
  ) {}

  /** The actor has something to write. */
  add(actor: ExecutionActor): void {
    this.#ready.add(actor);
  }

  /** Leases that are to ride with the next batch. */
  addGrant(grant: PendingGrant): void {
    this.#grants.push(grant);
    this.#leases += grant.grant.leases.length;
  }

  /** A batch is to go out now. */
  get isDue(): boolean {
    const waiting = this.#ready.size + this.#leases;
    if (this.#large.size > 0 && !this.#isLargeInFlight) return true;
    if (waiting === 0) return false;
    if (this.#inFlight === 0) return true;
    return this.#inFlight < batchesInFlightMax && waiting >= writesPerFurtherBatchMin;
  }

  /** So many wait that nothing that can wait is to be added. */
  get isCrowded(): boolean {
    return this.#ready.size >= crowdMin;
  }

  takeGrants(): PendingGrant[] {
    const grants = this.#grants;
    if (grants.length === 0) return [];
    this.#grants = [];
    this.#leases = 0;
    return grants;
  }

  /** The executions of the next batch. */
  take(): ExecutionActor[] {
    const actors: ExecutionActor[] = [];
    const long: ExecutionActor[] = [];
    let records = 0;
    for (const actor of this.#ready) {
      if (actors.length >= this.commitsPerBatchMax || records >= recordsPerBatchMax) break;
      const { pending } = actor;
      // One that has a commit in flight is added again when that has landed.
      if (actor.isDropped || actor.isInFlight || pending === undefined) this.#ready.delete(actor);
      else if (isLarge(actor, pending)) {
        this.#ready.delete(actor);
        this.#large.add(actor);
      } else if (pending.size > recordsOfSmallMax) long.push(actor);
      else {
        this.#ready.delete(actor);
        records += pending.size;
        actors.push(actor);
      }
    }
    for (const [at, actor] of long.entries()) {
      if (at > 0 && records >= recordsPerBatchMax) break;
      this.#ready.delete(actor);
      records += actor.pending?.size ?? 0;
      actors.push(actor);
    }
    return actors;
  }

  /** An execution whose commit goes alone, when none is on its way. */
  takeLarge(): ExecutionActor | undefined {
    if (this.#isLargeInFlight) return undefined;
    for (const actor of this.#large) {
      this.#large.delete(actor);
      if (!actor.isDropped && !actor.isInFlight && actor.pending !== undefined) return actor;
    }
    return undefined;
  }

  /** Writes a batch; results in order. Rejects when the outcome is unclear. */
  async write(
    commits: readonly Commit[],
    grants: readonly LeaseGrant[],
    lane: 'usual' | 'large' = 'usual',
  ): Promise<BatchResult> {
    this.#began(lane, 1);
    try {
      return await this.store.commit(commits, grants);
    } finally {
      this.#began(lane, -1);
    }
  }

  #began(lane: 'usual' | 'large', count: 1 | -1): void {
    if (lane === 'usual') this.#inFlight += count;
    else this.#isLargeInFlight = count > 0;
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
    if (this.#isLargeInFlight || this.#large.size > 0) return false;
    return this.#inFlight === 0 && this.#ready.size === 0 && this.#leases === 0;
  }
}

function isLarge({ open }: ExecutionActor, pending: PendingCommit): boolean {
  if (pending.hasCharsBeyond(charsOfLargeMin)) return true;
  return pending.changes.created && open.execution.input.size > charsOfLargeMin;
}
