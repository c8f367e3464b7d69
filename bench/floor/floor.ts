// Starts the floor (floor-server.ts, built by bin/tool.mjs) with a Redis of its own that syncs each
// write, so that a load can be measured on it in turns with the server. The cost of the server is
// told as a multiple of it: that compares between machines and days, which microseconds do not.
import path from 'node:path';
import { signalProcess, startProgram } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { startLocalRedis } from '../../testkit/redis.js';
import { until } from '../../testkit/until.js';
import type { MeasuredServer } from '../measure.js';
import type { Scenario } from '../scenarios.js';

export interface FloorWork {
  readonly socketPath: string;
  /** Bytes that each start and each report adds to the append-only file. */
  readonly bytesPerWrite: number;
  readonly taskTypes: readonly string[];
  /** Tasks of a chain. */
  readonly length: number;
}

export interface Floor extends MeasuredServer {
  /** Of its Redis. */
  readonly socketPath: string;
  stop(): Promise<void>;
}

/** `bytesPerTask`: what the server writes for a task, its share of the start included. */
export async function startFloor(
  { taskTypes, tasksPerExecution: length }: Scenario,
  bytesPerTask: number,
): Promise<Floor> {
  const redis = await startLocalRedis();
  const { socketPath = '', pid: redisPid } = redis;
  const bytesPerWrite = (bytesPerTask * length) / (length + 1);
  const work: FloorWork = { socketPath, bytesPerWrite, taskTypes, length };
  const program = startProgram(process.execPath, [
    // As the server is started.
    '--max-semi-space-size=64',
    path.join(projectRoot, 'dist', 'tools', 'bench', 'floor', 'floor-server.js'),
    JSON.stringify(work),
  ]);
  const stop = async (): Promise<void> => {
    signalProcess(program.pid, 'SIGKILL');
    await program.ended;
    await redis.stop();
  };
  try {
    const port = await until('the floor', () => {
      if (program.hasEnded()) throw new Error(`the floor ended:\n${program.output()}`);
      return Number(/^port (\d+)$/m.exec(program.output())?.[1]) || undefined;
    });
    return { pid: program.pid, redisPid, port, socketPath, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
