// Measures a node at full size: `node bin/tool.mjs bench/sizes [--only start,memory,timers,redis]
// [--live 10000,100000] [--waiting 200000] [--heap 512] [--due 10000]`. The tests of test/startup,
// test/limits and test/timers hold the same promises in small.
import { readOptions } from '../bin/lib/options.mjs';
import { ApiClient } from '../testkit/api-client.js';
import { crowdedOutMs, timed, times } from '../testkit/load.js';
import { cpuMsOf, memoryBytesOf } from '../testkit/process.js';
import { startServer, type RunningServer } from '../testkit/server.js';
import { pause, until } from '../testkit/until.js';

const options = readOptions({
  command: 'node bin/tool.mjs bench/sizes',
  about: 'Measures what a node takes in full size.',
  options: {
    only: { type: 'string', default: 'start,redis,memory,timers', about: 'parts to measure' },
    live: { type: 'string', default: '10000,100000', about: 'live executions at a start' },
    waiting: { type: 'integer', default: 200_000, about: 'executions that wait in memory' },
    heap: { type: 'integer', default: 512, about: 'largest heap of that node, MB' },
    due: { type: 'integer', default: 10_000, about: 'timers that are due together' },
  },
});

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** Runs `work` with a server of its own on which the definitions are registered. */
async function withServer(
  env: NodeJS.ProcessEnv,
  work: (server: RunningServer, client: ApiClient) => Promise<void>,
): Promise<void> {
  const server = await startServer({ env });
  const client = new ApiClient(server.url, { requestTimeoutMs: 60_000 });
  try {
    await client.registerWorkflows(
      {
        name: 'queued',
        version: 1,
        tasks: [{ name: 'queued_task', taskReferenceName: 't', type: 'SIMPLE' }],
      },
      {
        name: 'waiting',
        version: 1,
        tasks: [{ name: 'h', taskReferenceName: 'h', type: 'HUMAN' }],
      },
      {
        name: 'due',
        version: 1,
        tasks: [
          {
            ...{ name: 'w', taskReferenceName: 'w', type: 'WAIT' },
            inputParameters: { duration: '${workflow.input.seconds} seconds' },
          },
        ],
      },
    );
    await work(server, client);
  } finally {
    await client.close();
    await server.stop();
  }
}

/**
 * Time from the start of the process to its first answer; what other processes took from it is told
 * beside it.
 */
async function restartTime(server: RunningServer, how: string): Promise<void> {
  const { ms: whole } = await timed(() => server.restart());
  const cpu = cpuMsOf(server.pid);
  const crowded = crowdedOutMs(server.pid);
  say(`  ${how}: ${ms(whole)} (of it ${ms(crowded)} waiting for a core; ${ms(cpu)} of processor)`);
}

async function measureStart(live: number): Promise<void> {
  say(`start with ${live} live executions`);
  await withServer({}, async (server, client) => {
    await times(live, 128, (index) => client.start({ name: 'queued', input: { index } }));
    for (let round = 0; round < 3; round += 1) {
      const { ms: end } = await timed(() => server.kill('SIGTERM'));
      await restartTime(server, `after SIGTERM (which took ${ms(end)})`);
    }
    await server.kill('SIGKILL');
    await restartTime(server, 'after SIGKILL, Redis adopted');
  });
}

async function measureRedisKill(live: number): Promise<void> {
  say(`kill of Redis with ${live} live executions`);
  await withServer({}, async (server, client) => {
    await times(live, 128, (index) => client.start({ name: 'queued', input: { index } }));
    for (let round = 0; round < 3; round += 1) {
      const crowdedBefore = crowdedOutMs(server.pid);
      const { ms: away } = await timed(async () => {
        server.killRedis();
        await until('the refusal', async () => !(await starts(client)), { everyMs: 1 });
        await until('service', () => starts(client), { everyMs: 5, timeoutMs: 60_000 });
      });
      const crowded = crowdedOutMs(server.pid) - crowdedBefore;
      say(`  serving again after ${ms(away)} (of it ${ms(crowded)} waiting for a core)`);
    }
  });
}

async function starts(client: ApiClient): Promise<boolean> {
  return (await client.request('POST', '/api/workflow', { name: 'queued' })).status === 200;
}

async function measureMemory(waiting: number, heapMegabytes: number): Promise<void> {
  say(`${waiting} waiting executions, --max-old-space-size=${heapMegabytes}`);
  const env = { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` };
  await withServer(env, async (server, client) => {
    const { ms: took, result: ids } = await timed(() =>
      times(waiting, 128, (index) => client.start({ name: 'waiting', input: { index } })),
    );
    say(`  started in ${ms(took)}`);
    const gauges = (await client.ask('GET', '/metrics')).text;
    for (const name of ['executions_in_memory', 'execution_memory_bytes']) {
      say(`  ${new RegExp(`^downbeat_${name} .*$`, 'm').exec(gauges)?.[0] ?? name}`);
    }
    say(`  resident memory of the node: ${megabytes(server.pid)} MB`);
    if (server.redisPid !== undefined) {
      say(`  resident memory of Redis: ${megabytes(server.redisPid)} MB`);
    }
    await measureWakes(client, 'the oldest', ids.slice(0, 500));
    await measureWakes(client, 'the newest', ids.slice(-500));
    await server.kill('SIGTERM');
    await restartTime(server, 'a start with them');
    await measureWakes(client, 'after that start', ids.slice(1000, 1500));
  });
}

function megabytes(pid: number): number {
  return Math.round(memoryBytesOf(pid) / 1e6);
}

async function measureWakes(client: ApiClient, which: string, ids: string[]): Promise<void> {
  const wakes: number[] = [];
  for (const id of ids) {
    wakes.push((await timed(() => client.signal(id, 'COMPLETED', { woken: true }))).ms);
  }
  wakes.sort((a, b) => a - b);
  const at = (share: number): string => ms(wakes[Math.floor(wakes.length * share)] ?? 0);
  say(`  waking one, ${which}: median ${at(0.5)}, 90 % ${at(0.9)}, 99 % ${at(0.99)}`);
}

async function measureTimers(due: number): Promise<void> {
  say(`${due} executions whose WAIT ends in the same second`);
  for (const restarted of [false, true]) {
    await withServer({}, async (server, client) => {
      const dueAt = Date.now() + 10_000 + due * 2;
      const ids = await times(due, 128, () => {
        const seconds = Math.max(1, Math.round((dueAt - Date.now()) / 1000));
        return client.start({ name: 'due', input: { seconds } });
      });
      if (restarted) {
        await server.kill('SIGKILL');
        await server.restart();
      }
      const crowdedBefore = crowdedOutMs(server.pid);
      await pause(Math.max(0, dueAt + 3000 - Date.now()));
      const crowded = crowdedOutMs(server.pid) - crowdedBefore;
      const late = await times(due, 64, async (index) => {
        const { input, tasks } = await client.untilEnd(ids[index] as string);
        const { scheduledTime = 0, endTime = 0 } = tasks[0] ?? {};
        return endTime - scheduledTime - Number(input['seconds']) * 1000;
      });
      late.sort((a, b) => a - b);
      const at = (share: number): string =>
        ms(late[Math.min(due - 1, Math.floor(due * share))] ?? 0);
      say(
        `  ${restarted ? 'after a restart' : 'in memory'}: late by median ${at(0.5)}, 99 % ${at(0.99)}, ` +
          `most ${at(1)}, least ${at(0)} (the node waited ${ms(crowded)} for a core meanwhile)`,
      );
    });
  }
}

const only = new Set(options.only.split(','));
for (const live of options.live.split(',').map(Number)) {
  if (only.has('start')) await measureStart(live);
  if (only.has('redis')) await measureRedisKill(live);
}
if (only.has('memory')) await measureMemory(options.waiting, options.heap);
if (only.has('timers')) await measureTimers(options.due);
