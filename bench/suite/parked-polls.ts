// The workload of polls that wait: the memory of each, and the cost of asking again. Clients are
// processes of their own (polling-client.ts), since a process may open some ten thousand files; for
// the same reason very many polls wait at several processes of the server.
import path from 'node:path';
import { ApiClient } from '../../testkit/api-client.js';
import { cpuMsOf, memoryBytesOf, signalProcess, startProgram } from '../../testkit/process.js';
import type { Program } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { allServe, processPids } from '../../testkit/server-processes.js';
import type { RunningServer } from '../../testkit/server.js';
import { pause, until } from '../../testkit/until.js';
import { startFloor } from '../floor/floor.js';
import { chain } from '../scenarios.js';
import { multipleOf, wrongIf, type Subject, type Workload } from './contract.js';
import { bytesPerTask } from './flows.js';
import { registerWaits, taskType, workflow } from './waits.js';

/** Polls of one client, and of one process of the server. */
const pollsPerProcess = 15_000;
/** The wait of a poll; then it is sent again. Very many wait as long as the server may be told. */
const pollMs = { default: 5_000, ofMany: 60_000 };
const parkedWithinMs = 300_000;
/** So many of the polls are on their way between two of their waits. */
const onTheirWay = 0.05;
const watchedMs = 10_000;
const program = path.join(projectRoot, 'dist', 'tools', 'bench', 'polling-client.js');

interface Target {
  readonly port: number;
  /** Of the processes at which polls wait. */
  readonly pids: readonly number[];
}

/** Clients whose polls wait. */
class Crowd {
  readonly #clients: readonly Program[];

  constructor({ port }: Target, polls: number, timeoutMs: number) {
    const poll = `/api/tasks/poll/batch/${taskType}?count=1&workerid=bench&timeout=${timeoutMs}`;
    const clients = Math.ceil(polls / pollsPerProcess);
    this.#clients = Array.from({ length: clients }, (_, i) => {
      const own = Math.floor((polls + i) / clients);
      const args = [program, String(port), poll, String(own), `127.0.0.${2 + i}`];
      return startProgram(process.execPath, args);
    });
  }

  /** Bodies of the polls that got a task. Throws when a client has given up. */
  get got(): readonly string[] {
    return this.#clients.flatMap((client) => {
      const output = client.output();
      if (client.hasEnded()) throw new Error(`a client ended: ${output}`);
      return output.split('\n').filter((line) => line.startsWith('got '));
    });
  }

  async stop(): Promise<void> {
    for (const { pid } of this.#clients) signalProcess(pid, 'SIGKILL');
    await Promise.all(this.#clients.map(({ ended }) => ended));
  }
}

function sumOf(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + of(pid), 0);
}

interface Parked {
  readonly crowd: Crowd;
  /** Of memory. */
  readonly bytesEach: number;
}

/** Parks polls; resolves once `areParked` says that all wait. The caller stops the crowd. */
async function park(
  target: Target,
  { polls, timeoutMs }: { readonly polls: number; readonly timeoutMs: number },
  areParked: () => Promise<boolean>,
): Promise<Parked> {
  const before = sumOf(target.pids, memoryBytesOf);
  const crowd = new Crowd(target, polls, timeoutMs);
  try {
    const isDone = async (): Promise<boolean> => crowd.got.length === 0 && (await areParked());
    await until('the polls to be parked', isDone, { timeoutMs: parkedWithinMs, everyMs: 200 });
    return { crowd, bytesEach: (sumOf(target.pids, memoryBytesOf) - before) / polls };
  } catch (error) {
    await crowd.stop();
    throw error;
  }
}

/** Bytes of memory that each of so many polls takes at the floor, which is one process. */
async function floorBytesEach(polls: number): Promise<number> {
  const floor = await startFloor({ ...chain(1), taskTypes: [taskType] }, bytesPerTask);
  try {
    // The floor does not tell how many wait there.
    const afterAWhile = (): Promise<boolean> => pause(1_000 + polls / 2).then(() => true);
    const target = { port: floor.port, pids: [floor.pid] };
    const asked = { polls, timeoutMs: pollMs.default };
    const { crowd, bytesEach } = await park(target, asked, afterAWhile);
    await crowd.stop();
    return bytesEach;
  } finally {
    await floor.stop();
  }
}

/** All processes together. */
async function parkedAt(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const counts = page.matchAll(/^downbeat_parked_polls(?:\{[^}]*\})? (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

interface Place {
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly pids: readonly number[];
  readonly timeoutMs: number;
  close(): Promise<void>;
}

/** The subject's server, or one of several processes where the polls are too many for one. */
async function placeFor(subject: Subject, polls: number): Promise<Place> {
  if (polls <= pollsPerProcess) {
    const { server, client } = subject;
    const close = (): Promise<void> => Promise.resolve();
    return { server, client, pids: [server.pid], timeoutMs: pollMs.default, close };
  }
  const processes = String(Math.ceil(polls / pollsPerProcess));
  const server = await subject.start({
    args: [
      ...['--processes', processes, '--poll-timeout-ms-max', String(pollMs.ofMany)],
      ...['--caller-parked-polls-max', String(polls), '--parked-polls-max', String(polls)],
    ],
  });
  const client = new ApiClient(server.url, { requestTimeoutMs: 60_000 });
  const close = async (): Promise<void> => {
    await client.close();
    await server.stop();
  };
  await allServe(server);
  return { server, client, pids: processPids(server), timeoutMs: pollMs.ofMany, close };
}

export const parkedPolls: Workload = {
  name: 'parked polls',
  about: 'polls that wait; one task comes, and one of them gets it',
  async run(subject, { polls }) {
    const floorBytes = await floorBytesEach(Math.min(polls, pollsPerProcess));
    const place = await placeFor(subject, polls);
    const { server, client, pids, timeoutMs } = place;
    try {
      await registerWaits(client);
      const before = await parkedAt(server.url);
      const areParked = async (): Promise<boolean> =>
        (await parkedAt(server.url)) - before >= polls * (1 - onTheirWay);
      const target = { port: server.port, pids };
      const { crowd, bytesEach } = await park(target, { polls, timeoutMs }, areParked);
      try {
        const cpuBefore = sumOf(pids, cpuMsOf);
        await pause(watchedMs);
        const percent = ((sumOf(pids, cpuMsOf) - cpuBefore) / watchedMs) * 100;
        const id = await client.start({ name: workflow, version: 1 });
        await until('a poll to get the task', () => crowd.got.length > 0, {
          timeoutMs: parkedWithinMs,
        });
        const { got } = crowd;
        await client.terminate(id);
        const isOne = got.length === 1 && got[0]?.includes(id) === true;
        return {
          figures: {
            'KB per poll': bytesEach / 1024,
            'floor, KB per poll': floorBytes / 1024,
            '% of a core while they wait': percent,
          },
          ...multipleOf('memory', bytesEach, floorBytes),
          wrong: wrongIf([!isOne, `${got.length} polls got the one task`]),
        };
      } finally {
        await crowd.stop();
      }
    } finally {
      await place.close();
    }
  },
};
