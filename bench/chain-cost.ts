// Measures what a task of a chain costs: 8,000 executions of five worker tasks with payloads of 64
// bytes, 16 connections that start, 16 that poll batches of 50, each with four that report them, on
// a server of its own with the default settings. With another build of the server beside it, or
// with the same build that asks for tokens, they run in turns on the same machine, because only
// figures of the same minutes can be compared. The floor (floor/floor.ts) takes its turn after this
// build, and what a task of this build costs is told as a multiple of it too.
import path from 'node:path';
import { SecuredServer } from '../testkit/secured-server.js';
import { allServe, processPids } from '../testkit/server-processes.js';
import { startServer, type RunningServer } from '../testkit/server.js';
import { startFloor } from './floor/floor.js';
import type { LoadSettings } from './load-driver.js';
import { median } from './latencies.js';
import { describeRun, measure, prepare, type Measurement } from './measure.js';
import { holdRewrites, redisCounts } from './redis-counts.js';
import { chain, type Scenario } from './scenarios.js';

const executions = 8_000;
const load: LoadSettings = {
  ...{ mode: 'crews' as const, window: executions, starters: 16 },
  ...{ pollers: 16, pollCount: 50, pollTimeoutMs: 1_000, workers: 64 },
};

interface ChainCost {
  readonly nodeUs: number;
  readonly redisUs: number;
  readonly redisCalls: number;
  readonly appendOnlyBytes: number;
  readonly tasksPerSecond: number;
}

/** A server that is ready for the load, and what the load is sent with. */
interface Subject {
  readonly server: RunningServer;
  readonly settings: LoadSettings;
  /** Its processes, where it has several. */
  readonly otherPids?: readonly number[];
}

/** `program`: the server's main file; undefined: this build. */
async function open(scenario: Scenario, program: string | undefined): Promise<Subject> {
  const server = await startServer(program === undefined ? {} : { program: [program] });
  await prepare(server, scenario);
  return { server, settings: load };
}

/** As so many processes on one port. */
async function openProcesses(scenario: Scenario, processes: number): Promise<Subject> {
  const server = await startServer({ args: ['--processes', String(processes)] });
  await allServe(server);
  await prepare(server, scenario);
  return { server, settings: load, otherPids: processPids(server) };
}

/** With authentication on; the load comes from an application with the rights of a worker. */
async function openSecured(scenario: Scenario): Promise<Subject> {
  const secured = await SecuredServer.start();
  await secured.admin.post('/api/metadata/taskdefs', scenario.taskDefs);
  await secured.admin.put('/api/metadata/workflow', scenario.workflowDefs);
  const worker = await secured.application('bench', ['WORKER']);
  for (const { name } of scenario.taskDefs) {
    await secured.grant(worker, 'TASK_DEF', name, ['EXECUTE']);
  }
  for (const { name } of scenario.workflowDefs) {
    await secured.grant(worker, 'WORKFLOW_DEF', name, ['EXECUTE', 'READ']);
  }
  const token = worker.headers['x-authorization'] ?? '';
  return { server: secured.server, settings: { ...load, token } };
}

async function runOnce(
  scenario: Scenario,
  start: (scenario: Scenario) => Promise<Subject>,
): Promise<ChainCost> {
  const { server, settings, otherPids = [] } = await start(scenario);
  const { pid, redisPid, port } = server;
  const measured = { pid, redisPid, port, otherPids };
  try {
    await measure(measured, scenario, executions, settings);
    await holdRewrites(server);
    const before = await redisCounts(server);
    const run = await measure(measured, scenario, executions, settings);
    const after = await redisCounts(server);
    return {
      nodeUs: run.nodeUsPerTask,
      redisUs: run.redisUsPerTask,
      redisCalls: (after.calls - before.calls) / run.tasks,
      appendOnlyBytes: (after.appendOnlyBytes - before.appendOnlyBytes) / run.tasks,
      tasksPerSecond: run.tasksPerSecond,
    };
  } finally {
    await server.stop();
  }
}

/** The same load on the floor, which writes as many bytes a task. */
async function floorOnce(
  scenario: Scenario,
  { appendOnlyBytes }: Pick<ChainCost, 'appendOnlyBytes'>,
): Promise<Measurement> {
  const floor = await startFloor(scenario, appendOnlyBytes);
  try {
    await measure(floor, scenario, executions, load);
    return await measure(floor, scenario, executions, load);
  } finally {
    await floor.stop();
  }
}

/** Processor time and time of a task as multiples of the floor's. */
function multipleOf(cost: ChainCost, floor: Measurement): { processor: number; time: number } {
  const floorUs = floor.nodeUsPerTask + floor.redisUsPerTask;
  return {
    processor: (cost.nodeUs + cost.redisUs) / floorUs,
    time: floor.tasksPerSecond / cost.tasksPerSecond,
  };
}

const usOf = ({ nodeUs, redisUs }: ChainCost): number => nodeUs + redisUs;

/** The middle one of the values, with the least and the greatest. */
function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const [least = NaN, greatest = NaN] = [sorted.at(0), sorted.at(-1)];
  return `${median(sorted).toFixed(2)} (${least.toFixed(2)} to ${greatest.toFixed(2)})`;
}

function describe(cost: ChainCost): string {
  return (
    `${cost.nodeUs.toFixed(1)} us of the node, ${cost.redisUs.toFixed(1)} us of Redis, ` +
    `${cost.redisCalls.toFixed(1)} Redis calls, ${Math.round(cost.appendOnlyBytes)} bytes, ` +
    `${Math.round(cost.tasksPerSecond)} tasks/s`
  );
}

function medianOf(costs: readonly ChainCost[]): ChainCost {
  const of = (key: keyof ChainCost): number => median(costs.map((cost) => cost[key]));
  return {
    nodeUs: of('nodeUs'),
    redisUs: of('redisUs'),
    redisCalls: of('redisCalls'),
    appendOnlyBytes: of('appendOnlyBytes'),
    tasksPerSecond: of('tasksPerSecond'),
  };
}

export interface ChainCostOptions {
  readonly runs: number;
  /** Folder of another checkout that has been built; '' = none. */
  readonly against: string;
  /** Whether this build is measured with authentication on too. */
  readonly isSecured: boolean;
  /** As so many processes beside one; 1 = not. */
  readonly processes: number;
}

/** Measures in turns and tells each run and the medians. */
export async function chainCost(
  { runs, against, isSecured, processes }: ChainCostOptions,
  say: (text: string) => void,
): Promise<void> {
  const scenario = chain(5, 1, 64);
  const subjects: { name: string; start: typeof openSecured; costs: ChainCost[] }[] = [
    { name: 'this build', start: (of) => open(of, undefined), costs: [] },
  ];
  if (isSecured) subjects.push({ name: 'with a token', start: openSecured, costs: [] });
  if (processes > 1) {
    const start = (of: Scenario): Promise<Subject> => openProcesses(of, processes);
    subjects.push({ name: `${processes} processes`, start, costs: [] });
  }
  if (against !== '') {
    const program = path.join(against, 'dist', 'main.js');
    subjects.push({ name: against, start: (of) => open(of, program), costs: [] });
  }
  const multiples: ReturnType<typeof multipleOf>[] = [];
  for (let run = 0; run < runs; run++) {
    for (const { name, start, costs } of subjects) {
      const cost = await runOnce(scenario, start);
      costs.push(cost);
      say(`  ${name}, run ${run + 1}: ${describe(cost)}`);
      if (costs !== subjects[0]?.costs) continue;
      const floor = await floorOnce(scenario, cost);
      say(`  the floor, run ${run + 1}: ${describeRun(floor)}`);
      multiples.push(multipleOf(cost, floor));
    }
  }
  for (const { name, costs } of subjects) say(`  ${name}, median: ${describe(medianOf(costs))}`);
  const [own, ...others] = subjects;
  for (const { name, costs } of others) {
    const ratios = costs.map((cost, run) => usOf(cost) / usOf(own?.costs[run] ?? cost));
    say(`  ${name} against this build: ${spread(ratios)} of its processor time, in pairs of runs`);
  }
  const processor = multiples.map((multiple) => multiple.processor);
  const time = multiples.map((multiple) => multiple.time);
  say(`  multiple of the floor: processor time ${spread(processor)}, time ${spread(time)}`);
}
