// The display of `npm run cluster`: a table that is drawn anew in place in a terminal, one line
// where the output is no terminal.
import readline from 'node:readline';
import type { ClusterNodeView, ClusterView } from '../src/operation/cluster-view.js';
import { allFaults } from './faults.js';
import type { ClusterLoad } from './load.js';
import type { LocalCluster } from './local-cluster.js';
import type { LocalNode } from './local-node.js';

const viewTimeoutMs = 500;

interface Snapshot {
  readonly view: ClusterView | undefined;
  readonly tasksPerSecond: number;
}

/** The facts that both kinds of output show, read anew each time. */
export class Observer {
  #tasks = 0;
  #at = performance.now();

  constructor(
    readonly cluster: LocalCluster,
    readonly load: ClusterLoad,
  ) {}

  async look(): Promise<Snapshot> {
    const view = await readView(this.cluster);
    const now = performance.now();
    const tasks = this.load.completedTasks;
    const tasksPerSecond = Math.round(((tasks - this.#tasks) * 1000) / (now - this.#at));
    this.#tasks = tasks;
    this.#at = now;
    return { view, tasksPerSecond };
  }
}

/** A table that is drawn anew in place. */
export class LiveScreen {
  readonly #observer: Observer;
  #said = '';

  constructor(cluster: LocalCluster, load: ClusterLoad) {
    this.#observer = new Observer(cluster, load);
  }

  async show(): Promise<void> {
    const { cluster, load } = this.#observer;
    const lines = screenOf(cluster, load, await this.#observer.look());
    const height = process.stdout.rows - 1;
    readline.cursorTo(process.stdout, 0, 0);
    readline.clearScreenDown(process.stdout);
    process.stdout.write([...lines, '', this.#said].slice(0, height).join('\n') + '\n');
  }

  /** A sentence that stays until the next one. */
  say(sentence: string): void {
    this.#said = sentence;
    console.log(sentence);
  }
}

/** A line each time, for a log; each fault on a line of its own. */
export class LogLines {
  readonly #observer: Observer;
  #faultsShown = 0;

  constructor(cluster: LocalCluster, load: ClusterLoad) {
    this.#observer = new Observer(cluster, load);
  }

  async show(): Promise<void> {
    const { cluster, load } = this.#observer;
    const seen = await this.#observer.look();
    for (const { text } of cluster.faults.slice(this.#faultsShown)) this.say(`fault: ${text}`);
    this.#faultsShown = cluster.faults.length;
    console.log(lineOf(cluster, load, seen));
  }

  say(sentence: string): void {
    console.log(sentence);
  }
}

/**
 * The cluster as the first node that answers sees it, one with open links if there is any;
 * undefined when none answers.
 */
async function readView(cluster: LocalCluster): Promise<ClusterView | undefined> {
  const running = cluster.nodes.filter(({ state }) => state === 'running');
  const isCut = (node: LocalNode): number => Number(node.redisProxy?.state === 'cut');
  for (const node of running.sort((a, b) => isCut(a) - isCut(b))) {
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
    const known = nodeOf(seen, node.name);
    const lease = known === undefined ? 'no lease' : `lease ${known.leaseMs} ms`;
    return `${node.name} ${node.state} ${known?.shards ?? 0} shards ${lease}`;
  });
  const leader = seen.view?.leader ?? 'none';
  const speed = `${seen.tasksPerSecond} tasks/s, p99 ${load.p99Ms.toFixed(1)} ms`;
  return `${nodes.join(' | ')} | leader ${leader} | ${speed} | ${cluster.faults.length} faults`;
}

/** The whole screen, as lines. */
export function screenOf(cluster: LocalCluster, load: ClusterLoad, seen: Snapshot): string[] {
  const rows = cluster.nodes.map((node) => {
    const known = nodeOf(seen, node.name);
    const links = `peers ${node.peerProxy.state}, redis ${node.redisProxy?.state ?? 'direct'}`;
    const lease = known === undefined ? '-' : `${known.leaseMs} ms`;
    const leads = seen.view?.leader === node.name ? 'leader' : '';
    const shards = String(known?.shards ?? 0);
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
    `${cluster.faults.length} faults so far`,
    ...cluster.faults.slice(-5).map(({ at, text }) => `${new Date(at).toISOString()}  ${text}`),
    '',
    ...allFaults().map(({ key, about }) => `  ${key}  ${about}`),
    '  q  stop everything',
  ];
}

function nodeOf({ view }: Snapshot, nodeId: string): ClusterNodeView | undefined {
  return view?.nodes.find((each) => each.nodeId === nodeId);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] as number)).join('  '));
}
