// The parts that placement relies on, and the listeners that it tells.
import type { Clock } from '../std/clock.js';
import type { ShardExecutions } from '../shard/executions.js';
import type { OwnedShards } from '../shard/owned-shards.js';
import type { ShardStore } from '../store/shard-store.js';
import type { Membership } from './membership.js';
import type { PeerLinks } from './peer/peer-links.js';
import type { Peers } from './peer/peers.js';
import type { ShardMap } from './shard-map.js';

/** Hears when the node serves, and of failures. */
export interface PlacementMonitor {
  /** The node begins and ceases to serve. */
  serving(isServing: boolean, why?: unknown): void;
  failed(error: unknown): void;
}

export interface PlacementParts {
  readonly clock: Clock;
  readonly store: ShardStore;
  readonly shards: number;
  readonly membership: Membership;
  readonly peers: Peers & Pick<PeerLinks, 'follow'>;
  readonly map: ShardMap;
  readonly owned: OwnedShards;
  readonly executions: ShardExecutions;
  readonly monitor: PlacementMonitor;
}
