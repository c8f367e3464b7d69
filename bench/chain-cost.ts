// What a task of a chain costs: 8,000 executions of five worker tasks with payloads of 64 bytes, 16
// connections that start, 16 that poll batches of 50, each with four that report them, on a server
// of its own with the default settings. With another build of the server beside it, both run in
// turns on the same machine, because only figures of the same minutes can be compared.
import path from 'node:path';
import { startServer } from '../test/support/server.js';
import type { LoadSettings } from './load-driver.js';
import { median } from './latencies.js';
import { measure, prepare } from './measure.js';
import { holdRewrites, redisCounts } from './redis-counts.js';
import { chain } from './scenarios.js';

const executions = 8_000;
const settings: LoadSettings = {
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

/** `program`: the server's main file; undefined: this build. */
async function runOnce(program: string | undefined): Promise<ChainCost> {
  const server = await startServer(program === undefined ? {} : { program: [program] });
  try {
    const scenario = chain(5, 1, 64);
    await prepare(server, scenario);
    await measure(server, scenario, executions / 2, settings);
    await holdRewrites(server);
    const before = await redisCounts(server);
    const run = await measure(server, scenario, executions, settings);
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

/** `against`: folder of another checkout that has been built; '' = none. */
export async function chainCost(
  runs: number,
  against: string,
  say: (text: string) => void,
): Promise<void> {
  const builds: { name: string; program: string | undefined; costs: ChainCost[] }[] = [
    { name: 'this build', program: undefined, costs: [] },
  ];
  if (against !== '') {
    builds.push({ name: against, program: path.join(against, 'dist', 'main.js'), costs: [] });
  }
  for (let run = 0; run < runs; run++) {
    for (const { name, program, costs } of builds) {
      const cost = await runOnce(program);
      costs.push(cost);
      say(`  ${name}, run ${run + 1}: ${describe(cost)}`);
    }
  }
  for (const { name, costs } of builds) say(`  ${name}, median: ${describe(medianOf(costs))}`);
}
