// Numbers of two operations agree, with each other and with what was done: after a known load on
// one server, after that was killed and started again, and on two servers that share it. And a
// timer that is not carried out is named.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisClient } from '../../src/redis/client.js';
import { dueScore } from '../../src/redis/codec/scores.js';
import { shortIdOf } from '../../src/redis/codec/short-id.js';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import { ApiClient } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

type Numbers = Readonly<Record<string, number>>;

/** What was done, by what the server must say of it. */
interface Truth {
  readonly status: Numbers;
  readonly executions: Numbers;
  readonly queue: Numbers;
  readonly waiting: number;
}

const none: Truth = {
  status: { RUNNING: 0, PAUSED: 0, COMPLETED: 0, FAILED: 0, TIMED_OUT: 0, TERMINATED: 0 },
  executions: { started: 0, completed: 0, failed: 0, timedOut: 0, terminated: 0 },
  queue: { scheduled: 0, handedOut: 0, completed: 0, failed: 0 },
  waiting: 0,
};

let redis: RunningRedis;
let truth = none;
let forms: ApiSchemas;
const servers: RunningServer[] = [];
const apis: ApiClient[] = [];

async function addServer(): Promise<void> {
  const server = await startServer({ redisUrl: redis.url });
  servers.push(server);
  apis.push(new ApiClient(server.url));
}

beforeAll(async () => {
  redis = await startRedis();
  await addServer();
  const [api] = apis as [ApiClient];
  const description = await api.request('GET', '/api-docs.json');
  forms = new ApiSchemas(description.body as ApiDescription);
  const named = { ownerEmail: 'a@b.co', timeoutSeconds: 0 };
  const taskDef = { ...named, name: 'na_charge', retryCount: 0, responseTimeoutSeconds: 600 };
  await api.request('POST', '/api/metadata/taskdefs', [taskDef]);
  const flow = { ...named, version: 1, schemaVersion: 2 };
  const charge = { name: 'na_charge', taskReferenceName: 'charge', type: 'SIMPLE' };
  const quick = { name: 'quick', taskReferenceName: 'quick', type: 'NOOP' };
  const duration = { inputParameters: { duration: '2 hours' } };
  const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT', ...duration };
  const flows = [
    { ...flow, name: 'na_order', tasks: [charge] },
    { ...flow, name: 'na_quick', tasks: [quick] },
    { ...flow, name: 'na_wait', tasks: [wait] },
  ];
  expect((await api.request('PUT', '/api/metadata/workflow', flows)).status).toBe(200);
});
afterAll(async () => {
  for (const api of apis) await api.close();
  for (const server of servers) await server.stop();
  await redis?.stop();
});

/**
 * Starts 12 orders, 3 executions that need no worker and one that is paused; 4 orders complete, 3
 * fail, 1 is terminated and 4 go on waiting. Servers take turns.
 */
async function load(): Promise<void> {
  let turn = 0;
  const next = (): ApiClient => apis[turn++ % apis.length] as ApiClient;
  const ids: string[] = [];
  const start = async (name: string): Promise<string> =>
    (await next().request('POST', '/api/workflow', { name })).text;
  for (let i = 0; i < 12; i += 1) ids.push(await start('na_order'));
  for (let i = 0; i < 3; i += 1) await start('na_quick');
  const paused = await start('na_wait');
  await next().request('PUT', `/api/workflow/${paused}/pause`);
  const ended = new Set<string>();
  for (let i = 0; i < 7; i += 1) {
    const task = await until('a task', async () => {
      const { body } = await next().request('GET', '/api/tasks/poll/na_charge?workerid=w1');
      return (body as Partial<Polled>).taskId === undefined ? undefined : (body as Polled);
    });
    const { taskId, workflowInstanceId } = task;
    ended.add(workflowInstanceId);
    const status = i < 4 ? 'COMPLETED' : 'FAILED';
    const result = { taskId, workflowInstanceId, status };
    expect((await next().request('POST', '/api/tasks', result)).status).toBe(200);
  }
  const [terminated] = ids.filter((id) => !ended.has(id));
  await next().request('DELETE', `/api/workflow/${terminated}`);
  const { status, executions, queue, waiting } = truth;
  truth = {
    status: add(status, { RUNNING: 4, PAUSED: 1, COMPLETED: 7, FAILED: 3, TERMINATED: 1 }),
    executions: add(executions, { started: 16, completed: 7, failed: 3, terminated: 1 }),
    queue: add(queue, { scheduled: 12, handedOut: 7, completed: 4, failed: 3 }),
    waiting: waiting + 4,
  };
}

interface Polled {
  readonly taskId: string;
  readonly workflowInstanceId: string;
}

function add(numbers: Numbers, more: Numbers): Numbers {
  const sums = Object.entries(numbers).map(([name, number]) => [name, number + (more[name] ?? 0)]);
  return Object.fromEntries(sums) as Numbers;
}

const sumOf = (numbers: readonly (number | null)[]): number =>
  numbers.reduce<number>((sum, each) => sum + (each ?? 0), 0);

/** What one server says now, in every way in which it says it. */
async function said(api: ApiClient): Promise<Record<string, unknown>> {
  const get = async <T>(path: string): Promise<T> => {
    const answer = await api.request('GET', path);
    expect(answer.status).toBe(200);
    forms.check('GET', path, answer);
    return answer.body as T;
  };
  type Counts = { counts: Numbers; started: Numbers; attention: { kind: string; count: number }[] };
  const overview = await get<Counts>('/api/stats/overview?window=1h');
  const facets = await get<{ status: Numbers; total: number }>('/api/workflow/facets');
  const series = await get<{ started: Record<string, number[]> }>('/api/stats/series?window=1h');
  const workflows = await get<{ counts: Numbers }[]>(
    '/api/stats/workflows?window=1h&name=na_order&name=na_quick&name=na_wait',
  );
  const found: Record<string, number> = {};
  for (const status of Object.keys(none.status)) {
    const path = `/api/workflow/search?size=1&query=status=${status}`;
    found[status] = (await get<{ totalHits: number }>(path)).totalHits;
  }
  type Rates = {
    executions: Record<string, (number | null)[]>;
    workflows: (Numbers & { name: unknown })[];
    queues: { total: Numbers; series: Record<string, (number | null)[]> }[];
  };
  const rates = await get<Rates>('/api/stats/rates?window=1h&taskType=na_charge');
  const [queue] = rates.queues;
  type RunMs = { p50: number; p95: number; tasks: number };
  type Queue = { taskType: string; waiting: number; leased: number; runMs?: RunMs };
  const queues = await get<Queue[]>('/api/stats/queues');
  const charge = queues.find(({ taskType }) => taskType === 'na_charge');
  const failures = await get<{ groups: { count: number }[] }>('/api/workflow/failures?window=1h');
  const sums = (by: Record<string, (number | null)[]>): Numbers =>
    Object.fromEntries(Object.entries(by).map(([name, steps]) => [name, sumOf(steps)]));
  return {
    status: [
      overview.counts,
      overview.started,
      facets.status,
      sums(series.started),
      workflows.map(({ counts }) => counts).reduce(add),
      found,
    ],
    total: facets.total,
    executions: [sums(rates.executions), rates.workflows.reduce(addNamed, none.executions)],
    queue: [queue?.total, sums(queue?.series ?? {})],
    waiting: [
      charge?.waiting,
      (await get<Numbers>('/api/tasks/queue/all'))['na_charge'],
      (await get<Numbers>('/api/tasks/queue/sizes?taskType=na_charge'))['na_charge'],
      (await get<unknown[]>('/api/admin/task/na_charge?start=0&count=100')).length,
    ],
    leased: charge?.leased,
    ran: charge?.runMs?.tasks,
    failed: [
      sumOf(failures.groups.map(({ count }) => count)),
      overview.attention.find(({ kind }) => kind === 'failures')?.count,
    ],
    paused: overview.attention.find(({ kind }) => kind === 'paused')?.count,
    overdue: await get('/api/stats/timers'),
  };
}

const addNamed = (sum: Numbers, one: Numbers): Numbers => add(sum, one);

function expected(): Record<string, unknown> {
  const { status, executions, queue, waiting } = truth;
  return {
    status: [status, status, status, status, status, status],
    total: sumOf(Object.values(status)),
    executions: [executions, executions],
    queue: [queue, queue],
    waiting: [waiting, waiting, waiting, waiting],
    leased: 0,
    ran: (queue['completed'] ?? 0) + (queue['failed'] ?? 0),
    failed: [status['FAILED'], status['FAILED']],
    paused: status['PAUSED'],
    overdue: { count: 0, timers: [] },
  };
}

/** The counters of a node since it was started. */
async function metered(api: ApiClient): Promise<{ executions: Numbers; queue: Numbers }> {
  const { text } = await api.request('GET', '/metrics');
  const read = (metric: string, names: Numbers): Numbers => {
    const events = Object.keys(names).map((event) => {
      const line = new RegExp(`^${metric}\\{event="${event}"\\} (\\d+)$`, 'm').exec(text);
      return [event, Number(line?.[1] ?? 0)];
    });
    return Object.fromEntries(events) as Numbers;
  };
  return {
    executions: read('downbeat_executions_total', none.executions),
    queue: read('downbeat_tasks_total', none.queue),
  };
}

/** A wake-up, due a minute ago, of an execution whose record is lost: no node can carry it out. */
class Wake {
  private constructor(
    private readonly client: RedisClient,
    readonly id: ExecutionId,
    readonly dueAt: number,
  ) {}

  static async plant(url: string): Promise<Wake> {
    const client = new RedisClient({ url, prefix: 'db' });
    await client.connect();
    const wake = new Wake(client, executionIdOf(7, randomBytes(10)), Date.now() - 60_000);
    const { keys, commits } = client;
    const score = dueScore(keys.placeOf(7), false, wake.dueAt);
    await commits.call('ZADD', keys.due(keys.partitionOf(7)), score, shortIdOf(wake.id));
    return wake;
  }

  async remove(): Promise<void> {
    const { keys, commits } = this.client;
    await commits.call('ZREM', keys.due(keys.partitionOf(7)), shortIdOf(this.id));
    this.client.disconnect();
  }
}

describe('what operations say of one load', () => {
  it('agrees on one server, at once', async () => {
    await load();
    const [api] = apis as [ApiClient];
    expect(await said(api)).toEqual(expected());
    expect(await metered(api)).toEqual({ executions: truth.executions, queue: truth.queue });
  });

  it('agrees after the server was killed and started again', async () => {
    const [server] = servers as [RunningServer];
    const [api] = apis as [ApiClient];
    await server.kill('SIGKILL');
    await server.restart();
    expect(await said(api)).toEqual(expected());
  });

  it('agrees after an orderly restart, with what happened just before it', async () => {
    await load();
    const [server] = servers as [RunningServer];
    const [api] = apis as [ApiClient];
    expect(await server.kill('SIGTERM')).toBe(0);
    const lost = await Wake.plant(redis.url);
    await server.restart();
    type Timers = { count: number; timers: { workflowId: string; dueTime: number }[] };
    const timers = async (): Promise<Timers> =>
      (await api.request('GET', '/api/stats/timers')).body as Timers;
    await expect.poll(timers, { timeout: 20_000 }).toMatchObject({
      count: 1,
      timers: [{ workflowId: lost.id, workflowName: '', dueTime: lost.dueAt }],
    });
    const overview = await api.request('GET', '/api/stats/overview?window=1h');
    forms.check('GET', '/api/stats/overview', overview);
    const { attention } = overview.body as { attention: unknown[] };
    expect(attention[0]).toMatchObject({ kind: 'timer', count: 1, workflowId: lost.id });
    await lost.remove();
    await expect.poll(timers, { timeout: 20_000 }).toEqual({ count: 0, timers: [] });
    expect(await said(api)).toEqual(expected());
  });

  it('agrees on two servers, each asked for what both have done', async () => {
    await addServer();
    const before = truth;
    await load();
    for (const api of apis) {
      // What the other one has counted is there within a second.
      await expect.poll(() => said(api), { timeout: 15_000 }).toEqual(expected());
    }
    const [one, two] = await Promise.all(apis.map((api) => metered(api)));
    const both = add(one?.executions ?? {}, two?.executions ?? {});
    const minus = (after: Numbers, sooner: Numbers): Numbers =>
      add(after, Object.fromEntries(Object.entries(sooner).map(([name, n]) => [name, -n])));
    expect(both).toEqual(minus(truth.executions, before.executions));
    expect(add(one?.queue ?? {}, two?.queue ?? {})).toEqual(minus(truth.queue, before.queue));
  });
});
