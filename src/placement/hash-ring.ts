// Which node each shard belongs to (architecture section 4). Every node computes the same answer
// from the same list of members: a shard goes to the member with the highest hash of (member,
// shard). So a member that joins takes shards from all others alike, one that leaves gives its own
// to all others alike, and no other shard moves.

/**
 * The member for each shard 0 to `shards` - 1; empty when there are no members. Members are node
 * ids; their order does not matter.
 */
export function placeShards(members: readonly string[], shards: number): string[] {
  const seeds = members.map((member) => ({ member, seed: hashText(member) }));
  const placed: string[] = [];
  if (seeds.length === 0) return placed;
  for (let shard = 0; shard < shards; shard++) placed.push(highest(seeds, shard));
  return placed;
}

function highest(seeds: readonly { member: string; seed: number }[], shard: number): string {
  let best = '';
  let bestWeight = -1;
  for (const { member, seed } of seeds) {
    const weight = mix(seed ^ Math.imul(shard + 1, 0x9e3779b1));
    if (weight > bestWeight || (weight === bestWeight && member < best)) {
      best = member;
      bestWeight = weight;
    }
  }
  return best;
}

/** FNV-1a of the UTF-16 units. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** The finaliser of MurmurHash3: every bit of the input changes half of the output's. */
function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
