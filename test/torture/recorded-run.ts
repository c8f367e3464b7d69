// A cluster under the mixed load of the torture test, with its judges: whatever happens to nodes
// and links meanwhile, what was acknowledged is there, once, and everything ends.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import { ClusterClient } from '../support/cluster-client.js';
import { tell } from '../support/figures.js';
import { until } from '../../testkit/until.js';
import { checkRun } from './check-run.js';
import { startSideLoads } from './side-loads.js';
import { writeHistory } from './history.js';
import { Journal } from './journal.js';
import { taskDefs, workflowDefs } from './load-definitions.js';
import { TortureLoad } from './load.js';
import { RedisTrail } from './redis-trail.js';
import { LiveReader } from './run-reader.js';
import type { SideLoads } from './side-load.js';

export interface RecordedRun {
  readonly journal: Journal;
  readonly client: ClusterClient;
  readonly violations: readonly string[];
  /** What the side loads have done, in words. */
  readonly beside: string;
}

export interface RecordedRunOptions {
  readonly seed?: number;
  /** How often the clients repeat a failed request at the next node by themselves. */
  readonly repeats?: number;
  readonly openMax?: number;
  readonly drainMs?: number;
  /** What side-loads.ts does is judged as well; the nodes run with `eventLoadArgs`. */
  readonly withSideLoads?: boolean;
  /** Where a failing run is kept (history.ts); the folder of temporary files by default. */
  readonly historyFolder?: string;
}

/** Runs the load while `disturb` does what it does; then drains and judges. */
export async function recordedRun(
  cluster: LocalCluster,
  options: RecordedRunOptions,
  disturb: (journal: Journal) => Promise<void>,
): Promise<RecordedRun> {
  const { seed = Date.now() % 1_000_000, repeats = 0, openMax = 60, drainMs = 60_000 } = options;
  const { historyFolder = os.tmpdir(), withSideLoads = false } = options;
  const client = new ClusterClient(cluster.urls, { repeats, requestTimeoutMs: 5_000 });
  const journal = new Journal();
  const load = new TortureLoad(client, journal, { seed, openMax, starters: 4, workersPerType: 2 });
  const trail = trailOf(cluster);
  let side: SideLoads | undefined;
  try {
    if (withSideLoads) side = await startSideLoads(client, seed);
    await client.registerTasks(...taskDefs);
    await client.registerWorkflows(...workflowDefs);
    load.begin();
    side?.begin();
    await until('a first load', () => journal.acknowledgedReports > 20);
    await disturb(journal);
    const isDrained = await load.drain(drainMs);
    const open = [...load.open].map(([id, { workflowName }]) => `${workflowName} ${id}`);
    const undrained = isDrained ? [] : [`did not end in ${drainMs} ms: ${open.join(', ')}`];
    await load.end();
    const reader = new LiveReader(client, isDrained ? cluster.topology : undefined);
    const lost = (await side?.judge(drainMs)) ?? [];
    const violations = [...undrained, ...(await checkRun(reader, journal)), ...lost];
    if (violations.length > 0) {
      keepLogs(cluster, historyFolder, seed);
      trail.keep(path.join(historyFolder, `downbeat-${seed}-redis`));
      const file = path.join(historyFolder, `downbeat-history-${seed}-${Date.now()}.json`);
      const { answers } = reader;
      const { timeOrigin } = performance;
      writeHistory(file, { seed, timeOrigin, faults: cluster.faults, journal, undrained, answers });
      tell(`the history is kept: npm run torture -- --replay ${file}`);
    }
    return { journal, client, violations, beside: side?.describe() ?? 'nothing' };
  } catch (error) {
    keepLogs(cluster, historyFolder, seed);
    trail.keep(path.join(historyFolder, `downbeat-${seed}-redis`));
    throw error;
  } finally {
    await load.end();
    await side?.end();
    await client.close();
    trail.end();
  }
}

function trailOf({ topology }: LocalCluster): RedisTrail {
  const servers = topology.servers.map(({ name, settings }) => ({ name, folder: settings.folder }));
  return new RedisTrail(servers);
}

/** What the nodes and the Redis processes wrote, beside the history. */
function keepLogs(cluster: LocalCluster, folder: string, seed: number): void {
  fs.mkdirSync(folder, { recursive: true });
  for (const { name, output } of [...cluster.nodes, ...cluster.topology.all]) {
    fs.writeFileSync(path.join(folder, `downbeat-${seed}-${name}.log`), output);
  }
}

/** Resolves when `count` more reports have been acknowledged. */
export async function untilReports(journal: Journal, count: number): Promise<void> {
  const wanted = journal.acknowledgedReports + count;
  await until(`${count} more reports`, () => journal.acknowledgedReports >= wanted, {
    timeoutMs: 30_000,
  });
}
