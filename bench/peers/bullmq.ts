// BullMQ flows: a library that works on Redis by itself, so its "server" is the process of the
// caller (bullmq-flows.mjs, run from the folder where BullMQ is installed).
import path from 'node:path';
import { cpuMsOf, signalProcess, startProgram } from '../../test/support/process.js';
import { projectRoot } from '../../test/support/project.js';
import { until } from '../../test/support/until.js';
import { peersFolder, type Peer, type PeerLoad, type PeerRun } from './contract.js';
import { startDurableRedis } from './durable-redis.js';

const program = path.join(projectRoot, 'bench', 'peers', 'bullmq-flows.mjs');
const runTimeoutMs = 120_000;

export async function startBullmq(): Promise<Peer> {
  const redis = await startDurableRedis();
  let runs = 0;
  const run = async (load: PeerLoad): Promise<PeerRun> => {
    const job = { ...load, port: redis.port, folder: peersFolder, queue: `chain${runs++}` };
    const child = startProgram(process.execPath, [program, JSON.stringify(job)]);
    try {
      // It waits for a first flow, which is not counted, before it tells that it begins.
      const said =
        (mark: string): (() => string | undefined) =>
        () => {
          const line = new RegExp(`^${mark} (.*)$`, 'm').exec(child.output())?.[1];
          if (line === undefined && child.hasEnded()) throw new Error(child.output());
          return line;
        };
      await until('BullMQ to begin', said('begin'), { timeoutMs: runTimeoutMs });
      const before = cpuMsOf(redis.pid);
      signalProcess(child.pid, 'SIGUSR2');
      const end = await until('the flows', said('end'), { timeoutMs: runTimeoutMs });
      const redisMs = cpuMsOf(redis.pid) - before;
      const { cpuMs, ...told } = JSON.parse(end) as Omit<PeerRun, 'serverUs'> & { cpuMs: number };
      const each = 1000 / told.tasks;
      return { ...told, serverUs: 0, redisUs: redisMs * each, clientUs: cpuMs * each };
    } finally {
      signalProcess(child.pid, 'SIGKILL');
      await child.ended;
    }
  };
  return {
    name: 'BullMQ',
    settings: 'one worker of concurrency 100, flows by addBulk, removeOnComplete, noeviction',
    run,
    stop: () => redis.stop(),
  };
}
