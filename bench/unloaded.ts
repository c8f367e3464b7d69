// How long a step takes when nothing else is to do: one execution of five tasks at a time, one
// worker per task type with one connection, so that the poll for the next task is parked when a
// task is reported. With another build beside it both servers stand at once and take turns in short
// rounds, so that the machine's moods meet both. A load before the first round lets V8 compile what
// a server that has run for a while has compiled. The floor (floor/floor.ts) takes its turn in each
// round, and a step is told as a multiple of one of the floor's.
import path from 'node:path';
import { startServer } from '../testkit/server.js';
import { startFloor } from './floor/floor.js';
import { median } from './latencies.js';
import type { LoadSettings } from './load-driver.js';
import { measure, prepare, type MeasuredServer, type Measurement } from './measure.js';
import { chain } from './scenarios.js';

const scenario = chain(5, 5, 64);
const executionsPerRound = 20;
/** Bytes that the server writes for a task of a chain (docs/performance.md). */
const bytesPerTask = 870;
/** No round begins later than this after the first one. */
const roundsMsMax = 30_000;
const oneAtATime: LoadSettings = {
  ...{ mode: 'in-turn', window: 1, starters: 1 },
  // The next round begins when the polls of this one have come back: so long after its end.
  ...{ pollers: 1, pollCount: 1, pollTimeoutMs: 300, workers: 1 },
};
const warmUp: LoadSettings = { ...oneAtATime, window: 100, starters: 4, workers: 20 };
const warmUpExecutions = 1_000;

interface Build {
  readonly name: string;
  readonly server: MeasuredServer & { stop(): Promise<void> };
  readonly rounds: Measurement[];
}

const stepMs = ({ load, tasks }: Measurement): number => load.elapsedMs / tasks;

function describe({ name, rounds }: Build): string {
  const middle = (of: (round: Measurement) => number): number => median(rounds.map(of));
  return (
    `  ${name}: ${middle(stepMs).toFixed(3)} ms per step; processor time of the node ` +
    `${middle((round) => round.nodeUsPerTask).toFixed(0)} us, ` +
    `of Redis ${middle((round) => round.redisUsPerTask).toFixed(0)} us`
  );
}

/** `against`: folder of another checkout that has been built; '' = none. */
export async function unloadedSteps(
  roundsMax: number,
  against: string,
  say: (text: string) => void,
): Promise<void> {
  const builds: Build[] = [];
  try {
    await open(builds, 'this build', undefined);
    if (against !== '') await open(builds, against, [path.join(against, 'dist', 'main.js')]);
    const floor = await startFloor(scenario, bytesPerTask);
    builds.push({ name: 'the floor', server: floor, rounds: [] });
    for (const { server } of builds) {
      await measure(server, scenario, warmUpExecutions, warmUp);
      await measure(server, scenario, executionsPerRound, oneAtATime);
    }
    const end = performance.now() + roundsMsMax;
    for (let i = 0; i < roundsMax && performance.now() < end; i++) {
      for (const { server, rounds } of builds) {
        rounds.push(await measure(server, scenario, executionsPerRound, oneAtATime));
      }
    }
  } finally {
    for (const { server } of builds) await server.stop();
  }
  for (const build of builds) say(describe(build));
  const [own, ...others] = builds;
  if (own === undefined) return;
  for (const { name, rounds } of others) {
    const ratios = own.rounds.map((round, i) => stepMs(round) / stepMs(rounds[i] ?? round));
    const middle = median(ratios).toFixed(2);
    say(`  multiple of ${name}, median of ${ratios.length} pairs of rounds: ${middle}`);
  }
}

/** `program`: the server's main file; undefined: this build. */
async function open(builds: Build[], name: string, program: [string] | undefined): Promise<void> {
  const server = await startServer(program === undefined ? {} : { program });
  builds.push({ name, server, rounds: [] });
  await prepare(server, scenario);
}
