// Schedules whose server is killed again and again: every due time starts exactly one execution or
// is recorded as skipped (semantics 9.6).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { runsOf, saveEachSecond, seconds, skippedBy, startedBy } from '../../support/due-times.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until, untilMoment } from '../../../testkit/until.js';

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

it('starts one execution per due time, or records why not, through kills', async () => {
  const first = {
    all: await saveEachSecond(api, 'all', true),
    newest: await saveEachSecond(api, 'newest', false),
  };
  for (let i = 0; i < kills; i += 1) {
    // Somewhere within a second: before, between and behind the steps of a run.
    await untilMoment(Math.ceil(Date.now() / 1000) * 1000 + 900 + 217 * i);
    await server.kill('SIGKILL');
    // Two due times pass by.
    await untilMoment(Math.ceil(Date.now() / 1000) * 1000 + 1500);
    await server.restart();
  }
  await until('the schedules caught up', async () => {
    const newest = (await runsOf(api, 'all')).at(-1)?.scheduledTime ?? 0;
    return Date.now() - newest < 1500 ? true : undefined;
  });
  await api.request('PUT', '/api/scheduler/bulk/pause', ['all', 'newest']);
  await until('what was due has run', async () => {
    const runs = await runsOf(api, 'all');
    return (await startedBy(api, 'all')).length === runs.length;
  });

  const all = await startedBy(api, 'all');
  expect(all).toEqual(seconds(first.all, all.at(-1) as number));
  const runs = await runsOf(api, 'all');
  expect(runs.map(({ scheduledTime }) => scheduledTime)).toEqual(all);
  expect(runs.every(({ state }) => state === 'EXECUTED')).toBe(true);

  const newest = await startedBy(api, 'newest');
  const records = await runsOf(api, 'newest');
  const skipped = records.flatMap(skippedBy);
  expect(skipped.length).toBeGreaterThan(kills);
  const executed = records.filter(({ state }) => state === 'EXECUTED');
  expect(executed.map(({ scheduledTime }) => scheduledTime)).toEqual(newest);
  const last = Math.max(newest.at(-1) as number, skipped.at(-1) as number);
  expect([...newest, ...skipped].sort((a, b) => a - b)).toEqual(seconds(first.newest, last));
});
