// Shows the cluster as this node sees it.
import type { ClusterView } from '../operation/cluster-view.js';
import { endpoint, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as form from './form.js';

const nodeForm = form.object(
  'ClusterNode',
  {
    nodeId: form.text(),
    version: form.text('Of the server'),
    address: form.text('host:port of its API'),
    peerAddress: form.text('host:port at which other nodes reach it'),
    leaseMs: form.integer('Milliseconds until its lease expires unless it is renewed'),
    shards: form.integer('How many shards it owns, as far as this node knows'),
    linked: form.flag('Whether this node can ask it now'),
    state: form.oneOf(['serving', 'leaving']),
  },
  ['nodeId', 'version', 'address', 'peerAddress', 'leaseMs', 'shards', 'linked', 'state'],
);

const clusterForm = form.object(
  'Cluster',
  {
    nodeId: form.text('The node that answers'),
    nodes: form.list(nodeForm),
    leader: form.nullable(form.text('Node id of the leader')),
    shards: form.integer('Number of shards of the keyspace'),
    moving: form.list(form.integer(), 'Shards that no node is known to serve, or that move'),
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
      reply: clusterForm,
      handle: () => view(),
    }),
  ];
}
