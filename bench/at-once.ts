// Compares this build with another built checkout where the machine has other work. Both servers
// stand from the start and are loaded at once, in rounds, so that both meet the same disturbance:
// runs one after the other differ by 7 % and more for one build. Tells the ratio of the processor
// time of a task, the middle of the rounds with its quartiles. With a folder of the same commit it
// tells what the method itself is worth. Options of Node itself are compared in the same way.
// Run: node bin/tool.mjs bench/at-once --against DIR
import path from 'node:path';
import { readOptions } from '../bin/lib/options.mjs';
import { startServer, type RunningServer } from '../testkit/server.js';
import { percentile } from './latencies.js';
import type { LoadSettings } from './load-driver.js';
import { measure, prepare, type Measurement } from './measure.js';
import { chain } from './scenarios.js';

const options = readOptions({
  command: 'node bin/tool.mjs bench/at-once',
  about: 'Loads this build and another one at once and compares their processor time.',
  options: {
    against: { type: 'string', default: '.', about: 'folder of the other build' },
    'node-options': { type: 'string', default: '', about: 'options of Node, of this build alone' },
    rounds: { type: 'integer', default: 10, about: 'rounds that count' },
    warm: { type: 'integer', default: 3, about: 'rounds before them' },
    executions: { type: 'integer', default: 2_000, about: 'chains of five of a round and build' },
  },
});

const scenario = chain(5, 1, 64);

function settingsFor(executions: number): LoadSettings {
  return {
    ...{ mode: 'crews', window: executions, starters: 16 },
    ...{ pollers: 16, pollCount: 50, pollTimeoutMs: 1_000, workers: 64 },
  };
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string => percentile(sorted, share).toFixed(3);
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`;
}

type Cost = (of: Measurement) => number;

const costs: readonly (readonly [string, Cost])[] = [
  ['node', ({ nodeUsPerTask }) => nodeUsPerTask],
  ['Redis', ({ redisUsPerTask }) => redisUsPerTask],
  ['both', ({ nodeUsPerTask, redisUsPerTask }) => nodeUsPerTask + redisUsPerTask],
];

async function main(): Promise<void> {
  const { against, rounds, warm, executions } = options;
  const servers: RunningServer[] = [];
  try {
    const nodeOptions = options['node-options'].split(' ').filter((option) => option !== '');
    const own = [...nodeOptions, path.resolve('dist', 'main.js')];
    for (const program of [own, [path.resolve(against, 'dist', 'main.js')]]) {
      const server = await startServer({ program });
      servers.push(server);
      await prepare(server, scenario);
    }
    const settings = settingsFor(executions);
    const pairs: Measurement[][] = [];
    for (let round = -warm; round < rounds; round++) {
      const pair = await Promise.all(
        servers.map((server) => measure(server, scenario, executions, settings)),
      );
      if (round < 0) continue;
      pairs.push(pair);
      const told = pair.map(
        ({ nodeUsPerTask, redisUsPerTask }) =>
          `${nodeUsPerTask.toFixed(1)} + ${redisUsPerTask.toFixed(1)}`,
      );
      process.stdout.write(`  round ${round + 1}: ${told.join(' us against ')} us\n`);
    }
    for (const [name, cost] of costs) {
      const ratios = pairs.map(
        ([own, other]) => cost(own as Measurement) / cost(other as Measurement),
      );
      process.stdout.write(`${name}: ${spread(ratios)} of the other's processor time\n`);
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}

await main();
