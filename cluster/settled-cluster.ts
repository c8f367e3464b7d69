// A local cluster of three nodes in which every shard is served and all nodes know each other.
import { LocalCluster, type LocalClusterSettings } from './local-cluster.js';
import type { ClusterView } from '../src/operation/cluster-view.js';
import { until } from '../testkit/until.js';

export async function startSettledCluster(
  settings: Pick<LocalClusterSettings, 'redis'> & Partial<LocalClusterSettings>,
): Promise<LocalCluster> {
  const cluster = await LocalCluster.start({ nodes: 3, port: 0, ...settings });
  await untilSettled(cluster);
  return cluster;
}

/**
 * Waits until every node that runs sees the same members, all linked, with all shards served by
 * them, and one leader. Resolves with the ms that this took.
 */
export async function untilSettled(cluster: LocalCluster, timeoutMs = 30_000): Promise<number> {
  const startAt = performance.now();
  try {
    await until(`a settled cluster`, () => isSettled(cluster), { timeoutMs, everyMs: 20 });
  } catch (cause) {
    throw new Error(`the cluster did not settle:\n${await describe(cluster)}`, { cause });
  }
  return performance.now() - startAt;
}

/** The view of each node, a line each. */
async function describe(cluster: LocalCluster): Promise<string> {
  const lines = cluster.nodes.map(async ({ name, state, url }) => {
    const view = await viewAt(url);
    if (view === undefined) return `${name} ${state} does not answer`;
    const nodes = view.nodes.map(
      (node) => `${node.nodeId} ${node.shards} shards${node.linked ? '' : ' not linked'}`,
    );
    return `${name} ${state} sees ${nodes.join(', ')}; ${view.moving.length} moving; leader ${view.leader}`;
  });
  return (await Promise.all(lines)).join('\n');
}

async function isSettled(cluster: LocalCluster): Promise<boolean> {
  const running = cluster.nodes.filter(({ state }) => state === 'running');
  const names = running
    .map(({ name }) => name)
    .sort()
    .join();
  const views = await Promise.all(running.map(({ url }) => viewAt(url)));
  const leaders = new Set(views.map((view) => view?.leader));
  return (
    leaders.size === 1 &&
    !leaders.has(null) &&
    views.every((view) => {
      if (view === undefined || view.moving.length > 0) return false;
      const serving = view.nodes.filter(({ linked, shards }) => linked && shards > 0);
      const known = view.nodes.map(({ nodeId }) => nodeId);
      return (
        known.sort().join() === names &&
        serving.length === running.length &&
        serving.reduce((sum, { shards }) => sum + shards, 0) === view.shards
      );
    })
  );
}

/** The cluster as the node at this address sees it; undefined while it does not answer. */
export async function viewAt(url: string): Promise<ClusterView | undefined> {
  try {
    const signal = AbortSignal.timeout(1_000);
    const response = await fetch(`${url}/api/admin/cluster`, { signal });
    return response.ok ? ((await response.json()) as ClusterView) : undefined;
  } catch {
    // Refused, cut off or too slow: it cannot tell now.
    return undefined;
  }
}
