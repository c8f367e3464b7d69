// Shows the cluster as this node sees it.
import type { ClusterView } from '../operation/cluster-view.js';
import { endpoint, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as schema from '../model/schema.js';

const nodeSchema = schema.object(
  'ClusterNode',
  {
    nodeId: schema.text(),
    version: schema.text('Of the server'),
    address: schema.text('host:port of its API'),
    peerAddress: schema.text('host:port at which other nodes reach it'),
    leaseMs: schema.integer('Milliseconds until its lease expires unless it is renewed'),
    shards: schema.integer('How many shards it owns, as far as this node knows'),
    linked: schema.flag('Whether this node can ask it now'),
    state: schema.oneOf(['serving', 'leaving']),
  },
  ['nodeId', 'version', 'address', 'peerAddress', 'leaseMs', 'shards', 'linked', 'state'],
);

const clusterSchema = schema.object(
  'Cluster',
  {
    nodeId: schema.text('The node that answers'),
    nodes: schema.list(nodeSchema),
    leader: schema.nullable(schema.text('Node id of the leader')),
    shards: schema.integer('Number of shards of the keyspace'),
    moving: schema.list(schema.integer(), 'Shards that no node is known to serve, or that move'),
  },
  ['nodeId', 'nodes', 'leader', 'shards', 'moving'],
);

export function clusterRoutes(view: () => Promise<ClusterView>): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/admin/cluster',
      name: 'getCluster',
      summary: 'Shows the nodes of the cluster, their shards and links, and the leader.',
      access: administrators,
      reply: clusterSchema,
      handle: () => view(),
    }),
  ];
}
