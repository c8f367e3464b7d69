// The benchmark programme (`npm run bench -- --help`). Starts a server of its own with the default
// settings (private Redis, every write synced) and prints the figures with what they were measured
// on.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { readOptions } from '../bin/lib/options.mjs';
import { ApiClient } from '../testkit/api-client.js';
import { startServer, type RunningServer } from '../testkit/server.js';
import { chainCost } from './chain-cost.js';
import { median } from './latencies.js';
import type { LoadSettings, WorkMode } from './load-driver.js';
import {
  describeRun,
  loopLagMaxMs,
  measure,
  medianRun,
  memoryMegabytes,
  prepare,
  type Measurement,
} from './measure.js';
import { neighbourWaits } from './neighbours.js';
import { readingCost } from './reading.js';
import { chain, dynamicFork, loop, subWorkflows, type Scenario } from './scenarios.js';
import { unloadedSteps } from './unloaded.js';

const options = readOptions({
  command: 'npm run bench --',
  about: 'Measures a server of its own under load and prints the figures.',
  options: {
    short: { type: 'boolean', about: 'one run of 20,000 tasks' },
    only: {
      type: 'string',
      default: 'throughput,latency,cost',
      about: 'of throughput, latency, cost, chain, unloaded, reading and neighbours',
    },
    mode: {
      type: 'string',
      oneOf: ['batch', 'crews', 'update-v2'],
      about: 'how workers report; else batch, then update-v2',
    },
    compare: { type: 'string', default: '', about: 'of cost: scenarios whose name holds this' },
    runs: { type: 'integer', default: 3, about: 'runs of which the median is shown' },
    tasks: { type: 'integer', about: 'tasks of a run; else 100,000' },
    types: { type: 'integer', default: 1, about: 'task types that the tasks are of' },
    window: { type: 'integer', default: 400, about: 'executions that are open at a time' },
    starters: { type: 'integer', default: 8, about: 'connections that start executions' },
    pollers: { type: 'integer', default: 4, about: 'connections that poll' },
    count: { type: 'integer', default: 50, about: 'tasks of a poll at most' },
    workers: { type: 'integer', default: 64, about: 'connections that report' },
    against: { type: 'string', default: '', about: 'folder of another version to run in turns' },
    secured: { type: 'boolean', about: 'with authentication' },
    processes: { type: 'integer', default: 1, about: 'of chain: so many on one port beside one' },
  },
});

const runs = options.short ? 1 : options.runs;
const tasks = options.tasks ?? (options.short ? 20_000 : 100_000);
const largest = options.short ? 1_000 : 10_000;

function settingsFor(mode: WorkMode): LoadSettings {
  return {
    mode,
    window: options.window,
    starters: options.starters,
    pollers: options.pollers,
    pollCount: options.count,
    pollTimeoutMs: 1_000,
    workers: options.workers,
  };
}

const onlyOne: LoadSettings = {
  ...{ mode: 'in-turn', window: 1, starters: 1 },
  ...{ pollers: 1, pollCount: 1, pollTimeoutMs: 2_000, workers: 1 },
};

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function describeMachine(): void {
  const [cpu] = os.cpus();
  const model = cpu?.model ?? 'unknown processor';
  say(`${os.cpus().length} cores of ${model}, Node ${process.version}, ${os.release()}`);
  say(`load before: ${readFileSync('/proc/loadavg', 'utf8').trim()}`);
}

/** Tasks per second and processor time of executions of five tasks. */
async function throughput(server: RunningServer): Promise<void> {
  const scenario = chain(5, options.types);
  const executions = Math.ceil(tasks / scenario.tasksPerExecution);
  await prepare(server, scenario);
  const modes = options.mode === undefined ? ['batch', 'update-v2'] : [options.mode];
  for (const mode of modes as WorkMode[]) {
    const settings = settingsFor(mode);
    say(`\nthroughput, ${scenario.name}, ${JSON.stringify(settings)}`);
    await measure(server, scenario, Math.ceil(executions / 5), settings);
    const results: Measurement[] = [];
    for (let run = 0; run < runs; run++) {
      results.push(await measure(server, scenario, executions, settings));
      say(`  run ${run + 1}: ${describeRun(results.at(-1) as Measurement)}`);
    }
    const middle = medianRun(results);
    say(`  median: ${describeRun(middle)}`);
    say(`  start:  ${middle.load.starts.describe()}`);
    say(`  poll:   ${middle.load.polls.describe()}, ${middle.load.emptyPolls} empty`);
    say(`  update: ${middle.load.updates.describe()}`);
    say(`  node memory: ${memoryMegabytes(server)}`);
  }
}

/** (end - start) / 5 of single chains of five on an idle server. */
async function latency(server: RunningServer): Promise<void> {
  const scenario = chain(5);
  await prepare(server, scenario);
  const executions = options.short ? 50 : 200;
  for (const mode of ['in-turn', 'update-v2', 'batch'] as const) {
    const settings = { ...onlyOne, mode };
    await measure(server, scenario, 20, settings);
    const run = await measure(server, scenario, executions, settings);
    const client = new ApiClient(server.url);
    const perTask: number[] = [];
    for (const id of run.load.workflowIds) {
      const { startTime, endTime } = await client.workflow(id, { includeTasks: false });
      perTask.push((endTime - startTime) / scenario.tasksPerExecution);
    }
    await client.close();
    const sorted = perTask.sort((a, b) => a - b);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
    say(
      `\nlatency, unloaded chain of five, one worker, ${mode}: (end - start) / 5 median ` +
        `${median(sorted).toFixed(2)} ms, p95 ${p95.toFixed(2)} ms; per task ` +
        `${(run.load.elapsedMs / run.tasks).toFixed(2)} ms seen by the driver`,
    );
    say(`  poll:   ${run.load.polls.describe()}`);
    say(`  update: ${run.load.updates.describe()}`);
  }
}

interface Comparison {
  readonly name: string;
  readonly small: Scenario;
  readonly large: Scenario;
  /** Worker tasks in flight with both. */
  readonly inFlight: number;
}

/** The cost of a task in a large execution, against the same number of tasks in small ones. */
async function cost(server: RunningServer): Promise<void> {
  const comparisons: Comparison[] = [
    {
      name: '1,000 dynamic branches against 10',
      small: dynamicFork(10),
      large: dynamicFork(1_000),
      inFlight: 1_000,
    },
    {
      name: `${largest} dynamic branches against 10`,
      small: dynamicFork(10),
      large: dynamicFork(largest),
      inFlight: largest,
    },
    {
      name: `loop of ${largest} rounds against 10`,
      small: loop(10, 0),
      large: loop(largest, 0),
      inFlight: 1,
    },
    {
      name: `loop of ${largest} rounds against 10, keepLastN 5`,
      small: loop(10, 5),
      large: loop(largest, 5),
      inFlight: 1,
    },
    {
      name: `${largest} tasks in a row against 10`,
      small: chain(10),
      large: chain(largest),
      inFlight: 1,
    },
    {
      name: '1,000 sub-workflows of one parent against 10',
      small: subWorkflows(10),
      large: subWorkflows(1_000),
      inFlight: 1_000,
    },
  ];
  for (const comparison of comparisons) {
    if (comparison.name.includes(options.compare)) await compare(server, comparison);
  }
}

async function compare(server: RunningServer, comparison: Comparison): Promise<void> {
  const count = comparison.inFlight === 1 ? largest : Math.max(largest, 10_000);
  const run = async (scenario: Scenario): Promise<Measurement> => {
    const isSequential = comparison.inFlight === 1;
    const window = isSequential ? 1 : Math.ceil(comparison.inFlight / scenario.tasksPerExecution);
    const settings = { ...settingsFor('batch'), window };
    return measure(server, scenario, Math.ceil(count / scenario.tasksPerExecution), settings);
  };
  say(`\ncost, ${comparison.name}, ${comparison.inFlight} in flight`);
  await prepare(server, comparison.small);
  await prepare(server, comparison.large);
  await run(comparison.small);
  const small = await run(comparison.small);
  await loopLagMaxMs(server);
  const large = await run(comparison.large);
  const lag = await loopLagMaxMs(server);
  say(`  small: ${describeRun(small)}`);
  say(`  large: ${describeRun(large)}`);
  const cpu = (m: Measurement): number => m.nodeUsPerTask + m.redisUsPerTask;
  say(
    `  ratio: processor ${(cpu(large) / cpu(small)).toFixed(2)}, time ` +
      `${(small.tasksPerSecond / large.tasksPerSecond).toFixed(2)}; loop lag at most ` +
      `${lag.toFixed(1)} ms`,
  );
}

const parts = { throughput, latency, cost };
/** These start servers of their own. */
const apart: Readonly<Record<string, () => Promise<void>>> = {
  chain: async () => {
    say('\ncost of a task of a chain of five');
    const { against, secured: isSecured, processes } = options;
    await chainCost({ runs, against, isSecured, processes }, say);
  },
  unloaded: async () => {
    say('\na step of an unloaded chain of five');
    await unloadedSteps(10 * runs, options.against, say);
  },
  reading: async () => {
    say('\nreading a finished execution');
    await readingCost(5 * runs, say);
  },
  neighbours: async () => {
    say('\na ping each 5 ms from another process beside');
    await neighbourWaits(runs, say);
  },
};

async function main(): Promise<void> {
  describeMachine();
  const names = options.only.split(',').filter((name) => !(name in apart));
  for (const name of options.only.split(',')) await apart[name]?.();
  if (names.length === 0) return;
  const server = await startServer();
  try {
    for (const name of names) {
      if (!(name in parts)) throw new Error(`no part named ${name}`);
      await parts[name as keyof typeof parts](server);
    }
  } finally {
    await server.stop();
  }
}

await main();
