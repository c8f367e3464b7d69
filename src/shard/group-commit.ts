// Group commit (architecture idea 3): what becomes ready while a batch is in flight goes out
// together, so that the cost of a call and of an fsync is shared. An execution has at most one
// commit in flight, so its heads follow each other. A second batch follows the first before that is
// confirmed once it is worth a call of its own: node and Redis then work at the same time instead
// of in turns (docs/decisions/0003).
//
// Outcomes (invariants M1 to M3): 'committed' and 'already-applied' open the gate; 'stale-owner'
// drops the shard, 'wrong-head' the execution; a failed or unclear write drops every execution of
// the node, which then takes its shards again and goes on from what is stored.
import type { Commit, CommitResult, ExecutionStore } from '../store/execution-store.js';
import type { ExecutionActor } from './execution-actor.js';
import type { Flight } from './flight.js';

export interface GroupCommitParts {
  store: ExecutionStore;
  /** What to write for an actor's flight; undefined when its shard is no longer this node's. */
  commitOf: (actor: ExecutionActor, flight: Flight) => Commit | undefined;
  landed: (actor: ExecutionActor, flight: Flight, commit: Commit) => void;
  refused: (actor: ExecutionActor, result: 'stale-owner' | 'wrong-head') => void;
  /** The write as a whole failed. */
  failed: (error: unknown) => void;
  /** Measures: size of the batch and time from the write to its confirmation, ms. */
  measured: (size: number, gateMs: number) => void;
  monotonic: () => number;
  commitsPerBatchMax: number;
  /**
   * Test only, see config: answers before the commit is durable, to prove that the checks notice.
   */
  plantReplyBeforeCommit: boolean;
}

/**
 * Batches in flight at a time: one at Redis, one on its way there, one on its way back, one spare.
 */
const batchesInFlightMax = 4;
/**
 * While a batch is in flight the next one waits for so many commits: a call costs as much as
 * several of them.
 */
const commitsPerFurtherBatchMin = 16;
/** Task records of one batch, nearly: encoding them holds the event loop. */
const recordsPerBatchMax = 400;

interface Entry {
  actor: ExecutionActor;
  flight: Flight;
  commit: Commit;
}

export class GroupCommit {
  #ready = new Set<ExecutionActor>();
  #scheduled = false;
  #inFlight = 0;
  #halted = false;
  /** Number of the batch that is being collected. */
  sequence = 0;
  #idle: (() => void)[] = [];

  constructor(private readonly parts: GroupCommitParts) {}

  get waiting(): number {
    return this.#ready.size;
  }

  /** The actor has something to write. */
  ready(actor: ExecutionActor): void {
    this.#ready.add(actor);
    this.#schedule();
  }

  /** Resolves when nothing is waiting or in flight. */
  async drained(): Promise<void> {
    if (this.#inFlight === 0 && this.#ready.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Takes nothing more out until `resume`: the store is away. */
  halt(): void {
    this.#halted = true;
    this.#ready.clear();
  }

  resume(): void {
    this.#halted = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#mayFlush()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush();
    });
  }

  #mayFlush(): boolean {
    if (this.#halted) return false;
    if (this.#inFlight === 0) return true;
    return this.#inFlight < batchesInFlightMax && this.#ready.size >= commitsPerFurtherBatchMin;
  }

  async #flush(): Promise<void> {
    if (!this.#mayFlush()) return;
    const entries = this.#take();
    if (entries.length === 0) return this.#rest();
    this.#inFlight += 1;
    this.sequence += 1;
    if (this.#ready.size > 0) this.#schedule();
    const sentAt = this.parts.monotonic();
    let results: CommitResult[];
    try {
      const write = this.parts.store.commit(entries.map((entry) => entry.commit));
      if (this.parts.plantReplyBeforeCommit) for (const { flight } of entries) flight.pass();
      results = (await write).commits;
    } catch (error) {
      this.#inFlight -= 1;
      // Executions that have left memory since were dropped for the same reason; what was loaded
      // anew is not in this batch.
      if (entries.some((entry) => !entry.actor.dropped)) this.parts.failed(error);
      if (this.#ready.size > 0) this.#schedule();
      this.#rest();
      return;
    }
    this.#inFlight -= 1;
    this.parts.measured(entries.length, this.parts.monotonic() - sentAt);
    for (const [i, entry] of entries.entries()) this.#land(entry, results[i] ?? 'wrong-head');
    if (this.#ready.size > 0) this.#schedule();
    else this.#rest();
  }

  #take(): Entry[] {
    const entries: Entry[] = [];
    let records = 0;
    for (const actor of this.#ready) {
      if (entries.length >= this.parts.commitsPerBatchMax || records >= recordsPerBatchMax) break;
      this.#ready.delete(actor);
      const flight = actor.pending;
      if (actor.dropped || flight === undefined || actor.inFlight !== undefined) continue;
      const commit = this.parts.commitOf(actor, flight);
      if (commit === undefined) {
        this.parts.refused(actor, 'stale-owner');
        continue;
      }
      records += flight.changes.tasks.size;
      actor.pending = undefined;
      actor.inFlight = flight;
      entries.push({ actor, flight, commit });
    }
    return entries;
  }

  #land(entry: Entry, result: CommitResult): void {
    const { actor, flight, commit } = entry;
    if (actor.dropped) return;
    if (result === 'stale-owner' || result === 'wrong-head') {
      this.parts.refused(actor, result);
      return;
    }
    actor.inFlight = undefined;
    this.parts.landed(actor, flight, commit);
    if (actor.pending !== undefined) this.#ready.add(actor);
  }

  #rest(): void {
    if (this.#inFlight > 0 || this.#ready.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
