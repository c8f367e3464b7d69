// Measures what a task costs in a cluster: `npm run bench:cluster -- [--tasks 20000] [--workers 90]
// [--window 600] [--rate 0] [--runs 1]`. The same load runs on one node and on three: executions of
// five tasks are started at the nodes in turn, and workers poll at the nodes in turn and report to
// them. As many executions as the window says are open at a time, or so many tasks a second are
// started as the rate says: then both clusters commit as few of them together. Shown: processor
// time of nodes and of Redis per task, instructions of the nodes where `perf` may count them, and
// how many tasks the polls of each node got. The floor (floor/floor.ts) has the load of one node in
// each run, and a task is told as a multiple of one of the floor's.
//
// Every node gets as many tasks, those before the measurement included: compiling the code costs
// each process several seconds, which else count three times for the same number of tasks.
import { readOptions } from '../bin/lib/options.mjs';
import { LocalCluster } from '../cluster/local-cluster.js';
import { ApiClient } from '../testkit/api-client.js';
import { untilSettled } from '../cluster/settled-cluster.js';
import { pause } from '../testkit/until.js';
import { postAgain } from './ask-again.js';
import { median } from './latencies.js';
import { countInstructions, processorSeconds } from './cluster-costs.js';
import { startFloor } from './floor/floor.js';
import { chain } from './scenarios.js';

const values = readOptions({
  command: 'npm run bench:cluster --',
  about: 'Measures the processor time of a task on one node and on three.',
  options: {
    tasks: { type: 'integer', default: 20_000, about: 'tasks of a run, per node' },
    workers: { type: 'integer', default: 90, about: 'workers that poll and report' },
    window: { type: 'integer', default: 600, about: 'executions that are open at a time' },
    rate: {
      type: 'integer',
      default: 0,
      about: 'tasks started per second instead; 0: as the window allows',
    },
    runs: { type: 'integer', default: 1, about: 'runs of which the median is shown' },
  },
});
/** Per node. */
const tasks = values.tasks;
const workers = values.workers;
const window = values.window;
const rate = values.rate;

const name = 'cluster_cost';
const refs = ['one', 'two', 'three', 'four', 'five'];
const pollMs = 500;
/** Between two looks at what is to be started. */
const paceMs = 5;
/** Per node. */
const warmUpTasks = 10_000;

/** One load: executions in flight, workers at all nodes, and what the polls of each node got. */
class Run {
  readonly taken: number[];
  #open = 0;
  #started = 0;
  #done = 0;

  constructor(
    private readonly clients: readonly ApiClient[],
    private readonly executions: number,
  ) {
    this.taken = clients.map(() => 0);
  }

  async toEnd(): Promise<void> {
    const working = Array.from({ length: workers }, (_, i) => this.#work(i));
    if (rate > 0) await this.#startAtRate();
    else await this.#refill();
    await Promise.all(working);
  }

  async #startAtRate(): Promise<void> {
    const startAt = performance.now();
    const starts: Promise<unknown>[] = [];
    while (this.#started < this.executions) {
      const due = ((performance.now() - startAt) / 1_000) * (rate / refs.length);
      while (this.#started < Math.min(due, this.executions)) starts.push(this.#start());
      await pause(paceMs);
    }
    await Promise.all(starts);
  }

  #start(): Promise<unknown> {
    const client = this.clients[this.#started % this.clients.length] as ApiClient;
    this.#open += 1;
    this.#started += 1;
    return postAgain(client, '/api/workflow', { name, version: 1 });
  }

  async #refill(): Promise<void> {
    const starts: Promise<unknown>[] = [];
    while (this.#open < window && this.#started < this.executions) starts.push(this.#start());
    await Promise.all(starts);
  }

  async #work(index: number): Promise<void> {
    const at = index % this.clients.length;
    const client = this.clients[at] as ApiClient;
    while (this.#done < this.executions) {
      const polled = await client.poll(name, {
        count: 10,
        timeoutMs: pollMs,
        workerId: `${index}`,
      });
      this.taken[at] = (this.taken[at] as number) + polled.length;
      for (const { taskId, workflowInstanceId, seq } of polled) {
        const result = { taskId, workflowInstanceId, status: 'COMPLETED' };
        await postAgain(client, '/api/tasks', result);
        if (seq < refs.length) continue;
        this.#open -= 1;
        this.#done += 1;
        if (rate === 0) await this.#refill();
      }
    }
  }
}

/** Of a task. */
interface Cost {
  /** Of the nodes. */
  readonly us: number;
  readonly redisUs: number;
  /** Undefined where nothing counts them. */
  readonly instructions: number | undefined;
}

async function measure(nodes: number): Promise<Cost> {
  const cluster = await LocalCluster.start({ nodes, redis: 'single', port: 0, isDirect: true });
  const clients = cluster.urls.map((url) => new ApiClient(url, { connections: 256 }));
  try {
    await untilSettled(cluster);
    const [first] = clients as [ApiClient];
    await first.registerTasks({ name, retryCount: 0, responseTimeoutSeconds: 60 });
    const chain = refs.map((taskReferenceName) => ({ name, taskReferenceName, type: 'SIMPLE' }));
    await first.registerWorkflows({ name, version: 1, tasks: chain });
    await new Run(clients, (nodes * warmUpTasks) / refs.length).toEnd();
    const used = (): number =>
      cluster.nodes.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
    const redis = cluster.topology.primary().pid;
    const all = nodes * tasks;
    const run = new Run(clients, all / refs.length);
    const counted = await countInstructions(cluster.nodes.map(({ pid }) => pid));
    const [before, redisBefore, startAt] = [used(), processorSeconds(redis), performance.now()];
    await run.toEnd();
    const passed = (performance.now() - startAt) / 1_000;
    const us = ((used() - before) * 1e6) / all;
    const redisUs = ((processorSeconds(redis) - redisBefore) * 1e6) / all;
    const total = await counted();
    const instructions = total === undefined ? undefined : total / all;
    console.log(
      `${nodes} nodes: ${us.toFixed(0)} us and ${instructions?.toFixed(0) ?? 'uncounted'} ` +
        `instructions of the nodes, ${redisUs.toFixed(0)} us of Redis per task, ` +
        `${(all / passed).toFixed(0)} tasks/s; the polls of each node got ${run.taken.join(', ')}`,
    );
    return { us, redisUs, instructions };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await cluster.stop();
  }
}

/** As many bytes as the server writes for a task of a chain (docs/performance.md). */
const bytesPerTask = 870;

/** The load of one node on the floor: its processor time with that of its Redis, us per task. */
async function measureFloor(): Promise<number> {
  const scenario = { ...chain(refs.length), taskTypes: [name] };
  const floor = await startFloor(scenario, bytesPerTask);
  const client = new ApiClient(`http://127.0.0.1:${floor.port}`, { connections: 256 });
  const used = (): number => processorSeconds(floor.pid) + processorSeconds(floor.redisPid ?? 0);
  try {
    await new Run([client], warmUpTasks / refs.length).toEnd();
    const before = used();
    await new Run([client], tasks / refs.length).toEnd();
    const us = ((used() - before) * 1e6) / tasks;
    console.log(`the floor: ${us.toFixed(0)} us of it and its Redis per task`);
    return us;
  } finally {
    await client.close();
    await floor.stop();
  }
}

const multiples: number[][] = [[], []];
const runs: { readonly one: Cost; readonly three: Cost }[] = [];
for (let run = 0; run < values.runs; run++) {
  const cost = { one: await measure(1), three: await measure(3) };
  const floorUs = await measureFloor();
  runs.push(cost);
  for (const [i, { us, redisUs }] of [cost.one, cost.three].entries()) {
    multiples[i]?.push((us + redisUs) / floorUs);
  }
}
const times = median(runs.map(({ one, three }) => three.us / one.us));
const counts = runs.map(
  ({ one, three }) => (three.instructions ?? NaN) / (one.instructions ?? NaN),
);
console.log(
  `a task costs ${times.toFixed(2)} times as much on three nodes as on one, ` +
    `${median(counts).toFixed(2)} times by instructions`,
);
const [one, three] = multiples.map((values) => median(values).toFixed(2));
console.log(`nodes and Redis, by the floor: ${one} times on one node, ${three} on three`);
