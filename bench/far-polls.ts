// How long a task takes to a poll that waits at another node: `npm run bench:polls -- [--nodes 3]
// [--tasks 200] [--busy 0]`. One execution at a time is started at one node while a poll waits at
// another one; the time runs from the answer to the start, which follows its commit, to the answer
// to the poll. For comparison the same with a poll at the node that takes the start. `--busy`:
// other executions per second meanwhile, with workers at all nodes. Redis counts its commands.
import { readOptions } from '../bin/lib/options.mjs';
import { ClusterLoad } from '../cluster/load.js';
import { LocalCluster } from '../cluster/local-cluster.js';
import { ApiClient } from '../testkit/api-client.js';
import { untilSettled } from '../cluster/settled-cluster.js';
import { until } from '../testkit/until.js';
import { commandsOf, processorSeconds } from './cluster-costs.js';
import { Latencies } from './latencies.js';

const values = readOptions({
  command: 'npm run bench:polls --',
  about: 'Measures how long a task takes to a poll that waits at another node.',
  options: {
    nodes: { type: 'integer', default: 3, about: 'nodes of the cluster' },
    tasks: { type: 'integer', default: 200, about: 'tasks that are measured' },
    busy: { type: 'integer', default: 0, about: 'other executions per second meanwhile' },
  },
});
const tasks = values.tasks;
const busy = values.busy;
const warmUps = 30;

/** The polls that wait at a node. */
async function parkedPolls(client: ApiClient): Promise<number> {
  const { text } = await client.ask('GET', '/metrics');
  const found = /^\w*parked_polls(?:\{[^}]*\})? (\d+)/m.exec(text);
  if (found === null) throw new Error('No metric tells how many polls are parked');
  return Number(found[1]);
}

async function register(client: ApiClient, name: string): Promise<void> {
  await client.registerTasks({ name, retryCount: 0, responseTimeoutSeconds: 60 });
  const tasksOfIt = [{ name, taskReferenceName: 'one', type: 'SIMPLE' }];
  await client.registerWorkflows({ name, version: 1, tasks: tasksOfIt });
}

/** One task from `starter` to a poll that waits at `poller`, ms. */
async function handOver(name: string, starter: ApiClient, poller: ApiClient): Promise<number> {
  const before = await parkedPolls(poller);
  const polled = poller
    .poll(name, { timeoutMs: 5_000 })
    .then((found) => [found, performance.now()] as const);
  if (busy === 0) await until('the poll', async () => (await parkedPolls(poller)) > before);
  const workflowInstanceId = await starter.start({ name, version: 1 });
  const committedAt = performance.now();
  const [[task], takenAt] = await polled;
  if (task === undefined) throw new Error('The poll got no task in 5 s');
  await poller.update({ taskId: task.taskId, workflowInstanceId, status: 'COMPLETED' });
  return Math.max(0, takenAt - committedAt);
}

async function measure(
  cluster: LocalCluster,
  name: string,
  [starter, poller]: readonly [ApiClient, ApiClient],
): Promise<void> {
  await register(starter, name);
  for (let i = 0; i < warmUps; i++) await handOver(name, starter, poller);
  const latencies = new Latencies();
  const commandsBefore = commandsOf(cluster);
  const cpuBefore = cluster.nodes.map(({ pid }) => processorSeconds(pid));
  for (let i = 0; i < tasks; i++) latencies.add(await handOver(name, starter, poller));
  const cpu = cluster.nodes.map(({ pid }, i) => processorSeconds(pid) - (cpuBefore[i] as number));
  const commands = [...commandsOf(cluster)]
    .map(([command, calls]) => [command, (calls - (commandsBefore.get(command) ?? 0)) / tasks])
    .filter(([, calls]) => (calls as number) >= 0.2)
    .map(([command, calls]) => `${command} ${(calls as number).toFixed(1)}`);
  console.log(`${name}: ${latencies.describe()}`);
  console.log(`  commands per task: ${commands.join(', ')}`);
  const used = cpu.map((seconds) => ((seconds * 1000) / tasks).toFixed(2));
  console.log(`  processor time of each node per task, ms: ${used.join(', ')}`);
}

const settings = { nodes: values.nodes, redis: 'single', port: 0, isDirect: true } as const;
const cluster = await LocalCluster.start(settings);
const clients = cluster.urls.map((url) => new ApiClient(url));
const load = new ClusterLoad(cluster.urls);
try {
  await untilSettled(cluster);
  if (busy > 0) await load.start(clients.length * 4, busy);
  const [first, second = first] = clients as [ApiClient, ApiClient?];
  await measure(cluster, 'the_same_node', [first, first]);
  await measure(cluster, 'another_node', [first, second]);
} finally {
  await load.stop();
  await Promise.all(clients.map((client) => client.close()));
  await cluster.stop();
}
