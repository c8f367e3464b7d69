// Which shards are still this node's after a time without its lease. The node was paused, or the
// store did not answer: a stall of the disk under a Redis that confirms every write on disk is
// enough. A node that took a shard meanwhile has put an owner record of its own in place of this
// node's, and nothing else can write for the shard (invariants M1). So a shard whose record is
// still the one that this node wrote has not changed, and its executions stay in memory.
import type { OwnedShards } from '../shard/owned-shards.js';
import type { Fence } from '../store/execution-store.js';
import type { ShardStore } from '../store/shard-store.js';

export interface KeptShards {
  readonly kept: readonly number[];
  readonly taken: readonly number[];
}

/**
 * Asks the store about all that this node owns; to be called once the lease stands again. Shards
 * that are lost in another way meanwhile are in neither list. Rejects without the store.
 */
export async function findKeptShards(
  store: Pick<ShardStore, 'ownersOf'>,
  owned: OwnedShards,
): Promise<KeptShards> {
  const fences = owned.all.flatMap((shard) => owned.fenceOf(shard) ?? []);
  const owners = await store.ownersOf(fences.map(({ shard }) => shard));
  const found = new Map(owners.map((owner) => [owner.shard, owner]));
  const kept: number[] = [];
  const taken: number[] = [];
  for (const fence of fences) {
    const { shard } = fence;
    if (owned.fenceOf(shard) !== fence) continue;
    (isSame(found.get(shard), fence) ? kept : taken).push(shard);
  }
  return { kept, taken };
}

function isSame(owner: Pick<Fence, 'epoch' | 'token'> | undefined, fence: Fence): boolean {
  return owner?.epoch === fence.epoch && owner.token === fence.token;
}
