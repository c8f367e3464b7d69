// Schedules whose server is killed again and again: every due time starts exactly one execution or
// is recorded as skipped (semantics 9.6).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../support/api-client.js';
import { startServer, type RunningServer } from '../../support/server.js';
import { pause, until } from '../../support/until.js';
import type { JsonObject } from '../../support/wire.js';

const kills = 5;
let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  server = await startServer({ args: ['--schedule-runs-kept-max', '1000'] });
  api = new ApiClient(server.url);
  const inline = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
  for (const name of ['all', 'newest']) await api.registerWorkflows({ name, tasks: [inline] });
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

interface Run {
  scheduledTime: number;
  workflowId?: string;
  state: string;
  reason?: string;
}

async function save(name: string, catchUp: boolean): Promise<number> {
  const answer = await api.request('POST', '/api/scheduler/schedules', {
    name,
    cronExpression: '* * * * * *',
    runCatchupScheduleInstances: catchUp,
    startWorkflowRequest: { name },
  });
  return Math.floor((answer.body as { createTime: number }).createTime / 1000) * 1000 + 1000;
}

async function runsOf(name: string): Promise<Run[]> {
  const path = `/api/scheduler/search/executions?size=1000&query=${name}&sort=scheduledTime:ASC`;
  return ((await api.request('GET', path)).body as { results: Run[] }).results;
}

/** Due times by which executions of the workflow say that they were started. */
async function startedBy(name: string): Promise<number[]> {
  const path = `/api/workflow/search?size=1000&query=${encodeURIComponent(`workflowType=${name}`)}`;
  const { results } = (await api.request('GET', path)).body as { results: JsonObject[] };
  return results
    .map(({ input }) => (JSON.parse(input as string) as { _scheduledTime: number })._scheduledTime)
    .sort((a, b) => a - b);
}

function seconds(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / 1000 + 1 }, (_, i) => from + i * 1000);
}

/** Due times that a record says were skipped. */
function skippedBy({ reason = '' }: Run): number[] {
  const [, from, to] = /from (\S+) to (\S+):/.exec(reason) ?? [];
  if (from === undefined || to === undefined) return [];
  return seconds(Date.parse(from), Math.floor(Date.parse(to) / 1000) * 1000);
}

it('starts one execution per due time, or records why not, through kills', async () => {
  const first = { all: await save('all', true), newest: await save('newest', false) };
  for (let i = 0; i < kills; i += 1) {
    // Somewhere within a second: before, between and behind the steps of a run.
    await pause(900 + 217 * i);
    await server.kill('SIGKILL');
    // Long enough to pass due times by.
    await pause(2500);
    await server.restart();
  }
  await until('the schedules caught up', async () => {
    const newest = (await runsOf('all')).at(-1)?.scheduledTime ?? 0;
    return Date.now() - newest < 1500 ? true : undefined;
  });
  await api.request('PUT', '/api/scheduler/bulk/pause', ['all', 'newest']);
  await until('what was due has run', async () => {
    const before = (await startedBy('all')).length;
    await pause(300);
    return (await startedBy('all')).length === before ? true : undefined;
  });

  const all = await startedBy('all');
  expect(all).toEqual(seconds(first.all, all.at(-1) as number));
  const runs = await runsOf('all');
  expect(runs.map(({ scheduledTime }) => scheduledTime)).toEqual(all);
  expect(runs.every(({ state }) => state === 'EXECUTED')).toBe(true);

  const newest = await startedBy('newest');
  const records = await runsOf('newest');
  const skipped = records.flatMap(skippedBy);
  expect(skipped.length).toBeGreaterThan(kills);
  const executed = records.filter(({ state }) => state === 'EXECUTED');
  expect(executed.map(({ scheduledTime }) => scheduledTime)).toEqual(newest);
  const last = Math.max(newest.at(-1) as number, skipped.at(-1) as number);
  expect([...newest, ...skipped].sort((a, b) => a - b)).toEqual(seconds(first.newest, last));
});
