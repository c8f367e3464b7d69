// What the metrics of a running server say of workflows, task types, queues, workers and the
// cluster.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { toResult } from '../support/workers.js';
import type { WireTask } from '../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  server = await startServer({ args: ['--metrics-names-max=2'] });
  api = new ApiClient(server.url);
  const types = ['metered', 'metered_more', 'metered_most'];
  await api.registerTasks(
    ...types.map((name) => ({ name, retryCount: 0, responseTimeoutSeconds: 60 })),
  );
  await api.registerWorkflows(
    ...types.map((name) => ({
      ...{ name, version: 1, schemaVersion: 2, ownerEmail: 'm@downbeat.test' },
      tasks: [{ name, taskReferenceName: 'one', type: 'SIMPLE' }],
    })),
  );
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

/** Values by name and labels, as the page has them. */
async function metrics(): Promise<Map<string, number>> {
  const { text } = await api.ask('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

async function run(name: string, status: 'COMPLETED' | 'FAILED'): Promise<void> {
  const id = await api.start({ name, version: 1 });
  const [task] = await api.poll(name, { timeoutMs: 5000 });
  await api.update(toResult(task as WireTask, { status }));
  await api.untilWorkflow(id, (workflow) => workflow.status === status);
}

it('tells what became of executions and tasks, by name', async () => {
  await run('metered', 'COMPLETED');
  await run('metered', 'FAILED');
  const seen = await until('the counts', async () => {
    const found = await metrics();
    const ended = found.get('downbeat_workflow_duration_seconds_count{workflow="metered"}');
    return ended === 2 ? found : undefined;
  });
  const workflow = 'downbeat_workflow_executions_total{workflow="metered",event=';
  for (const [event, count] of [
    ['started', 2],
    ['completed', 1],
    ['failed', 1],
  ] as const) {
    expect(seen.get(`${workflow}"${event}"}`), event).toBe(count);
  }
  const task = 'downbeat_task_executions_total{task_type="metered",event=';
  for (const [event, count] of [
    ['scheduled', 2],
    ['handedOut', 2],
    ['failed', 1],
  ] as const) {
    expect(seen.get(`${task}"${event}"}`), event).toBe(count);
  }
  expect(seen.get('downbeat_task_duration_seconds_count{task_type="metered"}')).toBe(2);
});

it('tells of the queues, and of a type that nobody polls', async () => {
  await api.start({ name: 'metered_more', version: 1 });
  const seen = await until(
    'the queue',
    async () => {
      const found = await metrics();
      return found.get('downbeat_queue_depth{task_type="metered_more"}') === 1 ? found : undefined;
    },
    { timeoutMs: 15_000, everyMs: 200 },
  );
  expect(seen.get('downbeat_queue_oldest_seconds{task_type="metered_more"}')).toBeGreaterThan(0);
  expect(seen.has('downbeat_queue_last_poll_age_seconds{task_type="metered_more"}')).toBe(false);
  expect(seen.get('downbeat_queue_last_poll_age_seconds{task_type="metered"}')).toBeGreaterThan(0);
});

it('tells the polls that wait, by type', async () => {
  const polling = api.poll('metered', { timeoutMs: 3000 });
  await until('the poll', async () => {
    return (await metrics()).get('downbeat_pollers{task_type="metered"}') === 1;
  });
  await polling;
  expect((await metrics()).has('downbeat_pollers{task_type="metered"}')).toBe(false);
});

it('tells leader, shards, brokers and how long Redis takes', async () => {
  const seen = await metrics();
  expect(seen.get('downbeat_leader')).toBe(1);
  expect(seen.get('downbeat_shards_owned')).toBe(seen.get('downbeat_shards'));
  expect(seen.get('downbeat_brokers_unreachable')).toBe(0);
  expect(seen.get('downbeat_redis_latency_seconds_count')).toBeGreaterThan(0);
});

it('counts starts that are refused, by kind', async () => {
  const answer = await api.request('POST', '/api/workflow', { name: 'unknown_name', version: 1 });
  expect(answer.status).toBe(404);
  expect((await metrics()).get('downbeat_starts_refused_total{reason="not-found"}')).toBe(1);
});

it('tells as many names apart as the setting says', async () => {
  await run('metered_most', 'COMPLETED');
  await until('the third name', async () => {
    const found = await metrics();
    return (
      found.get('downbeat_workflow_executions_total{workflow="other",event="completed"}') === 1
    );
  });
  const { text } = await api.ask('GET', '/metrics');
  expect(text).not.toContain('executions_total{workflow="metered_most"');
});
