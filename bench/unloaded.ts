// How long a step takes when nothing else is to do: one execution of five tasks at a time, one
// worker per task type with one connection, so that the poll for the next task is parked when a
// task is reported. With another build beside it both servers stand at once and take turns in short
// rounds, so that the machine's moods meet both.
import path from 'node:path';
import { startServer, type RunningServer } from '../test/support/server.js';
import { median } from './latencies.js';
import type { LoadSettings } from './load-driver.js';
import { measure, prepare } from './measure.js';
import { chain } from './scenarios.js';

const scenario = chain(5, 5, 64);
const executionsPerRound = 10;
const settings: LoadSettings = {
  ...{ mode: 'in-turn', window: 1, starters: 1 },
  ...{ pollers: 1, pollCount: 1, pollTimeoutMs: 5_000, workers: 1 },
};

/** Milliseconds per step of one round. */
async function round(server: RunningServer): Promise<number> {
  const { load, tasks } = await measure(server, scenario, executionsPerRound, settings);
  return load.elapsedMs / tasks;
}

/** `against`: folder of another checkout that has been built; '' = none. */
export async function unloadedSteps(
  rounds: number,
  against: string,
  say: (text: string) => void,
): Promise<void> {
  const builds: { name: string; server: RunningServer; steps: number[] }[] = [];
  try {
    builds.push({ name: 'this build', server: await startServer(), steps: [] });
    if (against !== '') {
      const program = [path.join(against, 'dist', 'main.js')];
      builds.push({ name: against, server: await startServer({ program }), steps: [] });
    }
    for (const { server } of builds) {
      await prepare(server, scenario);
      await round(server);
    }
    for (let i = 0; i < rounds; i++) {
      for (const { server, steps } of builds) steps.push(await round(server));
    }
  } finally {
    for (const { server } of builds) await server.stop();
  }
  for (const { name, steps } of builds) say(`  ${name}: ${median(steps).toFixed(3)} ms per step`);
  const [own, other] = builds;
  if (own === undefined || other === undefined) return;
  const ratios = own.steps.map((step, i) => step / (other.steps[i] ?? Number.NaN));
  say(`  ratio, median of ${rounds} pairs of rounds: ${median(ratios).toFixed(2)}`);
}
