// Limits on how many executions of a workflow run at the same time (contract-admin 9.7, semantics
// 2.12) with the policy QUEUE: set in each of its forms, counted per key, in the order of starts,
// and through kills of the node.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedMortalServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';
import type { JsonObject, WireWorkflow } from '../../testkit/wire.js';

const server = sharedMortalServer(import.meta.url);
let api: ApiClient;
beforeAll(async () => {
  api = new ApiClient(server.url);
});
afterAll(() => api.close());

const task = { name: 'execution_limits_work', taskReferenceName: 'w', type: 'SIMPLE' };

async function register(name: string, more: JsonObject = {}): Promise<void> {
  const def = { name, version: 1, ownerEmail: 'a@x.org', tasks: [task], ...more };
  await api.registerWorkflows(def as never);
}

async function start(name: string, input: JsonObject = {}): Promise<string> {
  return await api.start({ name, version: 1, input, taskToDomain: { '*': name } });
}

const tasksOf = async (id: string): Promise<number> => (await api.workflow(id)).tasks.length;

async function untilBegun(id: string): Promise<void> {
  await until(`the begin of ${id}`, async () => (await tasksOf(id)) > 0);
}

/** Completes the task that is in the queue of a workflow; the id of its execution. */
async function completeOne(name: string): Promise<string> {
  const [polled] = await api.poll(task.name, { domain: name, timeoutMs: 5000 });
  const { taskId, workflowInstanceId } = polled as { taskId: string; workflowInstanceId: string };
  await api.update({ taskId, workflowInstanceId, status: 'COMPLETED' } as never);
  return workflowInstanceId;
}

const forms: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
  [
    'the routes of rate limits',
    (name) =>
      api.ask('PUT', `/api/metadata/workflow/${name}/rate-limit`, {
        rateLimitKey: name,
        concurrentExecLimit: 1,
      }),
  ],
  [
    'a tag of type RATE_LIMIT',
    (name) =>
      api.ask('POST', `/api/metadata/workflow/${name}/tags`, {
        ...{ key: name, value: 1, type: 'RATE_LIMIT' },
      }),
  ],
  [
    'its definition',
    (name) => register(name, { rateLimitConfig: { rateLimitKey: 'k', concurrentExecLimit: 1 } }),
  ],
];

describe('a workflow that is limited by', () => {
  it.each(forms)('%s runs its executions one after the other', async (how, limit) => {
    const name = `execution_limits_${how.replaceAll(' ', '_')}`;
    if (how !== 'its definition') await register(name);
    await limit(name);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push(await start(name));
    const [first = '', second = '', third = '', fourth = ''] = ids;
    await untilBegun(first);
    expect(await api.workflow(second)).toMatchObject({ status: 'RUNNING', tasks: [] });
    expect(await completeOne(name)).toBe(first);
    // One that ends while it waits never had a place.
    await api.terminate(third);
    await untilBegun(second);
    expect(await tasksOf(fourth)).toBe(0);
    expect(await completeOne(name)).toBe(second);
    expect(await completeOne(name)).toBe(fourth);
    expect(await tasksOf(third)).toBe(0);
    await api.untilWorkflow(fourth, ({ status }) => status === 'COMPLETED');
  });

  it('a key counts per value of it', async () => {
    const rateLimitConfig = { rateLimitKey: '${workflow.input.for}', concurrentExecLimit: 1 };
    await register('execution_limits_per_key', { rateLimitConfig });
    const a = await start('execution_limits_per_key', { for: 'a' });
    const waiting = await start('execution_limits_per_key', { for: 'a' });
    const b = await start('execution_limits_per_key', { for: 'b' });
    await untilBegun(a);
    await untilBegun(b);
    const why = (await api.request('GET', `/api/workflow/${waiting}/why`)).text;
    expect(why).toContain('as its rate limit allows');
    expect(await tasksOf(waiting)).toBe(0);
    // Who waits for a place has nothing that somebody must take up.
    expect((await api.request('GET', '/api/admin/fsck')).body).toMatchObject({ violations: [] });
    for (const id of [a, b, waiting]) await api.terminate(id);
  });

  it('counts what a person starts again, and does not hold it back', async () => {
    const rateLimitConfig = { rateLimitKey: 'k', concurrentExecLimit: 1 };
    await register('execution_limits_again', { rateLimitConfig });
    const first = await start('execution_limits_again');
    await untilBegun(first);
    await api.terminate(first);
    const second = await start('execution_limits_again');
    await untilBegun(second);
    await api.ask('POST', `/api/workflow/${first}/restart`);
    await untilBegun(first);
    const third = await start('execution_limits_again');
    await completeOne('execution_limits_again');
    expect(await tasksOf(third)).toBe(0);
    await completeOne('execution_limits_again');
    await untilBegun(third);
    await api.terminate(third);
  });
});

describe('places', () => {
  it('are neither lost nor given twice while the node is killed', async () => {
    const rateLimitConfig = { rateLimitKey: '${workflow.input.for}', concurrentExecLimit: 2 };
    const name = 'execution_limits_killed';
    // What a kill keeps from its worker comes again soon.
    const again = { retryCount: 20, retryDelaySeconds: 0, responseTimeoutSeconds: 1 };
    await api.registerTasks({ ...again, name: task.name, timeoutSeconds: 0 } as never);
    await register(name, { rateLimitConfig });
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await start(name, { for: n % 2 === 0 ? 'a' : 'b' }));
    const ended = new AbortController();
    const working = [worker(name, ended.signal), worker(name, ended.signal)];
    try {
      for (let kills = 0; kills < 2; kills++) {
        const before = await endedOf(ids);
        await until('some progress', async () => (await endedOf(ids)) > Math.min(before, 11));
        await server.kill('SIGKILL');
        await server.restart();
      }
      await until('the end of all', async () => (await endedOf(ids)) === 12, {
        timeoutMs: 60_000,
      });
    } finally {
      ended.abort();
      await Promise.all(working);
    }
    const all = await workflows(ids);
    for (const key of ['a', 'b']) {
      expect(mostAtOnce(all.filter(({ input }) => input?.['for'] === key))).toBeLessThanOrEqual(2);
    }
  }, 120_000);
});

/** Completes tasks; the node is away from time to time. */
async function worker(domain: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const polled = await api.poll(task.name, { domain, timeoutMs: 200 }).catch(() => []);
    for (const { taskId, workflowInstanceId } of polled) {
      const result = { taskId, workflowInstanceId, status: 'COMPLETED' };
      await api.update(result as never).catch(() => undefined);
    }
  }
}

const workflows = async (ids: readonly string[]): Promise<WireWorkflow[]> =>
  Promise.all(ids.map((id) => api.workflow(id)));

async function endedOf(ids: readonly string[]): Promise<number> {
  return (await workflows(ids)).filter(({ status }) => status === 'COMPLETED').length;
}

/** Executions that had a task and had not ended, at the same moment. */
function mostAtOnce(executions: readonly WireWorkflow[]): number {
  const changes = executions.flatMap(({ tasks, endTime }) => [
    { at: tasks[0]?.scheduledTime ?? 0, by: 1 },
    { at: endTime ?? 0, by: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { by } of changes.sort((x, y) => x.at - y.at || x.by - y.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
