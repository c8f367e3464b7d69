// Ownership of shards (invariants M1, architecture section 4) and the identity of the keyspace
// (M14).
import type { Fence } from './execution-store.js';

import type { FillRandom } from '../std/seeded-bytes.js';
export interface NodeIdentity {
  readonly nodeId: string;
  /** Random, drawn at each start. */
  readonly bootId: string;
  /** host:port the node serves on, for peers. */
  readonly address: string;
  /** host:port on which other nodes reach it; '' while it has none. */
  readonly peerAddress: string;
}

/** A node as its lease shows it to others. */
export interface ClusterNode extends NodeIdentity {
  /** Of the server. */
  readonly version: string;
  /** `leaving`: it takes no more shards and gives its own away. */
  readonly state: 'serving' | 'leaving';
  /** Whether it asks callers for tokens; absent: it does not say, as versions before did. */
  readonly auth?: boolean;
  /** Whether it restricts every task definition; absent as above. */
  readonly restrictTaskDefinitions?: boolean;
}

export type Member = ClusterNode;

/** A shard that could not be taken, and its owner. */
export interface ForeignShard {
  readonly shard: number;
  readonly nodeId: string;
  readonly epoch: number;
}

export interface Renewal extends KnownMembers {
  /** Whether the node's own record is written. False: the server that has it is away. */
  readonly isRenewed: boolean;
  /** Why nothing was reached at all. */
  readonly failure?: unknown;
}

export interface KnownMembers {
  /** Nodes that have a lease; those whose record could not be read stay as they were known. */
  readonly members: Member[];
  /** Ids of those that could not be read. */
  readonly unread: string[];
}

export interface KnownOwners {
  /** Shards without an owner are left out. */
  readonly owners: ShardOwnerRecord[];
  /** Shards whose record could not be read. */
  readonly unread: number[];
}

export interface Acquired {
  readonly fences: Fence[];
  /** Of the fences those shards that their former owner, another process, did not give back. */
  readonly abandoned: number[];
  /** Shards that were asked for and belong to another node. */
  readonly owners: ForeignShard[];
  /** Shards whose server could not be reached. */
  readonly unreached: number[];
}

/** An owner record: who owns a shard, and what proves it. */
export interface ShardOwnerRecord extends ForeignShard {
  readonly token: string;
}

/** The facts that are fixed when a store is created. */
export interface Keyspace {
  readonly secret: Buffer;
  readonly shards: number;
  /** Slots that the shards are spread over. */
  readonly partitions: number;
  readonly storeId: string;
}

/** Proves the leadership; compared for equality in the writes of a leader. */
export interface LeadFence {
  readonly epoch: number;
  readonly token: string;
}

export interface ShardStore {
  /**
   * Creates the keyspace record on an empty store (shards, deployment secret, format) or checks it.
   * Refuses (AppError 'unavailable') another number of shards or partitions, another format, a
   * store that evicts keys, or a foreign prefix owner.
   * `secretSource`: where a new secret is drawn from; absent: the system.
   */
  openKeyspace(shards: number, secretSource?: FillRandom): Promise<Keyspace>;
  /**
   * Takes the given shards: a new epoch and token each, if the record is free, its node's lease has
   * ended, its boot id is gone, it is this node's own, or nobody listens at its node's address
   * (`refused`). Serialised by redlock, safe without it. On a cluster a server that is away keeps
   * no shard of others from being taken.
   */
  acquire(
    node: NodeIdentity,
    shards: readonly number[],
    refused?: ReadonlySet<string>,
  ): Promise<Acquired>;
  /** Gives shards back so that another node may take them at once. */
  release(fences: readonly Fence[]): Promise<void>;
  /** The owners of these shards now, by the records. */
  ownersOf(shards: readonly number[]): Promise<KnownOwners>;
  /** The same of one shard; rejects when its record cannot be read. */
  ownerOf(shard: number): Promise<ShardOwnerRecord | undefined>;
  /**
   * Takes the leadership (invariants M1): a new epoch and token if nobody has it, or its node's
   * lease has ended, its boot id is gone, it is this node, or nobody listens at its address.
   * Resolves with the fence, or with the leader's node id.
   */
  acquireLead(node: NodeIdentity, refused: ReadonlySet<string>): Promise<LeadFence | string>;
  /** Whether the leadership still has this fence. */
  isLead(fence: LeadFence): Promise<boolean>;
  /** Gives the leadership back. */
  releaseLead(fence: LeadFence): Promise<void>;
  /**
   * Names the process that holds the data: another name after a restart or a failover, when it may
   * hold less than it had confirmed. undefined: there are several.
   */
  process(): Promise<string | undefined>;
  /**
   * Renews the node's lease for `ttlMs` and reads the members. On a cluster some servers may be
   * away: `known` are the members as they were read before.
   */
  renew(node: ClusterNode, ttlMs: number, known?: readonly Member[]): Promise<Renewal>;
  /**
   * Keeps a lease of the node beside these shards, where the store has several servers: for the
   * time while its own record cannot be written. Resolves with the shards that were reached.
   */
  renewBeside(node: NodeIdentity, shards: readonly number[], ttlMs: number): Promise<number[]>;
  /** The nodes that have a lease. */
  members(known?: readonly Member[]): Promise<KnownMembers>;
  /** Rejects when one of them, or the list, cannot be read. */
  allMembers(): Promise<Member[]>;
  /** Milliseconds until the leases of these nodes expire; 0: no lease. */
  leasesMs(nodeIds: readonly string[]): Promise<number[]>;
  /** Ends the node's lease. */
  leave(node: NodeIdentity): Promise<void>;
  /** Store time, epoch ms (invariants M11). */
  now(): Promise<number>;
}
