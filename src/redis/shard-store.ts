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
import { StoreError, type Fence } from '../store/execution-store.js';
import type {
  Acquired,
  ClusterNode,
  Keyspace,
  KnownMembers,
  KnownOwners,
  LeadFence,
  Member,
  NodeIdentity,
  Renewal,
  ShardOwnerRecord,
  ShardStore,
} from '../store/shard-store.js';
import type { RedisClient } from './client.js';
import type { Connection, ScriptCall } from './connection.js';
import { fenceText } from './commit-call.js';
import { packRecord, unpackRecord } from './codec/record.js';
import type { Argument } from './encoded-call.js';
import type { FillRandom } from '../std/seeded-bytes.js';
import { openKeyspace } from './keyspace.js';
import { MemberRecords, type ReadRecords } from './member-records.js';
import { reached, requireAny, type Outcome } from './reached.js';
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
  readonly #records: MemberRecords;

  constructor(private readonly redis: RedisClient) {
    this.#records = new MemberRecords(redis);
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
    if (shards.length === 0) return { fences: [], abandoned: [], owners: [], unreached: [] };
    const lock = await this.#lock();
    try {
      return await this.#take(node, shards, refused);
    } finally {
      await lock?.release().catch(() => undefined);
    }
  }

  async ownersOf(shards: readonly number[]): Promise<KnownOwners> {
    const records = await this.#ownerRecords(shards);
    const owners: ShardOwnerRecord[] = [];
    const unread: number[] = [];
    for (const [index, shard] of shards.entries()) {
      const record = records[index];
      if (record === undefined) unread.push(shard);
      else if (record.node !== '') owners.push(toShardOwner(shard, record));
    }
    return { owners, unread };
  }

  async ownerOf(shard: number): Promise<ShardOwnerRecord | undefined> {
    // The only one: one that cannot be read rejects.
    return (await this.ownersOf([shard])).owners[0];
  }

  async acquireLead(node: NodeIdentity, refused: ReadonlySet<string>): Promise<LeadFence | string> {
    const key = this.redis.keys.leader();
    const [reply] = await this.redis.ownership.callAll([
      ['HMGET', key, leadField, `${leadField}n`],
    ]);
    const leader = toOwnerRecord(reply);
    const records = await this.#records.read(leader.node === '' ? [] : [leader.node]);
    if (!mayBeTaken(leader, node, records, refused)) return leader.node;
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
    return await this.redis.processOf(this.redis.keys.leader());
  }

  async renew(node: ClusterNode, ttlMs: number, known: readonly Member[] = []): Promise<Renewal> {
    return await this.#records.renew(node, ttlMs, known);
  }

  async renewBeside(
    node: NodeIdentity,
    shards: readonly number[],
    ttlMs: number,
  ): Promise<number[]> {
    return await this.#records.renewBeside(node, shards, ttlMs);
  }

  async members(known: readonly Member[] = []): Promise<KnownMembers> {
    return await this.#records.members(known);
  }

  async allMembers(): Promise<Member[]> {
    const { members, unread } = await this.members();
    if (unread.length === 0) return members;
    const text = `The records of ${unread.length} nodes cannot be read`;
    throw new StoreError('not-applied', text);
  }

  async leasesMs(nodeIds: readonly string[]): Promise<number[]> {
    return await this.#records.leasesMs(nodeIds);
  }

  async leave(node: NodeIdentity): Promise<void> {
    await this.#records.leave(node);
  }

  async now(): Promise<number> {
    if (!this.redis.isCluster) return await this.redis.now();
    const [outcome] = await reached([this.redis.now()]);
    requireAny(outcome === undefined ? [] : [outcome]);
    return (outcome as { reply: unknown }).reply as number;
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
    const unreached = shards.filter((_, index) => records[index] === undefined);
    const found = shards.flatMap((shard, index) => {
      const owner = records[index];
      return owner === undefined ? [] : [{ ...owner, shard }];
    });
    const mayTake = await this.#mayTake(node, found, refused);
    const wanted = found
      .filter((_, index) => mayTake[index])
      .map((owner) => ({
        fence: { shard: owner.shard, ...nextFence(owner) },
        seen: owner.fence,
        isAbandoned: isAbandoned(owner, node),
      }));
    // On the connection of the commits: what this node sent before comes first.
    const outcomes = await this.#runEach(
      wanted.map(({ fence, seen }) => ({
        script: setOwnerScript,
        keys: [this.#state(fence.shard)],
        args: [fence.shard, seen, fenceText(fence), packRecord([1, node.nodeId, node.bootId])],
      })),
    );
    const taken = wanted.filter((_, index) => isReply(outcomes[index], 1));
    const failed = wanted.filter((_, index) => 'error' in (outcomes[index] as Outcome));
    const abandoned = taken.filter((each) => each.isAbandoned);
    return {
      fences: taken.map(({ fence }) => fence),
      abandoned: abandoned.map(({ fence }) => fence.shard),
      owners: found
        .filter((_, index) => !mayTake[index])
        .map(({ shard, node: nodeId, epoch }) => ({ shard, nodeId, epoch })),
      unreached: [...unreached, ...failed.map(({ fence }) => fence.shard)],
    };
  }

  /** For each of the shards. Records of nodes are read before leases beside shards. */
  async #mayTake(
    node: NodeIdentity,
    found: readonly (OwnerRecord & { shard: number })[],
    refused: ReadonlySet<string>,
  ): Promise<boolean[]> {
    const others = new Set(found.map((owner) => owner.node).filter((id) => id !== ''));
    const since = performance.now();
    const records = await this.#records.read([...others]);
    const mayTake = found.map((owner) => mayBeTaken(owner, node, records, refused));
    const leaseless = found.filter(
      (owner, index) => mayTake[index] && !records.alive.has(owner.node) && isForeign(owner, node),
    );
    const asked = leaseless.filter((owner) => !refused.has(owner.node));
    const areGone = await this.#records.areGone(
      asked.map(({ shard, node: nodeId, boot: bootId }) => ({ shard, nodeId, bootId })),
      since,
    );
    const alive = new Set(asked.filter((_, index) => !areGone[index]));
    return found.map((owner, index) => mayTake[index] === true && !alive.has(owner));
  }

  /** undefined: the server of the shard cannot be reached. On one Redis a failure rejects. */
  async #ownerRecords(shards: readonly number[]): Promise<(OwnerRecord | undefined)[]> {
    const { ownership, isCluster } = this.redis;
    const gets = shards.map((shard) => ['HMGET', this.#state(shard), shard, `${shard}n`] as const);
    if (!isCluster) return (await ownership.callAll(gets)).map(toOwnerRecord);
    const outcomes = await reached(
      gets.map(([name, ...args]) => ownership.callBuffer(name, ...args)),
    );
    requireAny(outcomes);
    return outcomes.map((outcome) =>
      'reply' in outcome ? toOwnerRecord(outcome.reply) : undefined,
    );
  }

  async #runEach(calls: readonly ScriptCall[]): Promise<Outcome[]> {
    const { ownership, isCluster } = this.redis;
    if (!isCluster) return (await ownership.runAll(calls)).map((reply) => ({ reply }));
    return await reached(calls.map(({ script, keys, args }) => ownership.run(script, keys, args)));
  }

  #state(shard: number): string {
    const { keys } = this.redis;
    return keys.partitionState(keys.partitionOf(shard));
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

function toOwnerRecord(reply: unknown): OwnerRecord {
  const [fence, node] = reply as readonly (Buffer | null | undefined)[];
  if (!fence || !node) return { fence: '', epoch: 0, node: '', boot: '' };
  const text = fence.toString();
  const epoch = Number.parseInt(text, 10);
  if (node.length === 0) return { fence: text, epoch, node: '', boot: '' };
  const [, nodeId, bootId] = unpackRecord('owner record', node, 1);
  return { fence: text, epoch, node: nodeId as string, boot: bootId as string };
}

/** The token of the fence text `epoch:token`, to which a release has added a third part. */
function toShardOwner(shard: number, { node, epoch, fence }: OwnerRecord): ShardOwnerRecord {
  return { shard, nodeId: node, epoch, token: fence.slice(fence.indexOf(':') + 1) };
}

function isReply(outcome: Outcome | undefined, reply: unknown): boolean {
  return outcome !== undefined && 'reply' in outcome && outcome.reply === reply;
}

function nextFence(owner: OwnerRecord): LeadFence {
  return { epoch: owner.epoch + 1, token: randomBytes(16).toString('hex') };
}

/** By the records of nodes; a node whose record cannot be read keeps what it has. */
function mayBeTaken(
  owner: OwnerRecord,
  node: NodeIdentity,
  { alive, unread }: ReadRecords,
  refused: ReadonlySet<string>,
): boolean {
  if (!isForeign(owner, node) || refused.has(owner.node)) return true;
  if (unread.has(owner.node)) return false;
  const holder = alive.get(owner.node);
  return holder === undefined || holder.bootId !== owner.boot;
}

function isForeign(owner: OwnerRecord, { nodeId }: NodeIdentity): boolean {
  return owner.node !== '' && owner.node !== nodeId;
}

/** Another process has it by the record, and has not given it back. */
function isAbandoned(owner: OwnerRecord, { nodeId, bootId }: NodeIdentity): boolean {
  return owner.node !== '' && (owner.node !== nodeId || owner.boot !== bootId);
}
