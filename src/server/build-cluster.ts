// Builds the parts that make a node one of a cluster, in three steps: its links to the others
// (`linkPeers`); its place in the membership and the shards that it owns (`joinCluster`); then,
// once its own executions stand, the executions and attempts of the whole cluster as they look from
// here (`buildCluster`). A node that is alone is a cluster of one.
import { randomBytes } from 'node:crypto';
import type { Settings } from './settings-table.js';
import type { NodeMonitor } from './node-monitor.js';
import type { NodeStores } from './node-stores.js';
import type { ClusterView } from '../operation/cluster-view.js';
import { namedViews, namedWaits } from '../operation/named-views.js';
import { HeldExchange, type HeldMost } from '../placement/held-exchange.js';
import { ElectedLeadership } from '../placement/leadership.js';
import { Membership } from '../placement/membership.js';
import { answerOwnerCalls } from '../placement/owner-calls.js';
import { PeerNotices } from '../placement/peer-notices.js';
import type { PeerIdentity } from '../placement/peer/handshake.js';
import { farewellMs, PeerLinks } from '../placement/peer/peer-links.js';
import { isSocket, socketPathOf } from '../placement/peer/peer-place.js';
import { PeerListener } from '../placement/peer/peer-listener.js';
import { defaultPeerLimits } from '../placement/peer/peer-socket.js';
import { Placement } from '../placement/placement.js';
import { RoutedAttempts } from '../placement/routed-attempts.js';
import { RoutedExecutions } from '../placement/routed-executions.js';
import { ShardMap } from '../placement/shard-map.js';
import type { StoreClock } from '../placement/store-clock.js';
import { TopicNotices } from '../placement/topic-notices.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { ExecutionHost } from '../shard/execution-host.js';
import { HeldLoads } from '../shard/held-loads.js';
import type { Executions } from '../shard/executions.js';
import { OwnedShards } from '../shard/owned-shards.js';
import type { Service } from '../std/service.js';
import { systemClock } from '../std/clock.js';
import type { ClusterNode } from '../store/shard-store.js';
import { version } from './version.js';

export interface NodePeers {
  readonly identity: PeerIdentity;
  readonly links: PeerLinks;
}

export interface PeerParts {
  readonly nodeId: string;
  readonly stores: Pick<NodeStores, 'storeId' | 'secret'>;
  readonly failed: (error: unknown) => void;
}

export function linkPeers({ nodeId, stores, failed }: PeerParts): NodePeers {
  const bootId = randomBytes(8).toString('hex');
  const identity: PeerIdentity = { nodeId, bootId, cluster: stores.storeId, secret: stores.secret };
  const links = new PeerLinks(identity, { clock: systemClock, limits: defaultPeerLimits, failed });
  return { identity, links };
}

/** The place of a node among the others of its cluster: what stands before its executions do. */
export interface ClusterPlace extends NodePeers {
  readonly nodeId: string;
  /** Listens for other nodes; before the placement starts. */
  readonly network: Service;
  readonly membership: Membership;
  readonly map: ShardMap;
  readonly owned: OwnedShards;
  readonly leadership: ElectedLeadership;
  readonly topicNotices: TopicNotices;
  /** The sums of what the executions of this node hold, and those of the other nodes. */
  readonly loads: HeldLoads;
  readonly held: HeldExchange;
}

export interface PlaceParts {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly peers: NodePeers;
  readonly clock: StoreClock;
  readonly stores: NodeStores;
  readonly failed: (error: unknown) => void;
}

export function joinCluster(parts: PlaceParts): ClusterPlace {
  const { settings, nodeId, clock, stores, failed } = parts;
  const { identity, links } = parts.peers;
  const network = new PeerNetwork(settings, identity, links, failed);
  const membership = new Membership(stores.shards, clock, network.nodeOf(settings, identity));
  const loads = new HeldLoads();
  return {
    ...{ nodeId, identity, links, network, membership, loads },
    map: new ShardMap(settings.shards, clock),
    owned: new OwnedShards(membership),
    leadership: new ElectedLeadership(stores.shards, membership, clock, failed),
    topicNotices: new TopicNotices(links, systemClock),
    held: new HeldExchange({
      ...{ peers: links, clock, failed, most: heldMostOf(settings) },
      own: () => loads.sums,
    }),
  };
}

export interface ClusterParts extends Pick<PlaceParts, 'settings' | 'clock' | 'stores'> {
  readonly place: ClusterPlace;
  readonly hub: PollHub;
  readonly executions: ExecutionHost;
  readonly monitor: NodeMonitor;
}

export interface BuiltCluster extends ClusterPlace {
  /** Executions of the whole cluster. */
  readonly executions: Executions;
  readonly placement: Placement;
  readonly notices: PeerNotices;
  view(): Promise<ClusterView>;
}

/** Executions and attempts of the whole cluster, and the placement of its shards. */
export function buildCluster(parts: ClusterParts): BuiltCluster {
  const { settings, clock, stores, place, hub, monitor } = parts;
  const { shards } = settings;
  const { nodeId, identity, links, membership, map, owned, leadership } = place;
  const local = parts.executions;
  answerOwnerCalls(links, { local, owned, shards, views: namedViews, waits: namedWaits });
  const notices = new PeerNotices(identity, links, hub, clock, (error) => monitor.failed(error));
  const attempts = {
    ...{ nodeId, shards, owned, map, peers: links },
    ...{ local: local.claims, store: stores.shards },
  };
  hub.connect({ owner: new RoutedAttempts(attempts), notices });
  const placement = new Placement({
    ...{ clock, shards, membership, map, owned, monitor },
    store: stores.shards,
    peers: links,
    executions: local,
  });
  return {
    ...place,
    executions: new RoutedExecutions({
      ...{ clock, nodeId, shards, local, owned, map },
      peers: links,
      store: stores.executions,
      quarantine: stores.quarantine,
      shardStore: stores.shards,
      capacity: stores.memory,
    }),
    ...{ placement, notices },
    view: () => viewOf({ membership, map, links, placement, leadership, stores, shards }),
  };
}

function heldMostOf(settings: Settings): HeldMost {
  return {
    caller: { openTasks: settings.callerOpenTasksMax, bytes: settings.callerStoredBytesMax },
    definition: {
      openTasks: settings.definitionOpenTasksMax,
      bytes: settings.definitionStoredBytesMax,
    },
  };
}

/** The listener and the links of a node. */
class PeerNetwork implements Service {
  readonly #listener: PeerListener;
  #port = 0;

  constructor(
    private readonly settings: Settings,
    identity: PeerIdentity,
    private readonly links: PeerLinks,
    failed: (error: unknown) => void,
  ) {
    const { handlers } = links;
    const parts = { clock: systemClock, limits: defaultPeerLimits, handlers, failed };
    this.#listener = new PeerListener(identity, parts);
  }

  /** The node's record; its address is known once this listens. */
  nodeOf(settings: Settings, { nodeId, bootId }: PeerIdentity): ClusterNode {
    const address = (): string => this.#address();
    const { auth, restrictTaskDefinitions } = settings;
    return {
      ...{ nodeId, bootId, version, state: 'serving', auth, restrictTaskDefinitions },
      address: `${settings.host}:${settings.port}`,
      get peerAddress() {
        return address();
      },
    };
  }

  #address(): string {
    const { peerAddress, peerHost } = this.settings;
    if (isSocket(peerHost)) return peerHost;
    return peerAddress === '' ? `${peerHost}:${this.#port}` : peerAddress;
  }

  async start(): Promise<void> {
    const { peerHost, peerPort } = this.settings;
    if (isSocket(peerHost)) return this.#listener.listenAt(socketPathOf(peerHost));
    this.#port = await this.#listener.listen(peerHost, peerPort);
  }

  async stop(): Promise<void> {
    this.links.close();
    await this.#listener.close(farewellMs);
  }
}

async function viewOf(parts: {
  membership: Membership;
  map: ShardMap;
  links: PeerLinks;
  placement: Placement;
  leadership: ElectedLeadership;
  stores: NodeStores;
  shards: number;
}): Promise<ClusterView> {
  const { membership, map, links, placement, leadership, stores, shards } = parts;
  const { nodeId } = membership.self;
  const { members } = membership;
  const leases = await stores.shards.leasesMs(members.map((member) => member.nodeId));
  const connected = new Set([nodeId, ...links.connected]);
  return {
    nodeId,
    nodes: members.map((member, i) => ({
      nodeId: member.nodeId,
      version: member.version,
      address: member.address,
      peerAddress: member.peerAddress,
      leaseMs: leases[i] ?? 0,
      shards: map.countOf(member.nodeId),
      linked: connected.has(member.nodeId),
      state: member.state,
    })),
    leader: leadership.leaderId ?? null,
    shards,
    moving: [...new Set([...map.unserved, ...placement.moving])],
  };
}
