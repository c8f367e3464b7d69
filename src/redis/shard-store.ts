// Ownership of shards and the identity of the keyspace (invariants M1, M14).
//
// A node keeps one lease for itself: a string that expires three seconds after its last renewal.
// Owner records of shards have no expiry. To take a shard, a node reads its record, judges whether
// it may (free, its own, the lease of its node has ended, or that node runs under another boot id),
// and swaps it for a new one with the next epoch and a fresh token; the script compares what was
// read. Safety comes from the fence in every later write, never from the lease; redlock only keeps
// nodes from trying all at once, and when it cannot be had the swap alone decides.
// Programmes outside src need the declaration too.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./redlock.d.ts" />
import { randomBytes } from 'node:crypto';
import Redlock from 'redlock';
import type { Fence } from '../store/execution-store.js';
import type { Keyspace, NodeIdentity, ShardStore } from '../store/shard-store.js';
import type { RedisClient } from './client.js';
import { fenceText } from './commit-call.js';
import { packRecord, unpackRecord } from './codec/record.js';
import { openKeyspace } from './keyspace.js';
import { Script } from './script.js';

const acquireScript = new Script('acquire');
const releaseScript = new Script('release');

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
    // Redlock's types were made for an older client; it only calls `eval`, `evalsha` and `quit`.
    const clients = [redis.reads.client] as unknown as ConstructorParameters<typeof Redlock>[0];
    this.#redlock = new Redlock(clients, {
      retryCount: lockTries,
      retryDelay: lockRetryMs,
      retryJitter: lockRetryMs,
    });
    // Losing the lock is harmless (see above); its errors come as rejections too.
    this.#redlock.on('error', () => undefined);
  }

  async openKeyspace(shards: number): Promise<Keyspace> {
    return await openKeyspace(this.redis, shards);
  }

  async acquire(node: NodeIdentity, shards: readonly number[]): Promise<Fence[]> {
    if (shards.length === 0) return [];
    const lock = await this.#lock();
    try {
      return await this.#take(node, shards);
    } finally {
      await lock?.release().catch(() => undefined);
    }
  }

  async release(fences: readonly Fence[]): Promise<void> {
    await this.redis.commits.runAll(
      fences.map((fence) => ({
        script: releaseScript,
        keys: [this.#owners(fence.shard)],
        args: [fence.shard, fenceText(fence)],
      })),
    );
  }

  async renew(node: NodeIdentity, ttlMs: number): Promise<NodeIdentity[]> {
    const { keys } = this.redis;
    const { nodeId, bootId, address, peerAddress } = node;
    const record = packRecord([1, nodeId, bootId, address, peerAddress]);
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

  /** undefined when the lock cannot be had: taking shards is safe without it. */
  async #lock(): Promise<{ release(): Promise<unknown> } | undefined> {
    try {
      return await this.#redlock.acquire([this.redis.keys.acquisitionLock()], lockMs);
    } catch {
      return undefined;
    }
  }

  async #take(node: NodeIdentity, shards: readonly number[]): Promise<Fence[]> {
    const owners = await this.#ownerRecords(shards);
    const others = new Set(owners.map((owner) => owner.node).filter((id) => id !== ''));
    const alive = await this.#nodes([...others]);
    const wanted: { fence: Fence; seen: string }[] = [];
    shards.forEach((shard, index) => {
      const owner = owners[index] as OwnerRecord;
      if (!mayTake(owner, node, alive)) return;
      const token = randomBytes(16).toString('hex');
      wanted.push({ fence: { shard, epoch: owner.epoch + 1, token }, seen: owner.fence });
    });
    // On the connection of the commits: what this node sent before comes first.
    const replies = await this.redis.commits.runAll(
      wanted.map(({ fence, seen }) => ({
        script: acquireScript,
        keys: [this.#owners(fence.shard)],
        args: [fence.shard, seen, fenceText(fence), packRecord([1, node.nodeId, node.bootId])],
      })),
    );
    return wanted.filter((_, index) => replies[index] === 1).map(({ fence }) => fence);
  }

  async #ownerRecords(shards: readonly number[]): Promise<OwnerRecord[]> {
    const replies = await this.redis.commits.callAll(
      shards.map((shard) => ['HMGET', this.#owners(shard), shard, `${shard}n`] as const),
    );
    return replies.map((reply) => {
      const [fence, node] = reply as (Buffer | null)[];
      if (!fence || !node) return { fence: '', epoch: 0, node: '', boot: '' };
      const text = fence.toString();
      const epoch = Number.parseInt(text, 10);
      if (node.length === 0) return { fence: text, epoch, node: '', boot: '' };
      const [, nodeId, bootId] = unpackRecord('owner record', node, 1);
      return { fence: text, epoch, node: nodeId as string, boot: bootId as string };
    });
  }

  #owners(shard: number): string {
    const { keys } = this.redis;
    return keys.owners(keys.partitionOf(shard));
  }

  /** Nodes of the given ids that have a lease, by id. */
  async #nodes(ids: readonly string[]): Promise<Map<string, NodeIdentity>> {
    if (ids.length === 0) return new Map();
    const replies = await this.redis.commits.callAll(
      ids.map((id) => ['GET', this.redis.keys.node(id)] as const),
    );
    const nodes = new Map<string, NodeIdentity>();
    for (const reply of replies) {
      if (reply === null) continue;
      const [, nodeId, bootId, address, peerAddress] = unpackRecord(
        'node record',
        reply as Buffer,
        1,
      );
      nodes.set(nodeId as string, {
        nodeId: nodeId as string,
        bootId: bootId as string,
        address: address as string,
        peerAddress: (peerAddress as string | undefined) ?? '',
      });
    }
    return nodes;
  }
}

function mayTake(
  owner: OwnerRecord,
  node: NodeIdentity,
  alive: ReadonlyMap<string, NodeIdentity>,
): boolean {
  if (owner.node === '' || owner.node === node.nodeId) return true;
  const holder = alive.get(owner.node);
  return holder === undefined || holder.bootId !== owner.boot;
}
