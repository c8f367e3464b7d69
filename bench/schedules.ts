// Measures the scheduler against a running server of its own: how long after their due time the
// last of many schedules that are due together has started its execution, and what idle ones cost.
//
//   node bin/tool.mjs bench/schedules --due 10000 --idle 100000 [--seconds 60] [--settle 45]
//
// 0 leaves a part out, `--none` measures a server without schedules as well. Commands are counted
// by Redis (those inside scripts too) once the server has been idle for the time of `--settle`, in
// which each of its loops has come round.
import { readOptions } from '../bin/lib/options.mjs';
import { ApiClient } from '../testkit/api-client.js';
import { startServer, type RunningServer } from '../testkit/server.js';
import { pause, until } from '../testkit/until.js';
import { processorTime } from './processor-time.js';
import { redisCounts } from './redis-counts.js';

const options = readOptions({
  command: 'node bin/tool.mjs bench/schedules',
  about: 'Measures how late many schedules that are due together start, and what idle ones cost.',
  options: {
    due: { type: 'integer', default: 10_000, about: 'schedules due together; 0: not measured' },
    idle: { type: 'integer', default: 100_000, about: 'idle schedules; 0: not measured' },
    none: { type: 'boolean', about: 'measures a server without schedules as well' },
    seconds: { type: 'integer', default: 60, about: 'how long idle ones are measured' },
    settle: { type: 'integer', default: 45, about: 'seconds that the server is idle before that' },
  },
});

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
  await pause(options.settle * 1000);
  const { seconds } = options;
  const cpuBefore = processorTime(server);
  const before = await redisCounts(server);
  await pause(seconds * 1000);
  const after = await redisCounts(server);
  const cpu = processorTime(server);
  const share = (ms: number): string => (ms / (seconds * 10)).toFixed(2);
  console.log(
    `${count} idle schedules: ${((after.calls - before.calls) / seconds).toFixed(1)} Redis ` +
      `commands a second; ${share(cpu.node - cpuBefore.node)} % of a core, of which the main ` +
      `thread ${share(cpu.main - cpuBefore.main)} %; Redis ${share(cpu.redis - cpuBefore.redis)} %`,
  );
  for (const [name, calls] of after.callsOf) {
    const perSecond = (calls - (before.callsOf.get(name) ?? 0)) / seconds;
    if (perSecond >= 0.05) console.log(`  ${name.padEnd(20)} ${perSecond.toFixed(2)}`);
  }
}

const server = await startServer();
const api = new ApiClient(server.url);
try {
  await api.registerWorkflows({ name: 'one', tasks: [{ name: 'w', taskReferenceName: 'w' }] });
  const { due, idle, none } = options;
  if (none) await measureIdle(server, api, 0);
  if (idle > 0) await measureIdle(server, api, idle);
  if (due > 0) await measureDue(server, api, due);
} finally {
  await api.close();
  await server.stop();
}
