// Which node serves each shard, as far as this node knows: from its own ownership, from what other
// nodes tell, and from the store when nothing else is known. Every piece of news carries the epoch
// of the owner record, so older news never replaces newer. After a failover of the store epochs may
// begin again at an earlier one: what the store itself says always counts.
import { within, type Clock } from '../std/clock.js';

export interface ShardOwner {
  readonly nodeId: string;
  readonly epoch: number;
}

/** News of owners as it travels between nodes: shard, epoch in turn. */
export type OwnershipNews = readonly (readonly [shard: number, epoch: number])[];

export class ShardMap {
  readonly #owners: (ShardOwner | undefined)[];
  /** Newest epoch heard of, also of owners that have gone. */
  readonly #epochs: number[];
  readonly #waiting = new Map<number, Set<() => void>>();

  constructor(
    readonly shards: number,
    private readonly clock: Clock,
  ) {
    this.#owners = new Array<undefined>(shards).fill(undefined);
    this.#epochs = new Array<number>(shards).fill(0);
  }

  ownerOf(shard: number): ShardOwner | undefined {
    return this.#owners[shard];
  }

  /** Ids of the nodes that serve any shard. */
  get owners(): ReadonlySet<string> {
    return new Set(this.#owners.flatMap((owner) => owner?.nodeId ?? []));
  }

  /** How many shards a node serves. */
  countOf(nodeId: string): number {
    return this.#owners.reduce((count, owner) => count + (owner?.nodeId === nodeId ? 1 : 0), 0);
  }

  /** Shards without a known owner. */
  get unserved(): number[] {
    return this.#owners.flatMap((owner, shard) => (owner === undefined ? [shard] : []));
  }

  /** A node says that it serves a shard under this epoch. False when newer news is known. */
  learn(shard: number, nodeId: string, epoch: number): boolean {
    if (epoch < (this.#epochs[shard] as number)) return false;
    this.set(shard, nodeId, epoch);
    return true;
  }

  /** The store says that a node serves a shard under this epoch. */
  set(shard: number, nodeId: string, epoch: number): void {
    this.#epochs[shard] = epoch;
    this.#owners[shard] = { nodeId, epoch };
    const waiting = this.#waiting.get(shard);
    this.#waiting.delete(shard);
    for (const resolve of waiting ?? []) resolve();
  }

  /** The node does not serve the shard (under this epoch); other news stays. */
  forget(shard: number, nodeId: string, epoch?: number): void {
    const owner = this.#owners[shard];
    if (owner?.nodeId !== nodeId || (epoch !== undefined && owner.epoch !== epoch)) return;
    this.#owners[shard] = undefined;
  }

  /** The node is gone: nobody is known to serve its shards, which are returned. */
  forgetNode(nodeId: string): number[] {
    const lost: number[] = [];
    this.#owners.forEach((owner, shard) => {
      if (owner?.nodeId !== nodeId) return;
      this.#owners[shard] = undefined;
      lost.push(shard);
    });
    return lost;
  }

  /** Resolves when news of the shard's owner arrives, or after `timeoutMs`. */
  async news(shard: number, timeoutMs: number): Promise<void> {
    const waiting = this.#waiting.get(shard) ?? new Set();
    this.#waiting.set(shard, waiting);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    waiting.add(arrive);
    await within(this.clock, arrived, timeoutMs);
    waiting.delete(arrive);
  }
}
