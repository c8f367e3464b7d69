// Ownership of shards (invariants M1, architecture section 4) and the identity of the keyspace
// (M14).
import type { Fence } from './execution-store.js';

export interface NodeIdentity {
  readonly nodeId: string;
  /** Random, drawn at each start. */
  readonly bootId: string;
  /** host:port the node serves on, for peers. */
  readonly address: string;
  /** host:port on which other nodes reach it; '' while it has none. */
  readonly peerAddress: string;
}

/** What is fixed when a store is created. */
export interface Keyspace {
  readonly secret: Buffer;
  readonly shards: number;
  /** Slots that the shards are spread over. */
  readonly partitions: number;
  readonly storeId: string;
}

export interface ShardStore {
  /**
   * Creates the keyspace record on an empty store (shards, deployment secret, format) or checks it.
   * Refuses (AppError 'unavailable') another number of shards or partitions, another format, a
   * store that evicts keys, or a foreign prefix owner.
   */
  openKeyspace(shards: number): Promise<Keyspace>;
  /**
   * Takes the given shards: a new epoch and token each, if the record is free, its node's lease has
   * ended, its boot id is gone or it is this node's own. Serialised by redlock, safe without it.
   * Returns what was taken.
   */
  acquire(node: NodeIdentity, shards: readonly number[]): Promise<Fence[]>;
  /** Gives shards back so that another node may take them at once. */
  release(fences: readonly Fence[]): Promise<void>;
  /** Renews the node's lease (ttl 3 s, renewed every 1 s) and returns the members seen. */
  renew(node: NodeIdentity, ttlMs: number): Promise<NodeIdentity[]>;
  /** Ends the node's lease. */
  leave(node: NodeIdentity): Promise<void>;
  /** Store time, epoch ms (invariants M11). */
  now(): Promise<number>;
}
