// Runs a scenario on a server and measures it from outside: elapsed time, latencies, and the
// processor time of the node, of its Redis and of this driver.
import { ApiClient } from '../testkit/api-client.js';
import { cpuMsOf, memoryBytesOf } from '../testkit/process.js';
import type { RunningServer } from '../testkit/server.js';
import { runLoad, type LoadResult, type LoadSettings } from './load-driver.js';
import { median } from './latencies.js';
import type { Scenario } from './scenarios.js';

export interface Measurement {
  readonly tasks: number;
  readonly tasksPerSecond: number;
  /** Microseconds of processor time per worker task. */
  readonly nodeUsPerTask: number;
  readonly redisUsPerTask: number;
  readonly driverUsPerTask: number;
  readonly load: LoadResult;
}

/** The server that a load is sent to. */
export interface MeasuredServer extends Pick<RunningServer, 'pid' | 'redisPid' | 'port'> {
  /** Further processes of the server. */
  readonly otherPids?: readonly number[];
}

/** Registers what a scenario needs. */
export async function prepare(server: RunningServer, scenario: Scenario): Promise<void> {
  const client = new ApiClient(server.url);
  await client.registerTasks(...scenario.taskDefs);
  await client.registerWorkflows(...scenario.workflowDefs);
  await client.close();
}

/** Runs a prepared scenario once. */
export async function measure(
  server: MeasuredServer,
  scenario: Scenario,
  executions: number,
  settings: LoadSettings,
): Promise<Measurement> {
  const { redisPid, pid, otherPids = [] } = server;
  const cpuNow = (): { node: number; redis: number; driver: number } => {
    const { user, system } = process.cpuUsage();
    return {
      node: [pid, ...otherPids].reduce((sum, one) => sum + cpuMsOf(one), 0),
      redis: redisPid === undefined ? Number.NaN : cpuMsOf(redisPid),
      driver: (user + system) / 1000,
    };
  };
  const before = cpuNow();
  const load = await runLoad(server.port, { ...scenario, executions }, settings);
  const after = cpuNow();
  await load.closed;
  const perTask = (from: number, to: number): number => ((to - from) * 1000) / load.tasks;
  return {
    tasks: load.tasks,
    tasksPerSecond: (load.tasks * 1000) / load.elapsedMs,
    nodeUsPerTask: perTask(before.node, after.node),
    redisUsPerTask: perTask(before.redis, after.redis),
    driverUsPerTask: perTask(before.driver, after.driver),
    load,
  };
}

/** The run whose speed is the median of the given ones. */
export function medianRun(runs: readonly Measurement[]): Measurement {
  const middle = median(runs.map((run) => run.tasksPerSecond));
  return runs.find((run) => run.tasksPerSecond === middle) as Measurement;
}

/** One line of figures. */
export function describeRun(run: Measurement): string {
  const us = (value: number): string => `${value.toFixed(1)} us`;
  return (
    `${Math.round(run.tasksPerSecond)} tasks/s, per task: node ${us(run.nodeUsPerTask)}, ` +
    `redis ${us(run.redisUsPerTask)}, driver ${us(run.driverUsPerTask)} (${run.tasks} tasks)`
  );
}

export function memoryMegabytes(server: RunningServer): string {
  return `${Math.round(memoryBytesOf(server.pid) / 2 ** 20)} MB`;
}

/** The largest event-loop lag since the last reading, as the node reports it, in milliseconds. */
export async function loopLagMaxMs(server: RunningServer): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return 1e3 * Number(/^downbeat_loop_lag_seconds\{quantile="max"\} (.*)$/m.exec(text)?.[1]);
}
