// What executions take in Redis: growth of used_memory per finished chain of five tasks with
// payloads of 64 bytes and per execution that waits for its one task, indexes included. Run: node
// bin/tool.mjs bench/memory [--count 100000]
import { parseArgs } from 'node:util';
import { ApiClient } from '../test/support/api-client.js';
import { times } from '../test/support/load.js';
import { startServer, type RunningServer } from '../test/support/server.js';
import { RedisClient } from '../src/redis/client.js';
import { runLoad, type LoadSettings } from './load-driver.js';
import { prepare } from './measure.js';
import { chain, type Scenario } from './scenarios.js';

const { values: options } = parseArgs({
  options: { count: { type: 'string', default: '100000' } },
});
const count = Number(options.count);

const payloadBytes = 64;
/** JSON of that length. */
const input = { text: 'x'.repeat(payloadBytes - '{"text":""}'.length) };
/** The same, another one for each task. */
const idLength = 36;
const fill = 'x'.repeat(payloadBytes - '{"text":""}'.length - idLength);
const output = `{"text":"$task${fill}"}`;

const finished: Scenario = {
  ...chain(5),
  workflowDefs: chain(5).workflowDefs.map((def) => ({
    ...def,
    tasks: def.tasks.map((task, i) => ({
      ...task,
      inputParameters: { text: i === 0 ? '${workflow.input.text}' : `\${t${i - 1}.output.text}` },
    })),
  })),
  startBody: JSON.stringify({ name: chain(5).name, version: 1, input }),
};

async function usedMemory(server: RunningServer): Promise<number> {
  const redis = new RedisClient({ url: `unix:${server.dataDir}/redis/redis.sock`, prefix: 'db' });
  await redis.connect();
  const info = String(await redis.reads.call('INFO', 'memory'));
  redis.disconnect();
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

/** Bytes that used_memory grows by for each of `count`. */
async function growth(server: RunningServer, work: () => Promise<unknown>): Promise<number> {
  const before = await usedMemory(server);
  await work();
  return ((await usedMemory(server)) - before) / count;
}

async function main(): Promise<void> {
  const server = await startServer();
  const client = new ApiClient(server.url);
  try {
    await prepare(server, finished);
    const job = { ...finished, output };
    const settings: LoadSettings = {
      mode: 'batch',
      window: 400,
      starters: 8,
      pollers: 4,
      pollCount: 50,
      pollTimeoutMs: 1_000,
      workers: 64,
    };
    // What is there once for all, and the definition, first.
    // Its last polls must not take what the next load is to report.
    await (
      await runLoad(server.port, { ...job, executions: 500 }, settings)
    ).closed;
    const chains = await growth(server, async () => {
      const load = await runLoad(server.port, { ...job, executions: count }, settings);
      await load.closed;
    });
    console.log(
      `finished chain of five, ${payloadBytes}-byte payloads: ${chains.toFixed(0)} bytes`,
    );
    const waiting = await growth(server, () =>
      times(count, 64, () => client.start({ name: finished.name, input })),
    );
    console.log(`execution with one waiting task: ${waiting.toFixed(0)} bytes`);
  } finally {
    await client.close();
    await server.stop();
  }
}

await main();
