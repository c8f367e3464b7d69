// Shards about whose owner this node is in doubt: nobody is known to serve them, or their owner
// told of an older epoch than is known. Then the news is late, or the store has failed over to an
// earlier moment, and the owner record of this node may be gone as well. The store is asked, and
// what it says counts.
import type { ForgottenShards } from './forgotten-shards.js';
import type { PlacementParts } from './placement-parts.js';
import { shardNotices } from './shard-notices.js';

export class DoubtfulOwners {
  readonly #shards = new Set<number>();

  constructor(
    private readonly parts: PlacementParts,
    private readonly forgotten: ForgottenShards,
  ) {}

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  add(shard: number): void {
    this.#shards.add(shard);
  }

  /**
   * Asks the store (`target`: node id per shard). Gives the shards that this node believed to own
   * and does not. A record that names this node for a shard that it does not have is a forgotten
   * one; a free shard is the business of the node that it is placed on, which may believe to have
   * it. That node is told at every turn, because notices may be lost.
   */
  async settle(target: readonly string[]): Promise<number[]> {
    const { store, owned, map, membership } = this.parts;
    const { nodeId: self } = membership.self;
    for (const shard of map.unserved) this.#shards.add(shard);
    if (this.#shards.size === 0) return [];
    const shards = [...this.#shards];
    const { owners, unread } = await store.ownersOf(shards);
    const found = new Map(owners.map((owner) => [owner.shard, owner]));
    const isUnread = new Set(unread);
    const lost: number[] = [];
    for (const shard of shards) {
      if (isUnread.has(shard)) continue;
      this.#shards.delete(shard);
      const owner = found.get(shard);
      const fence = owned.fenceOf(shard);
      const isOurs = owner?.nodeId === self && owner.token === fence?.token;
      if (fence !== undefined && !isOurs) lost.push(shard);
      if (owner === undefined) this.#isFree(shard, target[shard]);
      else if (owner.nodeId !== self) map.set(shard, owner.nodeId, owner.epoch);
      else if (fence === undefined) this.forgotten.named([shard]);
    }
    return lost;
  }

  /** News of its owner is out of date: the store is asked until somebody has the shard. */
  #isFree(shard: number, nodeId: string | undefined): void {
    const { peers, membership, map } = this.parts;
    const known = map.ownerOf(shard);
    if (known !== undefined) map.forget(shard, known.nodeId);
    if (nodeId === undefined || nodeId === membership.self.nodeId) return;
    peers.notify(nodeId, shardNotices.released, [shard]);
  }
}
