// Measures the scheduler against a running server of its own: how long after their due time the
// last of many schedules that are due together has started its execution, and what idle ones cost.
//
//   node bin/tool.mjs bench/schedules --due 10000 --idle 100000
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { ApiClient } from '../test/support/api-client.js';
import { startServer, type RunningServer } from '../test/support/server.js';
import { pause, until } from '../test/support/until.js';
import { processorTime } from './processor-time.js';

const args = process.argv.slice(2);

function numberOf(name: string, fallback: number): number {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args[at + 1]);
}

async function saveMany(api: ApiClient, count: number, schedule: object): Promise<void> {
  let next = 0;
  const save = async (): Promise<void> => {
    while (next < count) {
      const body = { ...schedule, name: `${(schedule as { name: string }).name}_${next++}` };
      const answer = await api.request('POST', '/api/scheduler/schedules', body);
      if (answer.status !== 200) throw new Error(answer.text);
    }
  };
  await Promise.all(Array.from({ length: 32 }, save));
}

function redisCommands(server: RunningServer): number {
  const socket = fs
    .readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' })
    .find((name) => name.endsWith('.sock'));
  const info = execFileSync('redis-cli', ['-s', `${server.dataDir}/${socket}`, 'info', 'stats']);
  return Number(/total_commands_processed:(\d+)/.exec(String(info))?.[1]);
}

async function measureDue(server: RunningServer, api: ApiClient, count: number): Promise<void> {
  const leadMs = 5000 + count * 2;
  const due = Math.ceil((Date.now() + leadMs) / 60_000) * 60_000;
  const minute = new Date(due).getUTCMinutes();
  await saveMany(api, count, {
    name: 'due',
    cronExpression: `0 ${minute} * * * *`,
    startWorkflowRequest: { name: 'one' },
  });
  const path = `/api/workflow/search?size=0&query=${encodeURIComponent('workflowType=one')}`;
  if (Date.now() > due) throw new Error('the schedules came too late: allow more time');
  await pause(due - Date.now() - 500);
  const before = processorTime(server);
  await pause(due - Date.now() + 300);
  const started = await until(
    'all executions',
    async () => {
      const { totalHits } = (await api.request('GET', path)).body as { totalHits: number };
      return totalHits >= count ? Date.now() - due : undefined;
    },
    { timeoutMs: 60_000, everyMs: 50 },
  );
  const after = processorTime(server);
  console.log(
    `${count} due together: the last had started ${started} ms later; processor: main thread ` +
      `${after.main - before.main} ms, all threads of the node ${after.node - before.node} ms, ` +
      `Redis ${after.redis - before.redis} ms`,
  );
}

async function measureIdle(server: RunningServer, api: ApiClient, count: number): Promise<void> {
  await saveMany(api, count, {
    name: 'idle',
    cronExpression: '0 0 0 29 2 *',
    startWorkflowRequest: { name: 'one' },
  });
  await pause(5000);
  const seconds = 20;
  const before = { cpu: processorTime(server).node, commands: redisCommands(server) };
  await pause(seconds * 1000);
  const cpu = (processorTime(server).node - before.cpu) / (seconds * 10);
  const commands = (redisCommands(server) - before.commands) / seconds;
  console.log(`${count} idle schedules: ${cpu} % of a core, ${commands} Redis commands a second`);
}

const server = await startServer();
const api = new ApiClient(server.url);
try {
  await api.registerWorkflows({ name: 'one', tasks: [{ name: 'w', taskReferenceName: 'w' }] });
  await measureIdle(server, api, 0);
  await measureIdle(server, api, numberOf('idle', 100_000));
  await measureDue(server, api, numberOf('due', 10_000));
} finally {
  await api.close();
  await server.stop();
}
