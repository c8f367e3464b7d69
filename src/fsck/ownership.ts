// Owner records and node leases (invariants M1): each shard has an owner that lives, once any node
// does; records can be read; leases end.
import { decodeName } from '../redis/key-names.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import { unpackRecord } from '../redis/codec/record.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';

/** No lease is longer: far beyond that of every version. */
const leaseMsMax = 60_000;
const fencePattern = /^\d+:[0-9a-f]{32}(:released)?$/;

export function ownersCheck(parts: FsckParts): Check<number> {
  return {
    name: 'owners of shards',
    async *walk() {
      for (let shard = 0; shard < parts.shards; shard++) yield await Promise.resolve([shard]);
    },
    async inspect(shards) {
      const boots = await livingNodes(parts);
      const suspects: Suspect<number>[] = [];
      for (const subject of shards) {
        const finding = await inspectShard(parts, subject, boots);
        if (finding !== undefined) suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

/** Boot id by node id. */
async function livingNodes({ reader }: FsckParts): Promise<Map<string, string>> {
  const { keys } = reader.redis;
  const boots = new Map<string, string>();
  for await (const entries of reader.members(keys.nodes())) {
    for (const { member } of entries) {
      const bytes = (await reader.redis.reads.callBuffer(
        'GET',
        keys.node(member),
      )) as Buffer | null;
      if (bytes !== null) boots.set(member, String(unpackRecord('node record', bytes, 1)[2]));
    }
  }
  return boots;
}

async function inspectShard(
  { reader }: FsckParts,
  shard: number,
  boots: ReadonlyMap<string, string>,
): Promise<Finding | undefined> {
  const { keys } = reader.redis;
  const state = keys.partitionState(keys.partitionOf(shard));
  const [fence, owner] = await reader.values(state, [String(shard), `${shard}n`]);
  const common = { subject: `shard ${shard}`, keys: [state] };
  if (fence !== undefined && !fencePattern.test(fence.toString())) {
    const sentence = `The owner record of shard ${shard} cannot be read`;
    return { ...common, kind: 'owner-unreadable', sentence };
  }
  if (boots.size === 0) return undefined;
  if (fence === undefined || owner === undefined || owner.length === 0) {
    const sentence = `Shard ${shard} has no owner although nodes run`;
    return { ...common, kind: 'shard-unserved', sentence };
  }
  const [, nodeId, bootId] = unpackRecord('owner record', owner, 1);
  if (boots.get(nodeId as string) === bootId) return undefined;
  const sentence = `Shard ${shard} belongs to the node ${String(nodeId)}, which no longer runs`;
  return { ...common, kind: 'shard-unserved', sentence };
}

export function nodesCheck(parts: FsckParts): Check<{ key: string; nodeId: string }> {
  const { reader } = parts;
  return {
    name: 'leases of nodes',
    ofKeys: (keys: readonly ParsedKey[]) =>
      keys.flatMap((key) => {
        const nodeId = key.kind === 'node' ? decodeName(key.name) : undefined;
        return nodeId === undefined ? [] : [{ key: key.key, nodeId }];
      }),
    async inspect(nodes) {
      const suspects: Suspect<{ key: string; nodeId: string }>[] = [];
      for (const subject of nodes) {
        for (const finding of await inspectNode(parts, subject))
          suspects.push({ subject, finding });
      }
      return suspects;
    },
  };

  async function inspectNode(
    _parts: FsckParts,
    { key, nodeId }: { key: string; nodeId: string },
  ): Promise<Finding[]> {
    const [livesMs = -2] = await reader.livesMs([key]);
    if (livesMs === -2) return [];
    const list = reader.redis.keys.nodes();
    const [listedAt] = await reader.scores([{ key: list, member: nodeId }]);
    const findings: Finding[] = [];
    if (livesMs === -1 || livesMs > leaseMsMax) {
      findings.push({
        kind: 'node-lease-endless',
        subject: nodeId,
        keys: [key],
        sentence: `The lease of node ${nodeId} does not end: its shards could never be taken over`,
        mend: () => reader.write('PEXPIRE', key, renewalMs),
      });
    }
    if (listedAt === undefined) {
      findings.push({
        kind: 'node-unlisted',
        subject: nodeId,
        keys: [list, key],
        sentence: `Node ${nodeId} has a lease and is not in the list of nodes`,
        mend: () => reader.write('ZADD', list, parts.now(), nodeId),
      });
    }
    return findings;
  }
}

/** A node that runs renews its lease before that. */
const renewalMs = 3_000;
