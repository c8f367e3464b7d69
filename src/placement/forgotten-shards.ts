// Shards that a node has forgotten although the store says they are its own: a taking or a release
// whose outcome was unclear while the shard was placed elsewhere, or an owner record that a
// failover has brought back. While that node has its lease nobody may take such a shard (invariants
// M1), so the node that wants it says so to the one that is named, and that one gives it back.
import type { OwnedShards } from '../shard/owned-shards.js';
import type { ShardStore } from '../store/shard-store.js';
import type { Membership } from './membership.js';

export class ForgottenShards {
  readonly #named = new Set<number>();

  constructor(
    private readonly store: ShardStore,
    private readonly membership: Membership,
    private readonly owned: OwnedShards,
  ) {}

  /** Another node wants these shards of this one; true when it does not serve some of them. */
  named(shards: readonly number[]): boolean {
    const forgotten = shards.filter((shard) => !this.owned.has(shard));
    for (const shard of forgotten) this.#named.add(shard);
    return forgotten.length > 0;
  }

  /**
   * Frees those that are still this node's by their owner records and not placed on it (`target`:
   * node id per shard): it takes each, so that nothing of its own under way can count any more, and
   * releases it. Gives those that it freed: the node that they are placed on may believe to have
   * them. Rejects without the store; then the next call tries again.
   */
  async giveBack(target: readonly string[]): Promise<number[]> {
    if (this.#named.size === 0) return [];
    const { self } = this.membership;
    const asked = [...this.#named];
    const idle = asked.filter((shard) => !this.owned.has(shard) && target[shard] !== self.nodeId);
    const { owners, unread } = await this.store.ownersOf(idle);
    const mine = owners.flatMap(({ shard, nodeId }) => (nodeId === self.nodeId ? [shard] : []));
    const { fences } = await this.store.acquire(self, mine);
    await this.store.release(fences);
    const isUnread = new Set(unread);
    for (const shard of asked) if (!isUnread.has(shard)) this.#named.delete(shard);
    return fences.map(({ shard }) => shard);
  }
}
