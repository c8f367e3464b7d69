// Measures the memory that executions take in Redis: growth of used_memory per finished chain of
// five tasks with payloads of 64 bytes and per execution that waits for its one task, indexes
// included. Run: node bin/tool.mjs bench/memory [--count 100000]
import { readOptions } from '../bin/lib/options.mjs';
import { ApiClient, UnexpectedAnswer } from '../testkit/api-client.js';
import { times } from '../testkit/load.js';
import { startServer, type RunningServer } from '../testkit/server.js';
import { RedisClient } from '../src/redis/client.js';
import { prepare } from './measure.js';
import { chain, type Scenario } from './scenarios.js';

const options = readOptions({
  command: 'node bin/tool.mjs bench/memory',
  about: 'Measures the Redis memory of finished and of waiting executions.',
  options: {
    count: { type: 'integer', default: 100_000, about: 'executions of each kind' },
  },
});
const count = options.count;

const payloadBytes = 64;
/** JSON of that length. */
const input = { text: 'x'.repeat(payloadBytes - '{"text":""}'.length) };
/** The same, another one for each task. */
const idLength = 36;
const fill = 'x'.repeat(payloadBytes - '{"text":""}'.length - idLength);

const plain = chain(5);
const scenario: Scenario = {
  ...plain,
  workflowDefs: plain.workflowDefs.map((def) => ({
    ...def,
    tasks: def.tasks.map((task, i) => ({
      ...task,
      inputParameters: { text: i === 0 ? '${workflow.input.text}' : `\${t${i - 1}.output.text}` },
    })),
  })),
};
const [taskType] = scenario.taskTypes as [string];
const start = { name: scenario.name, input };

async function usedMemory(server: RunningServer): Promise<number> {
  const redis = new RedisClient({ url: `unix:${server.dataDir}/redis/redis.sock`, prefix: 'db' });
  await redis.connect();
  const info = String(await redis.reads.call('INFO', 'memory'));
  redis.disconnect();
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

/** Bytes that used_memory grows by for each of `executions`. */
async function growth(
  server: RunningServer,
  executions: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await usedMemory(server);
  await work();
  return ((await usedMemory(server)) - before) / executions;
}

/**
 * Repeats what a machine under load answers with 503. A start whose outcome was unknown may have
 * come about as well: some more executions than are counted, of 100,000.
 */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer) || error.answer.status !== 503) throw error;
    }
  }
}

/** Starts executions and completes all of their tasks. */
async function finish(client: ApiClient, executions: number): Promise<void> {
  const starting = times(executions, 16, () => again(() => client.start(start)));
  let left = executions * scenario.tasksPerExecution;
  const work = async (): Promise<void> => {
    while (left > 0) {
      const tasks = await again(() => client.poll(taskType, { count: 20, timeoutMs: 200 }));
      left -= tasks.length;
      for (const { workflowInstanceId, taskId } of tasks) {
        const outputData = { text: taskId + fill };
        await again(() =>
          client.update({ workflowInstanceId, taskId, status: 'COMPLETED', outputData }),
        );
      }
    }
  };
  await Promise.all([starting, ...Array.from({ length: 32 }, work)]);
}

async function main(): Promise<void> {
  const server = await startServer();
  const client = new ApiClient(server.url);
  try {
    await prepare(server, scenario);
    // First the memory that is needed once for all, and the definition.
    await finish(client, 500);
    const chains = await growth(server, count, () => finish(client, count));
    console.log(
      `finished chain of five, ${payloadBytes}-byte payloads: ${chains.toFixed(0)} bytes`,
    );
    const waiting = await growth(server, count, () =>
      times(count, 64, () => again(() => client.start(start))),
    );
    console.log(`execution with one waiting task: ${waiting.toFixed(0)} bytes`);
  } finally {
    await client.close();
    await server.stop();
  }
}

await main();
