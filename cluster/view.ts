// What `npm run cluster` shows: a table that is drawn anew in place in a terminal, one line where
// the output is no terminal.
import type { ClusterView } from '../src/operation/cluster-view.js';
import { allFaults } from './faults.js';
import type { ClusterLoad } from './load.js';
import type { LocalCluster } from './local-cluster.js';

const viewTimeoutMs = 500;

export interface Snapshot {
  readonly view: ClusterView | undefined;
  readonly tasksPerSecond: number;
}

/** The cluster as the first node that answers sees it; undefined when none does. */
export async function readView(cluster: LocalCluster): Promise<ClusterView | undefined> {
  for (const node of cluster.nodes) {
    if (node.state !== 'running') continue;
    try {
      const response = await fetch(`${node.url}/api/admin/cluster`, {
        signal: AbortSignal.timeout(viewTimeoutMs),
      });
      if (response.ok) return (await response.json()) as ClusterView;
    } catch {
      // It does not answer now; another one may.
    }
  }
  return undefined;
}

/** One line for a log. */
export function lineOf(cluster: LocalCluster, load: ClusterLoad, seen: Snapshot): string {
  const nodes = cluster.nodes.map((node) => {
    const shards = shardsOf(seen, node.name);
    return `${node.name} ${node.state} ${shards} shards`;
  });
  const leader = seen.view?.leader ?? 'none';
  const speed = `${seen.tasksPerSecond} tasks/s, p99 ${load.p99Ms.toFixed(1)} ms`;
  return `${nodes.join(' | ')} | leader ${leader} | ${speed} | ${cluster.faults.length} faults`;
}

/** The whole screen, as lines. */
export function screenOf(cluster: LocalCluster, load: ClusterLoad, seen: Snapshot): string[] {
  const rows = cluster.nodes.map((node) => {
    const known = seen.view?.nodes.find((each) => each.nodeId === node.name);
    const links = `peers ${node.peerProxy.state}, redis ${node.redisProxy?.state ?? 'direct'}`;
    const lease = known === undefined ? '-' : `${known.leaseMs} ms`;
    const leads = seen.view?.leader === node.name ? 'leader' : '';
    const shards = String(shardsOf(seen, node.name));
    return [node.name, node.state, shards, lease, leads, links, node.url];
  });
  const header = ['node', 'process', 'shards', 'lease', '', 'links', 'address'];
  const redis = cluster.topology.servers
    .map((server) => `${server.name} ${server.isRunning ? 'runs' : 'is down'}`)
    .join(', ');
  return [
    ...table([header, ...rows]),
    '',
    `Redis (${cluster.topology.kind}): ${redis}`,
    `${seen.tasksPerSecond} tasks/s   p99 of a report ${load.p99Ms.toFixed(1)} ms   ` +
      `${load.completedTasks} tasks   ${load.failedRequests} requests that no node took`,
    `moving shards: ${seen.view?.moving.length ?? '-'}`,
    '',
    ...cluster.faults.slice(-5).map(({ at, text }) => `${new Date(at).toISOString()}  ${text}`),
    '',
    ...allFaults().map(({ key, about }) => `  ${key}  ${about}`),
    '  q  stop everything',
  ];
}

function shardsOf(seen: Snapshot, nodeId: string): number {
  return seen.view?.nodes.find((each) => each.nodeId === nodeId)?.shards ?? 0;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] as number)).join('  '));
}
