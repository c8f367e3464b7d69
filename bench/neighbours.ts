// How long another caller waits while one large execution runs: 10,000 branches, 1,000 children, a
// definition of 10,000 tasks in a row, or one task whose output has 10 MB. The floor
// (floor/floor.ts), which has nothing else to do, is asked the same right before each of them: the
// waits are told as multiples of its waits too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ApiClient } from '../testkit/api-client.js';
import { startServer } from '../testkit/server.js';
import { pause } from '../testkit/until.js';
import { startFloor } from './floor/floor.js';
import type { LoadSettings } from './load-driver.js';
import { measure, prepare } from './measure.js';
import type { Pinged } from './pinger.js';
import { chain, dynamicFork, subWorkflows, type Scenario } from './scenarios.js';

const largeBytes = 10 * 1024 * 1024;

const scenarios: readonly (readonly [string, Scenario, Partial<LoadSettings>?])[] = [
  ['nothing else', chain(1)],
  ['10,000 branches', dynamicFork(10_000)],
  ['1,000 children', subWorkflows(1_000)],
  ['a definition of 10,000 tasks', chain(10_000)],
  ['an output of 10 MB', chain(1), { outputBytes: largeBytes }],
];
const settings: LoadSettings = {
  ...{ mode: 'batch', window: 1, starters: 1 },
  ...{ pollers: 2, pollCount: 50, pollTimeoutMs: 500, workers: 16 },
};

/** How long the floor is asked before each scenario, ms. */
const floorMs = 5_000;

/** The times that the other caller saw while `work` went on. */
async function pingedWhile(
  server: { readonly port: number },
  work: () => Promise<unknown>,
): Promise<Pinged> {
  const program = path.join(import.meta.dirname, 'pinger.js');
  const pinger = spawn(process.execPath, [program, String(server.port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let told = '';
  pinger.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const ended = once(pinger, 'close');
  try {
    await work();
  } finally {
    pinger.stdin.end();
    await ended;
  }
  return JSON.parse(told) as Pinged;
}

/** `runs`: how often each scenario is carried out while pings are counted together. */
export async function neighbourWaits(runs: number, say: (text: string) => void): Promise<void> {
  const server = await startServer();
  const client = new ApiClient(server.url);
  const floor = await startFloor(chain(1), 0);
  try {
    const [plain] = chain(1).taskDefs;
    await client.registerTasks({ ...plain, name: 'bench_ping' });
    for (const [name, scenario, special] of scenarios) {
      const least = await pingedWhile(floor, () => pause(floorMs));
      const told = await pingedWhile(server, async () => {
        await prepare(server, scenario);
        for (let run = 0; run < runs; run++) {
          await measure(server, scenario, 1, { ...settings, ...special });
        }
      });
      const times = (of: 'p99' | 'p999'): string => (told[of] / least[of]).toFixed(1);
      say(`  ${name}: ${told.text}`);
      say(`    the floor before: ${least.text}; p99 ${times('p99')} times, p99.9 ${times('p999')}`);
    }
  } finally {
    await client.close();
    await server.stop();
    await floor.stop();
  }
}
