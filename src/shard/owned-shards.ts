// The shards that this node owns now, as their fences say (invariants M1). Placement takes and
// drops them, executions read them. A fence is a new object at every acquisition, so a caller that
// holds one can tell whether the shard was lost in between.
import type { Fence } from '../store/execution-store.js';

export interface NodeLease {
  /** For all shards. */
  readonly holdsLease: boolean;
  /** Where a shard may have a lease beside it: for this one. */
  holdsLeaseOf(shard: number): boolean;
}

export class OwnedShards {
  readonly #fences: (Fence | undefined)[] = [];
  #all: readonly number[] = [];
  /** Being handed over: no new command is taken. */
  readonly #closed = new Set<number>();

  /**
   * Once the lease has ended another node may have taken the shards without the knowledge of this
   * one: writes are fenced, but nothing may be answered from memory.
   */
  constructor(private readonly lease: NodeLease) {}

  get all(): readonly number[] {
    return this.#all;
  }

  /** undefined when the shard is not this node's. */
  fenceOf(shard: number): Fence | undefined {
    return this.#fences[shard];
  }

  has(shard: number): boolean {
    return this.#fences[shard] !== undefined;
  }

  /** Whether commands for the shard are taken here, and its executions read from memory. */
  accepts(shard: number): boolean {
    return this.#fences[shard] !== undefined && !this.#closed.has(shard) && this.#holds(shard);
  }

  /** Whether any shard takes commands here. */
  get acceptsAny(): boolean {
    if (this.lease.holdsLease) return this.#all.length > this.#closed.size;
    return this.#all.some((shard) => this.accepts(shard));
  }

  /** Shards in which executions may be started here. */
  get accepting(): readonly number[] {
    if (this.#closed.size === 0 && this.lease.holdsLease) return this.#all;
    return this.#all.filter((shard) => this.accepts(shard));
  }

  /** No new command is taken for these shards from now on; `drop` follows. */
  close(shards: readonly number[]): void {
    for (const shard of shards) this.#closed.add(shard);
  }

  take(fences: readonly Fence[]): void {
    for (const fence of fences) this.#fences[fence.shard] = fence;
    this.#list();
  }

  drop(shards: Iterable<number>): void {
    for (const shard of shards) {
      this.#fences[shard] = undefined;
      this.#closed.delete(shard);
    }
    this.#list();
  }

  #holds(shard: number): boolean {
    return this.lease.holdsLease || this.lease.holdsLeaseOf(shard);
  }

  #list(): void {
    this.#all = this.#fences.flatMap((fence) => (fence === undefined ? [] : fence.shard));
  }
}
