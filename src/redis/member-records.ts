// The records of nodes, which are their leases (invariants section 3, takeover): a string that
// expires three seconds after its last renewal, and a list of all ids. On one Redis all is read as
// one; what fails fails as a whole. On a cluster the records lie on all primaries, and some may be
// away: what cannot be read leaves its node as it was known.
//
// A node whose own record cannot be written keeps a lease beside its shards, in the slot of each
// partition that it has shards of. A node that wants to take a shard has to reach the primary of
// its partition in any case, so it sees that lease.
import type { ClusterNode, Member, NodeIdentity, Renewal } from '../store/shard-store.js';
import { packRecord, unpackRecord } from './codec/record.js';
import type { RedisClient } from './client.js';
import type { Connection } from './connection.js';
import type { Argument } from './encoded-call.js';
import { reached, requireAny, type Outcome } from './reached.js';

/** A lease beside shards says nothing about its node after so long, ms. */
const besideReadMsMax = 1_000;

export interface ReadRecords {
  /** Nodes that have a lease, by id. */
  readonly alive: ReadonlyMap<string, Member>;
  /** Ids of nodes whose record could not be read. */
  readonly unread: ReadonlySet<string>;
}

export class MemberRecords {
  constructor(private readonly redis: RedisClient) {}

  async renew(node: ClusterNode, ttlMs: number, known: readonly Member[]): Promise<Renewal> {
    const { keys, reads } = this.redis;
    const write = ['SET', keys.node(node.nodeId), recordOf(node), 'PX', ttlMs] as const;
    const list = ['ZADD', keys.nodes(), Date.now(), node.nodeId] as const;
    const ids = ['ZRANGE', keys.nodes(), 0, -1] as const;
    const outcomes = await this.#each(reads, [write, list, ids]);
    const [written, , listed] = outcomes as [Outcome, Outcome, Outcome];
    const { members, unread } = await this.#listed(listed, known);
    const isSilent = unread.length === members.length && outcomes.every((one) => 'error' in one);
    return {
      ...{ isRenewed: 'reply' in written, members, unread },
      ...(isSilent && 'error' in written && { failure: written.error }),
    };
  }

  async members(known: readonly Member[]): Promise<Omit<Renewal, 'isRenewed'>> {
    const { keys, reads } = this.redis;
    const listed = await this.#each(reads, [['ZRANGE', keys.nodes(), 0, -1]]);
    return await this.#listed(listed[0] as Outcome, known);
  }

  async #listed(
    listed: Outcome,
    known: readonly Member[],
  ): Promise<{ members: Member[]; unread: string[] }> {
    const { keys, reads, isCluster } = this.redis;
    if ('error' in listed && known.length === 0) throw listed.error;
    const named = 'reply' in listed ? (listed.reply as Buffer[]).map(String) : [];
    // A failover may have undone that a node put itself on the list.
    const kept = isCluster ? known.map(({ nodeId }) => nodeId) : [];
    const ids = [...new Set([...named, ...kept])];
    const { alive, unread } = await this.read(ids);
    const ended = named.filter((id) => !alive.has(id) && !unread.has(id));
    if (ended.length > 0) await reached([reads.call('ZREM', keys.nodes(), ...ended)]);
    const stays = known.filter(({ nodeId }) => unread.has(nodeId));
    return { members: [...alive.values(), ...stays], unread: [...unread] };
  }

  async read(ids: readonly string[]): Promise<ReadRecords> {
    const { keys, ownership } = this.redis;
    const gets = ids.map((id) => ['GET', keys.node(id)] as const);
    const outcomes = await this.#each(ownership, gets);
    const alive = new Map<string, Member>();
    const unread = new Set<string>();
    for (const [index, outcome] of outcomes.entries()) {
      if ('error' in outcome) unread.add(ids[index] as string);
      else if (outcome.reply !== null) {
        const member = toMember(outcome.reply as Buffer);
        alive.set(member.nodeId, member);
      }
    }
    return { alive, unread };
  }

  async leasesMs(nodeIds: readonly string[]): Promise<number[]> {
    const { keys, reads } = this.redis;
    const ages = nodeIds.map((id) => ['PTTL', keys.node(id)] as const);
    const outcomes = await this.#each(reads, ages);
    requireAny(outcomes);
    return outcomes.map((outcome) => ('reply' in outcome ? Math.max(0, Number(outcome.reply)) : 0));
  }

  async leave(node: NodeIdentity): Promise<void> {
    const { keys } = this.redis;
    const current = (await this.read([node.nodeId])).alive.get(node.nodeId);
    if (current?.bootId !== node.bootId) return;
    await this.redis.reads.callAll([
      ['DEL', keys.node(node.nodeId)],
      ['ZREM', keys.nodes(), node.nodeId],
    ]);
  }

  // ---- beside shards ----

  async renewBeside(
    { nodeId, bootId }: NodeIdentity,
    shards: readonly number[],
    ttlMs: number,
  ): Promise<number[]> {
    const { keys, reads, isCluster } = this.redis;
    if (!isCluster) return [];
    const partitions = [...new Set(shards.map((shard) => keys.partitionOf(shard)))];
    const outcomes = await reached(
      partitions.map((one) => reads.call('SET', keys.lease(one, nodeId), bootId, 'PX', ttlMs)),
    );
    const renewed = new Set(partitions.filter((_, index) => 'reply' in (outcomes[index] ?? {})));
    return shards.filter((shard) => renewed.has(keys.partitionOf(shard)));
  }

  /**
   * Whether each of these owners, whose records were found missing after `since`, has given up its
   * shard as well. What cannot be read, or came late, has not: an owner that writes its record
   * again keeps its leases beside shards for longer than this takes.
   */
  async areGone(
    owners: readonly { shard: number; nodeId: string; bootId: string }[],
    since: number,
  ): Promise<boolean[]> {
    const { keys, ownership, isCluster } = this.redis;
    if (!isCluster) return owners.map(() => true);
    const outcomes = await reached(
      owners.map(({ shard, nodeId }) =>
        ownership.callBuffer('GET', keys.lease(keys.partitionOf(shard), nodeId)),
      ),
    );
    const isLate = performance.now() - since > besideReadMsMax;
    return outcomes.map((outcome, index) => {
      if (isLate || 'error' in outcome) return false;
      return outcome.reply === null || String(outcome.reply) !== owners[index]?.bootId;
    });
  }

  /** On one Redis the first failure rejects. */
  async #each(
    connection: Connection,
    commands: readonly (readonly [string, ...Argument[]])[],
  ): Promise<Outcome[]> {
    if (commands.length === 0) return [];
    if (this.redis.isCluster) {
      return await reached(commands.map(([name, ...args]) => connection.callBuffer(name, ...args)));
    }
    return (await connection.callAll(commands)).map((reply) => ({ reply }));
  }
}

function recordOf(node: ClusterNode): Buffer {
  const { nodeId, bootId, address, peerAddress, version, state } = node;
  const { auth = null, restrictTaskDefinitions = null } = node;
  const guards = [auth, restrictTaskDefinitions];
  return packRecord([1, nodeId, bootId, address, peerAddress, version, state, ...guards]);
}

function toMember(record: Buffer): Member {
  const fields = unpackRecord('node record', record, 1);
  const [, nodeId, bootId, address, peerAddress, version, state] = fields as [
    ...[number, string, string, string, string, string, Member['state']],
  ];
  const [auth, restrictTaskDefinitions] = fields.slice(7);
  return {
    ...{ nodeId, bootId, address, peerAddress, version, state },
    ...(typeof auth === 'boolean' && { auth }),
    ...(typeof restrictTaskDefinitions === 'boolean' && { restrictTaskDefinitions }),
  };
}
