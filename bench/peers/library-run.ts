// A peer whose steps are carried out in the process of its caller: a programme of bench/peers, run
// with its job as JSON. It warms up, says "begin", begins at SIGUSR2, and says "end" with what it
// found.
import path from 'node:path';
import { cpuMsOf, signalProcess, startProgram } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { until } from '../../testkit/until.js';
import { peersFolder, type PeerLoad, type PeerRun } from './contract.js';

const runTimeoutMs = 120_000;

/** Processor time of the processes beside it, ms. */
interface Beside {
  readonly server: number;
  readonly redis: number;
}

interface LibraryRun {
  /** Of `bench/peers`. */
  readonly program: string;
  readonly load: PeerLoad;
  /** Further values that the programme reads. */
  readonly job: object;
  /** Processes whose time is told, by what they are told as. */
  readonly server?: number;
  readonly redis?: number;
}

export async function runLibrary(given: LibraryRun): Promise<PeerRun> {
  const { program, load, job } = given;
  const file = path.join(projectRoot, 'bench', 'peers', program);
  const argument = JSON.stringify({ ...load, ...job, folder: peersFolder });
  const child = startProgram(process.execPath, [file, argument]);
  const said =
    (mark: string): (() => string | undefined) =>
    () => {
      const line = new RegExp(`^${mark} (.*)$`, 'm').exec(child.output())?.[1];
      if (line === undefined && child.hasEnded()) throw new Error(child.output());
      return line;
    };
  const timeOf = (pid: number | undefined): number => (pid === undefined ? 0 : cpuMsOf(pid));
  const times = (): Beside => ({ server: timeOf(given.server), redis: timeOf(given.redis) });
  try {
    // It carries out some first, which are not counted, before it tells that it begins.
    await until(`${program} to begin`, said('begin'), { timeoutMs: runTimeoutMs });
    const before = times();
    signalProcess(child.pid, 'SIGUSR2');
    const end = await until(`${program} to end`, said('end'), { timeoutMs: runTimeoutMs });
    const after = times();
    const { cpuMs, ...told } = JSON.parse(end) as Omit<PeerRun, 'serverUs'> & { cpuMs: number };
    const each = 1000 / told.tasks;
    return {
      ...told,
      serverUs: (after.server - before.server) * each,
      redisUs: (after.redis - before.redis) * each,
      clientUs: cpuMs * each,
    };
  } finally {
    signalProcess(child.pid, 'SIGKILL');
    await child.ended;
  }
}
