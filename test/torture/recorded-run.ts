// A cluster under the mixed load of the torture test, with its judges: whatever happens to nodes
// and links meanwhile, what was acknowledged is there, once, and everything ends.
import type { LocalCluster } from '../../cluster/local-cluster.js';
import type { LocalNode } from '../../cluster/local-node.js';
import { ClusterClient } from '../support/cluster-client.js';
import { tell } from '../support/figures.js';
import { until } from '../support/until.js';
import { checkRun } from './check-run.js';
import { Journal } from './journal.js';
import { taskDefs, workflowDefs } from './load-definitions.js';
import { TortureLoad } from './load.js';

export interface RecordedRun {
  readonly journal: Journal;
  readonly client: ClusterClient;
  readonly violations: readonly string[];
}

export interface RecordedRunOptions {
  readonly seed?: number;
  /** How often the clients repeat a failed request at the next node by themselves. */
  readonly repeats?: number;
  readonly openMax?: number;
  readonly drainMs?: number;
}

/** Runs the load while `disturb` does what it does; then drains and judges. */
export async function recordedRun(
  cluster: LocalCluster,
  options: RecordedRunOptions,
  disturb: (journal: Journal) => Promise<void>,
): Promise<RecordedRun> {
  const { seed = Date.now() % 1_000_000, repeats = 0, openMax = 60, drainMs = 60_000 } = options;
  const client = new ClusterClient(cluster.urls, { repeats, requestTimeoutMs: 5_000 });
  const journal = new Journal();
  const load = new TortureLoad(client, journal, { seed, openMax, starters: 4, workersPerType: 2 });
  try {
    await client.registerTasks(...taskDefs);
    await client.registerWorkflows(...workflowDefs);
    load.begin();
    await until('a first load', () => journal.acknowledgedReports > 20);
    await disturb(journal);
    const isDrained = await load.drain(drainMs);
    const open = [...load.open].map(([id, { workflowName }]) => `${workflowName} ${id}`);
    const undrained = isDrained ? [] : [`did not end in ${drainMs} ms: ${open.join(', ')}`];
    await load.end();
    const stores = isDrained ? cluster.topology.primaries().map(({ port }) => port) : [];
    const checked = await checkRun(client, journal, stores.map(urlOf));
    const violations = [...undrained, ...checked];
    if (violations.length > 0) for (const node of cluster.nodes) tellErrors(node);
    return { journal, client, violations };
  } finally {
    await load.end();
    await client.close();
  }
}

/** What the node logged as its own fault. */
function tellErrors(node: LocalNode): void {
  const lines = node.output.split('\n').filter((line) => /"level":[56]0/.test(line));
  tell(`${node.name} wrote:\n${lines.slice(-10).join('\n')}`);
}

function urlOf(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

/** Resolves when `count` more reports have been acknowledged. */
export async function untilReports(journal: Journal, count: number): Promise<void> {
  const wanted = journal.acknowledgedReports + count;
  await until(`${count} more reports`, () => journal.acknowledgedReports >= wanted, {
    timeoutMs: 30_000,
  });
}
