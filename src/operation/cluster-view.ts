// Describes the cluster as a node knows it, for people and tools (GET /api/admin/cluster).

export interface ClusterNodeView {
  readonly nodeId: string;
  readonly version: string;
  /** host:port of its API. */
  readonly address: string;
  /** host:port at which other nodes reach it. */
  readonly peerAddress: string;
  /** Milliseconds until its lease expires unless it is renewed. */
  readonly leaseMs: number;
  /** How many shards it owns, as far as this node knows. */
  readonly shards: number;
  /** Whether this node can ask it now; of this node itself: true. */
  readonly linked: boolean;
  /** `leaving`: it hands its shards over. */
  readonly state: 'serving' | 'leaving';
}

export interface ClusterView {
  /** The node that answers. */
  readonly nodeId: string;
  readonly nodes: readonly ClusterNodeView[];
  /** Node id of the leader; null while there is none. */
  readonly leader: string | null;
  /** Number of shards of the keyspace. */
  readonly shards: number;
  /** Shards that no node serves as far as this node knows, or that are being handed over. */
  readonly moving: readonly number[];
}
