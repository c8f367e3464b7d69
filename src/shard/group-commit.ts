// Group commit (architecture idea 3): every ready commit of the node goes out in one write while the previous one is in flight. A
// batch holds at most one commit per execution and at most one batch is in flight, so heads follow each other without waiting
// for round trips, and the cost of an fsync is shared by all that became ready meanwhile.
//
// Outcomes (invariants M1 to M3): 'committed' and 'already-applied' open the gate; 'stale-owner' drops the shard, 'wrong-head' the
// execution; a failed or unclear write drops every execution of the node, which then takes its shards again and goes on from what
// is stored.
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
  /** Test only, see config: answers before the commit is durable, to prove that the checks notice. */
  plantReplyBeforeCommit: boolean;
}

interface Entry {
  actor: ExecutionActor;
  flight: Flight;
  commit: Commit;
}

export class GroupCommit {
  #ready = new Set<ExecutionActor>();
  #scheduled = false;
  #inFlight = false;
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
    if (!this.#inFlight && this.#ready.size === 0) return;
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
    if (this.#scheduled || this.#inFlight || this.#halted) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    if (this.#inFlight || this.#halted) return;
    const entries = this.#take();
    if (entries.length === 0) return this.#rest();
    this.#inFlight = true;
    this.sequence += 1;
    const sentAt = this.parts.monotonic();
    let results: CommitResult[];
    try {
      const write = this.parts.store.commit(entries.map((entry) => entry.commit));
      if (this.parts.plantReplyBeforeCommit) for (const { flight } of entries) flight.pass();
      results = await write;
    } catch (error) {
      this.#inFlight = false;
      // Executions that have left memory since were dropped for the same reason; what was loaded anew is not in this batch.
      if (entries.some((entry) => !entry.actor.dropped)) this.parts.failed(error);
      if (this.#ready.size > 0) this.#schedule();
      this.#rest();
      return;
    }
    this.#inFlight = false;
    this.parts.measured(entries.length, this.parts.monotonic() - sentAt);
    for (const [i, entry] of entries.entries()) this.#land(entry, results[i] ?? 'wrong-head');
    if (this.#ready.size > 0) this.#schedule();
    else this.#rest();
  }

  #take(): Entry[] {
    const entries: Entry[] = [];
    for (const actor of this.#ready) {
      if (entries.length >= this.parts.commitsPerBatchMax) break;
      this.#ready.delete(actor);
      const flight = actor.pending;
      if (actor.dropped || flight === undefined || actor.inFlight !== undefined) continue;
      const commit = this.parts.commitOf(actor, flight);
      if (commit === undefined) {
        this.parts.refused(actor, 'stale-owner');
        continue;
      }
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
    if (this.#inFlight || this.#ready.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
