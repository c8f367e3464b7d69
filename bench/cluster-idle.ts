// Measures what an idle cluster costs: `npm run bench:idle -- [--nodes 3] [--polls 10000] [--types
// 100] [--seconds 20] [--warm-up 60]`. Polls wait at all nodes and nothing becomes ready; Redis
// counts its commands, those inside scripts too. Shown per node and second, with the processor time
// of the nodes, and of the floor (floor/floor.ts) with the same polls. Only their keys tell which
// commands renew and read the leases of nodes and leader: MONITOR shows those.
import { spawn } from 'node:child_process';
import { readOptions } from '../bin/lib/options.mjs';
import { LocalCluster } from '../cluster/local-cluster.js';
import { ApiClient } from '../testkit/api-client.js';
import { untilSettled } from '../cluster/settled-cluster.js';
import { pause } from '../testkit/until.js';
import { commandsOf, processorSeconds } from './cluster-costs.js';
import { startFloor } from './floor/floor.js';
import { chain } from './scenarios.js';

const values = readOptions({
  command: 'npm run bench:idle --',
  about: 'Measures what an idle cluster costs while polls wait at all nodes.',
  options: {
    nodes: { type: 'integer', default: 3, about: 'nodes of the cluster' },
    polls: { type: 'integer', default: 10_000, about: 'polls that wait' },
    types: { type: 'integer', default: 100, about: 'task types that they wait for' },
    seconds: { type: 'integer', default: 20, about: 'how long it is measured' },
    'warm-up': { type: 'integer', default: 60, about: 'how long before that, in seconds' },
  },
});
const nodes = values.nodes;
const polls = values.polls;
const types = values.types;
const seconds = values.seconds;

const pollMs = 5_000;
/**
 * Until the first polls of all types have been looked at, half a round of the sweeps has passed,
 * and V8 has compiled what an idle node does.
 */
const warmUpMs = values['warm-up'] * 1_000;
/** Names of keys without what differs between nodes, shards and types. */
function kindOf(command: string): string {
  return command
    .replace(/\{s\d+\}/g, '{s}')
    .replace(/\{q:[^}]*\}/g, '{q}')
    .replace(/:node:[^: ]+/g, ':node')
    .replace(/:nodes?$|:node$/g, ':nodes');
}

/** Watches commands until `stop`, which resolves with their number by command and kind of key. */
function watchCommands(port: number): { stop(): Promise<Map<string, number>> } {
  const monitor = spawn('redis-cli', ['-p', String(port), 'MONITOR'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  monitor.stdout.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  const ended = new Promise<void>((resolve) => monitor.once('close', () => resolve()));
  return {
    async stop() {
      monitor.kill();
      await ended;
      const counts = new Map<string, number>();
      for (const [, name, key] of text.matchAll(/\] "([A-Za-z]+)"(?: "([^"]*)")?/g)) {
        const kind = kindOf(`${(name as string).toLowerCase()} ${key ?? ''}`.trim());
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      return counts;
    },
  };
}

/** Commands that renew and read the leases of nodes and leader. */
const ofLeases = /^time$|:nodes$|:leader$/;

async function keepPolling(
  clients: readonly ApiClient[],
  index: number,
  isOver: () => boolean,
): Promise<void> {
  const client = clients[index % clients.length] as ApiClient;
  // Spread over their time, as polls of real workers are.
  await pause((pollMs * index) / polls);
  while (!isOver()) {
    await client.poll(`idle_${index % types}`, { timeoutMs: pollMs, workerId: `w${index}` });
  }
}

/** Share of a core that the nodes use, percent. */
async function measure(cluster: LocalCluster): Promise<number> {
  const before = commandsOf(cluster);
  const cpuBefore = cluster.nodes.map(({ pid }) => processorSeconds(pid));
  const watch = watchCommands(cluster.topology.primary().port);
  const startAt = performance.now();
  await pause(seconds * 1_000);
  const passed = (performance.now() - startAt) / 1_000;
  const perSecond = (calls: number): number => calls / passed / nodes;
  const kinds = await watch.stop();
  const calls = [...commandsOf(cluster)].map(
    ([name, after]) => [name, after - (before.get(name) ?? 0)] as const,
  );
  show(calls, perSecond);
  console.log('of these, by kind of key:');
  show(kinds, perSecond);
  const total = calls.reduce((sum, [, number]) => sum + number, 0);
  const leases = [...kinds].reduce((sum, [kind, n]) => sum + (ofLeases.test(kind) ? n : 0), 0);
  const cpu = cluster.nodes.map(
    ({ pid }, i) => ((processorSeconds(pid) - (cpuBefore[i] as number)) / passed) * 100,
  );
  console.log(
    `${perSecond(total).toFixed(1)} commands per second and node, ` +
      `${perSecond(leases).toFixed(1)} of them on leases`,
  );
  console.log(`nodes use ${cpu.map((share) => `${share.toFixed(1)} %`).join(', ')} of a core`);
  return cpu.reduce((sum, share) => sum + share, 0);
}

function show(
  counts: Iterable<readonly [string, number]>,
  perSecond: (calls: number) => number,
): void {
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  for (const [name, calls] of rows) {
    const rate = perSecond(calls);
    if (rate >= 0.05) console.log(`  ${name.padEnd(30)} ${rate.toFixed(1)}`);
  }
}

/** The share of a core that the floor uses with as many polls, percent. */
async function measureFloor(): Promise<number> {
  const taskTypes = Array.from({ length: types }, (_, i) => `idle_${i}`);
  const floor = await startFloor({ ...chain(1), taskTypes }, 0);
  const client = new ApiClient(`http://127.0.0.1:${floor.port}`, { connections: polls + 1 });
  let isOver = false;
  try {
    const polling = Array.from({ length: polls }, (_, i) => keepPolling([client], i, () => isOver));
    await pause(warmUpMs);
    const before = processorSeconds(floor.pid);
    await pause(seconds * 1_000);
    const share = ((processorSeconds(floor.pid) - before) / seconds) * 100;
    isOver = true;
    await Promise.allSettled(polling);
    return share;
  } finally {
    await client.close();
    await floor.stop();
  }
}

const floorShare = await measureFloor();
const cluster = await LocalCluster.start({ nodes, redis: 'single', port: 0, isDirect: true });
const connections = Math.ceil(polls / nodes) + 1;
const clients = cluster.urls.map((url) => new ApiClient(url, { connections }));
let over = false;
try {
  await untilSettled(cluster);
  console.log(`${nodes} nodes, ${polls} polls of ${types} types, ${seconds} s`);
  const polling = Array.from({ length: polls }, (_, i) => keepPolling(clients, i, () => over));
  await pause(warmUpMs);
  const share = await measure(cluster);
  console.log(
    `all nodes ${share.toFixed(1)} %, the floor ${floorShare.toFixed(1)} % of a core: ` +
      `${(share / floorShare).toFixed(1)} times the floor`,
  );
  over = true;
  await Promise.allSettled(polling);
} finally {
  await Promise.all(clients.map((client) => client.close()));
  await cluster.stop();
}
