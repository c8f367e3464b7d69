// Ownership of shards and the identity of the keyspace (invariants M1, M14).
//
// A node keeps one lease for itself: a string that expires three seconds after its last renewal.
// Owner records of shards have no expiry. To take a shard, a node reads its record, judges whether
// it may (free, its own, the lease of its node has ended, or that node runs under another boot id),
// and swaps it for a new one with the next epoch and a fresh token; the script compares what was
// read. Safety comes from the fence in every later write, never from the lease. Redlock only keeps
// nodes from trying all at once; without its lock, the swap still has one winner.
// Programmes outside src need the declaration too.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./redlock.d.ts" />
import { randomBytes } from 'node:crypto';
import Redlock from 'redlock';
import type { Fence } from '../store/execution-store.js';
import type {
  Acquired,
  ClusterNode,
  ForeignShard,
  Keyspace,
  LeadFence,
  Member,
  NodeIdentity,
  ShardOwnerRecord,
  ShardStore,
} from '../store/shard-store.js';
import type { RedisClient } from './client.js';
import type { Connection } from './connection.js';
import { fenceText } from './commit-call.js';
import { packRecord, unpackRecord } from './codec/record.js';
import type { Argument } from './encoded-call.js';
import type { FillRandom } from '../std/seeded-bytes.js';
import { openKeyspace } from './keyspace.js';
import { Script } from './script.js';

const setOwnerScript = Script.named('set-owner');

const lockMs = 5_000;
const lockTries = 20;
const lockRetryMs = 50;

interface OwnerRecord {
  /** '' when there is none. */
  fence: string;
  epoch: number;
  node: string;
  boot: string;
}

export class RedisShardStore implements ShardStore {
  readonly #redlock: Redlock;

  constructor(private readonly redis: RedisClient) {
    this.#redlock = new Redlock([lockClient(redis.reads)], {
      retryCount: lockTries,
      retryDelay: lockRetryMs,
      retryJitter: lockRetryMs,
    });
    // Losing the lock is harmless (see above); its errors come as rejections too.
    this.#redlock.on('error', () => undefined);
  }

  async openKeyspace(shards: number, secretSource?: FillRandom): Promise<Keyspace> {
    return await openKeyspace(this.redis, shards, secretSource);
  }

  async acquire(
    node: NodeIdentity,
    shards: readonly number[],
    refused: ReadonlySet<string> = nobody,
  ): Promise<Acquired> {
    if (shards.length === 0) return { fences: [], abandoned: [], owners: [] };
    const lock = await this.#lock();
    try {
      return await this.#take(node, shards, refused);
    } finally {
      await lock?.release().catch(() => undefined);
    }
  }

  async ownersOf(shards: readonly number[]): Promise<ShardOwnerRecord[]> {
    const owners = await this.#ownerRecords(shards);
    return owners.flatMap(({ node, epoch, fence }, index) =>
      node === ''
        ? []
        : [{ shard: shards[index] as number, nodeId: node, epoch, token: tokenOf(fence) }],
    );
  }

  async acquireLead(node: NodeIdentity, refused: ReadonlySet<string>): Promise<LeadFence | string> {
    const key = this.redis.keys.leader();
    const [reply] = await this.redis.ownership.callAll([
      ['HMGET', key, leadField, `${leadField}n`],
    ]);
    const leader = toOwnerRecord(reply as (Buffer | null)[]);
    const alive = await this.#nodes(leader.node === '' ? [] : [leader.node]);
    if (!mayTake(leader, node, alive, refused)) return leader.node;
    const fence = nextFence(leader);
    const taken = await this.redis.ownership.run(
      setOwnerScript,
      [key],
      [leadField, leader.fence, fenceText(fence), packRecord([1, node.nodeId, node.bootId])],
    );
    return taken === 1 ? fence : leader.node;
  }

  async isLead(fence: LeadFence): Promise<boolean> {
    const stored = await this.redis.reads.call('HGET', this.redis.keys.leader(), leadField);
    return String(stored) === fenceText(fence);
  }

  async releaseLead(fence: LeadFence): Promise<void> {
    await this.redis.ownership.run(
      setOwnerScript,
      [this.redis.keys.leader()],
      [leadField, fenceText(fence), `${fenceText(fence)}:released`, ''],
    );
  }

  async release(fences: readonly Fence[]): Promise<void> {
    await this.redis.ownership.runAll(
      fences.map((fence) => ({
        script: setOwnerScript,
        keys: [this.#state(fence.shard)],
        // The former fence is void as well: what this node may still have under way is refused.
        args: [fence.shard, fenceText(fence), `${fenceText(fence)}:released`, ''],
      })),
    );
  }

  async process(): Promise<string | undefined> {
    if (this.redis.isCluster) return undefined;
    const info = String(await this.redis.reads.call('INFO', 'server'));
    return /^run_id:(\S+)/m.exec(info)?.[1];
  }

  async renew(node: ClusterNode, ttlMs: number): Promise<Member[]> {
    const { keys } = this.redis;
    const { nodeId, bootId, address, peerAddress, version, state, auth = null } = node;
    const record = packRecord([1, nodeId, bootId, address, peerAddress, version, state, auth]);
    const replies = await this.redis.reads.callAll([
      ['SET', keys.node(node.nodeId), record, 'PX', ttlMs],
      ['ZADD', keys.nodes(), Date.now(), node.nodeId],
      ['ZRANGE', keys.nodes(), 0, -1],
    ]);
    const ids = (replies[2] as Buffer[]).map(String);
    const members = await this.#nodes(ids);
    const ended = ids.filter((id) => !members.has(id));
    if (ended.length > 0) await this.redis.reads.call('ZREM', keys.nodes(), ...ended);
    return [...members.values()];
  }

  async members(): Promise<Member[]> {
    const ids = (await this.redis.reads.call('ZRANGE', this.redis.keys.nodes(), 0, -1)) as string[];
    return [...(await this.#nodes(ids.map(String))).values()];
  }

  async leasesMs(nodeIds: readonly string[]): Promise<number[]> {
    const replies = await this.redis.reads.callAll(
      nodeIds.map((id) => ['PTTL', this.redis.keys.node(id)] as const),
    );
    return replies.map((reply) => Math.max(0, Number(reply)));
  }

  async leave(node: NodeIdentity): Promise<void> {
    const { keys } = this.redis;
    const current = (await this.#nodes([node.nodeId])).get(node.nodeId);
    if (current?.bootId !== node.bootId) return;
    await this.redis.reads.callAll([
      ['DEL', keys.node(node.nodeId)],
      ['ZREM', keys.nodes(), node.nodeId],
    ]);
  }

  async now(): Promise<number> {
    return await this.redis.now();
  }

  /** undefined when the lock is not acquired: taking shards is safe without it. */
  async #lock(): Promise<{ release(): Promise<unknown> } | undefined> {
    try {
      return await this.#redlock.acquire([this.redis.keys.acquisitionLock()], lockMs);
    } catch {
      return undefined;
    }
  }

  async #take(
    node: NodeIdentity,
    shards: readonly number[],
    refused: ReadonlySet<string>,
  ): Promise<Acquired> {
    const records = await this.#ownerRecords(shards);
    const others = new Set(records.map((owner) => owner.node).filter((id) => id !== ''));
    const alive = await this.#nodes([...others]);
    const wanted: { fence: Fence; seen: string; isAbandoned: boolean }[] = [];
    const owners: ForeignShard[] = [];
    shards.forEach((shard, index) => {
      const owner = records[index] as OwnerRecord;
      if (mayTake(owner, node, alive, refused)) {
        const fence = { shard, ...nextFence(owner) };
        wanted.push({ fence, seen: owner.fence, isAbandoned: isAbandoned(owner, node) });
      } else owners.push({ shard, nodeId: owner.node, epoch: owner.epoch });
    });
    // On the connection of the commits: what this node sent before comes first.
    const replies = await this.redis.ownership.runAll(
      wanted.map(({ fence, seen }) => ({
        script: setOwnerScript,
        keys: [this.#state(fence.shard)],
        args: [fence.shard, seen, fenceText(fence), packRecord([1, node.nodeId, node.bootId])],
      })),
    );
    const taken = wanted.filter((_, index) => replies[index] === 1);
    const abandoned = taken.filter((each) => each.isAbandoned);
    return {
      fences: taken.map(({ fence }) => fence),
      abandoned: abandoned.map(({ fence }) => fence.shard),
      owners,
    };
  }

  async #ownerRecords(shards: readonly number[]): Promise<OwnerRecord[]> {
    const replies = await this.redis.ownership.callAll(
      shards.map((shard) => ['HMGET', this.#state(shard), shard, `${shard}n`] as const),
    );
    return replies.map((reply) => toOwnerRecord(reply as (Buffer | null)[]));
  }

  #state(shard: number): string {
    const { keys } = this.redis;
    return keys.partitionState(keys.partitionOf(shard));
  }

  /** Nodes of the given ids that have a lease, by id. */
  async #nodes(ids: readonly string[]): Promise<Map<string, Member>> {
    if (ids.length === 0) return new Map();
    const replies = await this.redis.ownership.callAll(
      ids.map((id) => ['GET', this.redis.keys.node(id)] as const),
    );
    const nodes = new Map<string, Member>();
    for (const reply of replies) {
      if (reply === null) continue;
      const [, nodeId, bootId, address, peerAddress, version, state, auth] = unpackRecord(
        'node record',
        reply as Buffer,
        1,
      ) as [number, string, string, string, string, string, Member['state'], boolean?];
      const said = typeof auth === 'boolean' ? { auth } : {};
      nodes.set(nodeId, { nodeId, bootId, address, peerAddress, version, state, ...said });
    }
    return nodes;
  }
}

/**
 * The functions that redlock calls of a client: the hash of a script first, its source when that is
 * unknown.
 */
function lockClient(connection: Connection): object {
  return {
    evalsha: () => Promise.reject(new Error('NOSCRIPT Locks are rare: the source is sent')),
    eval: (source: string, count: number, args: readonly Argument[]) =>
      connection.runInOrder({ source }, args.slice(0, count).map(String), args.slice(count)),
  };
}

const nobody: ReadonlySet<string> = new Set();
/** Field of the leader's record in its hash. */
const leadField = 'lead';

function toOwnerRecord([fence, node]: readonly (Buffer | null | undefined)[]): OwnerRecord {
  if (!fence || !node) return { fence: '', epoch: 0, node: '', boot: '' };
  const text = fence.toString();
  const epoch = Number.parseInt(text, 10);
  if (node.length === 0) return { fence: text, epoch, node: '', boot: '' };
  const [, nodeId, bootId] = unpackRecord('owner record', node, 1);
  return { fence: text, epoch, node: nodeId as string, boot: bootId as string };
}

/** Of the fence text `epoch:token`, to which a release has added a third part. */
function tokenOf(fence: string): string {
  return fence.slice(fence.indexOf(':') + 1);
}

function nextFence(owner: OwnerRecord): LeadFence {
  return { epoch: owner.epoch + 1, token: randomBytes(16).toString('hex') };
}

function mayTake(
  owner: OwnerRecord,
  node: NodeIdentity,
  alive: ReadonlyMap<string, NodeIdentity>,
  refused: ReadonlySet<string>,
): boolean {
  if (owner.node === '' || owner.node === node.nodeId || refused.has(owner.node)) return true;
  const holder = alive.get(owner.node);
  return holder === undefined || holder.bootId !== owner.boot;
}

/** Another process has it by the record, and has not given it back. */
function isAbandoned(owner: OwnerRecord, { nodeId, bootId }: NodeIdentity): boolean {
  return owner.node !== '' && (owner.node !== nodeId || owner.boot !== bootId);
}
