// The operations that sum up what the server does, against a started server; every answer fits its
// declared schema.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const secured = sharedSecuredServer(import.meta.url);
let server: RunningServer;
let api: ApiClient;
let forms: ApiSchemas;
const ids: string[] = [];
/** Epoch ms. */
const startedAt = Date.now();

const workflow = {
  ...{ name: 'ov_order', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 },
  tasks: [{ name: 'ov_charge', taskReferenceName: 'charge', type: 'SIMPLE' }],
};

beforeAll(async () => {
  server = await startServer({ args: ['--queue-sample-seconds', '1'] });
  api = new ApiClient(server.url);
  const description = await api.request('GET', '/api-docs.json');
  forms = new ApiSchemas(description.body as ApiDescription);
  const taskDef = { name: 'ov_charge', ownerEmail: 'a@b.co', retryCount: 0, timeoutSeconds: 0 };
  await api.request('POST', '/api/metadata/taskdefs', [{ ...taskDef, responseTimeoutSeconds: 60 }]);
  await api.request('PUT', '/api/metadata/workflow', [workflow]);
  for (let i = 0; i < 3; i += 1) {
    const body = { name: 'ov_order', input: { secret: 'payload' } };
    ids.push((await api.request('POST', '/api/workflow', body)).text);
  }
  for (const card of [17, 4]) await fail(`card ${card} was declined`);
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

interface PolledTask {
  readonly taskId: string;
  readonly workflowInstanceId: string;
}

async function fail(reasonForIncompletion: string): Promise<void> {
  const { taskId, workflowInstanceId } = await until('a task', async () => {
    const { body } = await api.request('GET', '/api/tasks/poll/ov_charge?workerid=w1');
    return (body as Partial<PolledTask>).taskId === undefined ? undefined : (body as PolledTask);
  });
  const result = { taskId, workflowInstanceId, status: 'FAILED', reasonForIncompletion };
  await api.request('POST', '/api/tasks', result);
}

interface Series {
  readonly stepMs: number;
  readonly times: readonly number[];
  readonly started: Readonly<Record<string, readonly number[]>>;
  readonly omitted: number;
  readonly queues: readonly { taskType: string; waiting: readonly (number | null)[] }[];
}

interface QueueWhy {
  readonly waitsFor: readonly {
    readonly kind: string;
    readonly untilTime?: number;
    readonly data: { readonly holders?: readonly { readonly workflowId: string }[] };
  }[];
}

interface Rates {
  readonly workflows: readonly { readonly name: string }[];
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

async function get<T>(path: string): Promise<T> {
  const answer = await api.request('GET', path);
  forms.check('GET', path, answer);
  expect(answer.status).toBe(200);
  return answer.body as T;
}

describe('sums', () => {
  it('count executions by status for a search', async () => {
    const facets = await get('/api/workflow/facets?query=workflowType=ov_order');
    expect(facets).toMatchObject({ total: 3, status: { RUNNING: 1, FAILED: 2, COMPLETED: 0 } });
    expect(await get('/api/workflow/facets?by=status,workflowType')).toMatchObject({
      total: 3,
      workflowType: [{ name: 'ov_order', count: 3 }],
      otherTypes: 0,
    });
    expect((await api.request('GET', '/api/workflow/facets?by=input')).status).toBe(400);
    const none = await get('/api/workflow/facets?query=workflowType=other');
    expect(none).toMatchObject({ total: 0, status: { RUNNING: 0, FAILED: 0 } });
  });

  it('group failures whose reasons differ in numbers and ids only', async () => {
    const { groups } = await get<{ groups: Record<string, unknown>[] }>('/api/workflow/failures');
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({ workflowType: 'ov_order', ref: 'charge', count: 2 });
    expect(groups[0]?.['sample']).toContain('was declined');
  });

  it('tell what needs attention, and agree with the counts', async () => {
    const overview = await get<{ counts: object; attention: unknown[] }>(
      '/api/stats/overview?window=1h',
    );
    expect(overview.counts).toMatchObject({ RUNNING: 1, FAILED: 2 });
    expect(overview.attention).toMatchObject([
      { kind: 'failures', count: 2, since: expect.any(Number) as number },
    ]);
    const { usedBytes } = await get<{ usedBytes: number }>('/api/admin/redisUsage');
    expect(usedBytes).toBeGreaterThan(0);
    expect(overview).toMatchObject({ store: { usedBytes: expect.any(Number) as number } });
  });

  it('show what started over time, as the counts of the same window say', async () => {
    const series = await get<Series>('/api/stats/series?window=1h');
    expect(series).toMatchObject({ stepMs: 60_000, omitted: 0 });
    expect(series.times.length).toBeGreaterThan(59);
    const { started } = await get<{ started: object }>('/api/stats/overview?window=1h');
    for (const [status, number] of Object.entries(started)) {
      expect(series.started[status]).toHaveLength(series.times.length);
      expect(sumOf(series.started[status] ?? [])).toBe(number);
    }
  });

  it('show how the executions of workflows have fared', async () => {
    const names = 'name=ov_order&name=ov_unknown';
    const [known, unknown] = await get<Record<string, unknown>[]>(
      `/api/stats/workflows?window=1h&${names}`,
    );
    expect(known).toMatchObject({
      name: 'ov_order',
      counts: { RUNNING: 1, FAILED: 2 },
      sampled: 0,
    });
    expect(unknown).toMatchObject({ name: 'ov_unknown', counts: { COMPLETED: 0 }, sampled: 0 });
    const sample = { name: 'ov_quick', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2 };
    const tasks = [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }];
    await api.request('PUT', '/api/metadata/workflow', [{ ...sample, tasks }]);
    await api.request('POST', '/api/workflow', { name: 'ov_quick', input: {} });
    const [quick] = await until('its end', async () => {
      const found = await get<Record<string, number>[]>('/api/stats/workflows?name=ov_quick');
      return found[0]?.['sampled'] === 1 ? found : undefined;
    });
    expect(quick?.['p50Ms']).toBe(quick?.['p95Ms']);
    expect(quick?.['p95Ms']).toBeGreaterThanOrEqual(0);
    const tooMany = Array.from({ length: 101 }, (_, i) => `name=w${i}`).join('&');
    expect((await api.request('GET', `/api/stats/workflows?${tooMany}`)).status).toBe(400);
    expect((await api.request('GET', '/api/stats/workflows')).status).toBe(400);
  });

  it('show the depth of queues over time as it was sampled', async () => {
    const sampled = await until('a sample', async () => {
      const { queues } = await get<Series>('/api/stats/series?window=15m');
      return queues.find(({ taskType }) => taskType === 'ov_charge');
    });
    // There were three, before two of them failed.
    const most = Math.max(...sampled.waiting.map((each) => each ?? 0));
    expect([1, 2, 3]).toContain(most);
  });

  it('tell what a queue holds, who polls it and whether something holds it up', async () => {
    const other = { ...workflow, name: 'ov_other' };
    const tasks = [{ name: 'ov_alone', taskReferenceName: 'alone', type: 'SIMPLE' }];
    await api.request('PUT', '/api/metadata/workflow', [{ ...other, tasks }]);
    await api.request('POST', '/api/workflow', { name: 'ov_other', input: {} });
    const queues = await until('both queues', async () => {
      const found = await get<Record<string, unknown>[]>('/api/stats/queues');
      return found.length === 2 ? found : undefined;
    });
    const queueOf = (taskType: string): unknown =>
      queues.find((queue) => queue['taskType'] === taskType);
    expect(queueOf('ov_alone')).toMatchObject({ waiting: 1, kind: 'no-worker', workers: [] });
    expect(queueOf('ov_charge')).toMatchObject({ waiting: 1, hasDefinition: true });
    expect(queueOf('ov_charge')).not.toHaveProperty('kind');
    const now = Date.now();
    const waited =
      now - Number((queueOf('ov_charge') as Record<string, unknown>)['oldestReadyTime']);
    expect(waited).toBeGreaterThanOrEqual(0);
    expect(waited).toBeLessThan(now - startedAt);
    expect(queueOf('ov_charge')).not.toHaveProperty('limit');
  });

  it('tell how much of a limit is used', async () => {
    const named = { name: 'ov_two', ownerEmail: 'a@b.co' };
    const taskDef = { ...named, timeoutSeconds: 0, responseTimeoutSeconds: 60 };
    await api.request('POST', '/api/metadata/taskdefs', [{ ...taskDef, concurrentExecLimit: 2 }]);
    const tasks = [{ name: 'ov_two', taskReferenceName: 'two', type: 'SIMPLE' }];
    await api.request('PUT', '/api/metadata/workflow', [{ ...workflow, ...named, tasks }]);
    const limits: unknown[] = [];
    const limitOf = async (): Promise<unknown> => {
      const found = await get<Record<string, unknown>[]>('/api/stats/queues');
      return found.find((queue) => queue['taskType'] === 'ov_two');
    };
    for (let i = 0; i < 3; i += 1) await api.request('POST', '/api/workflow', { name: 'ov_two' });
    for (let polled = 0; polled < 2; polled += 1) {
      limits.push(await until('the queue', limitOf));
      await until('a task', async () => {
        const { body } = await api.request('GET', '/api/tasks/poll/ov_two?workerid=w1');
        return (body as Partial<PolledTask>).taskId;
      });
    }
    limits.push(await limitOf());
    expect(limits).toMatchObject([
      { limit: { used: 0, max: 2 } },
      { limit: { used: 1, max: 2 } },
      { limit: { used: 2, max: 2 }, kind: 'limit-full' },
    ]);
    expect(await limitOf()).toMatchObject({ leased: 2, workers: [{ workerId: 'w1', leased: 2 }] });
    const why = await get<QueueWhy>('/api/tasks/queue/why?taskType=ov_two');
    expect(why).toMatchObject({ waiting: 1, leased: 2, waitsFor: [{ kind: 'limit-full' }] });
    const held = why.waitsFor[0]?.data.holders ?? [];
    expect(new Set(held.map(({ workflowId }) => workflowId)).size).toBe(2);
  });

  it('tell when a rate window opens, and what a queue lacks', async () => {
    const named = { name: 'ov_slow', ownerEmail: 'a@b.co', responseTimeoutSeconds: 60 };
    const rate = { rateLimitPerFrequency: 1, rateLimitFrequencyInSeconds: 600 };
    await api.request('POST', '/api/metadata/taskdefs', [{ ...named, ...rate }]);
    const tasks = [{ name: 'ov_slow', taskReferenceName: 'slow', type: 'SIMPLE' }];
    await api.request('PUT', '/api/metadata/workflow', [{ ...workflow, name: 'ov_slow', tasks }]);
    for (let i = 0; i < 2; i += 1) await api.request('POST', '/api/workflow', { name: 'ov_slow' });
    await until('a task', async () => {
      const { body } = await api.request('GET', '/api/tasks/poll/ov_slow?workerid=w1');
      return (body as Partial<PolledTask>).taskId;
    });
    const { waitsFor } = await get<QueueWhy>('/api/tasks/queue/why?taskType=ov_slow');
    expect(waitsFor).toMatchObject([{ kind: 'rate-window', data: { max: 1, seconds: 600 } }]);
    expect(waitsFor[0]?.untilTime).toBeGreaterThan(Date.now());
    const kinds = async (query: string): Promise<string[]> => {
      const found = await get<QueueWhy>(`/api/tasks/queue/why?${query}`);
      return found.waitsFor.map(({ kind }) => kind);
    };
    expect(await kinds('taskType=ov_alone')).toEqual(['no-worker', 'no-definition']);
    expect(await kinds('taskType=ov_alone&domain=eu')).toEqual([]);
    expect((await api.request('GET', '/api/tasks/queue/why')).status).toBe(400);
  });

  it('tell what happened in each minute, and that no timer is overdue', async () => {
    const rates = await get<Rates>('/api/stats/rates?window=15m&workflow=ov_order');
    expect(rates.workflows).toMatchObject([{ name: 'ov_order', started: 3, failed: 2 }]);
    expect(await get('/api/stats/timers')).toEqual({ count: 0, timers: [] });
  });

  it('show an execution and its tasks without payloads', async () => {
    const path = `/api/workflow/${ids[0]}/outline`;
    const outline = await get<{
      head: Record<string, unknown>;
      tasks: { columns: string[]; rows: unknown[][] };
    }>(path);
    expect(outline.head).toMatchObject({ workflowId: ids[0], workflowName: 'ov_order' });
    expect(JSON.stringify(outline)).not.toContain('payload');
    const [row] = outline.tasks.rows;
    expect(row).toHaveLength(outline.tasks.columns.length);
    expect(row?.[outline.tasks.columns.indexOf('referenceTaskName')]).toBe('charge');
  });

  it('let a failed execution and its failure workflow name each other', async () => {
    const def = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };
    const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT', inputParameters: {} };
    const undo = { ...def, name: 'ov_undo', tasks: [wait] };
    const fails = { ...def, name: 'ov_fails', failureWorkflow: 'ov_undo', tasks: [wait] };
    for (const each of [undo, fails]) {
      expect((await api.request('POST', '/api/metadata/workflow', each)).status).toBe(200);
    }
    const started = await api.request('POST', '/api/workflow', { name: 'ov_fails' });
    const failed = started.text;
    await api.request('POST', `/api/tasks/${failed}/wait/FAILED_WITH_TERMINAL_ERROR`, {});
    interface Answer {
      readonly head: { readonly failureWorkflowId?: string; readonly failedWorkflowId?: string };
    }
    const { head } = await get<Answer>(`/api/workflow/${failed}/outline`);
    const undoId = head.failureWorkflowId ?? '';
    await expect
      .poll(async () => (await api.request('GET', `/api/workflow/${undoId}/outline`)).status)
      .toBe(200);
    const undone = await get<Answer>(`/api/workflow/${undoId}/outline`);
    expect(undone.head).toMatchObject({ workflowName: 'ov_undo', failedWorkflowId: failed });
    expect(head.failedWorkflowId).toBeUndefined();
  });

  it('count an execution that failed with its child under the cause of the child', async () => {
    const def = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };
    const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT', inputParameters: {} };
    const child = { ...def, name: 'ov_child', tasks: [wait] };
    const sub = { name: 'sub', taskReferenceName: 'sub', type: 'SUB_WORKFLOW' };
    const subWorkflowParam = { name: 'ov_child', version: 1 };
    const parent = { ...def, name: 'ov_parent', tasks: [{ ...sub, subWorkflowParam }] };
    for (const each of [child, parent]) {
      expect((await api.request('POST', '/api/metadata/workflow', each)).status).toBe(200);
    }
    const parentId = (await api.request('POST', '/api/workflow', { name: 'ov_parent' })).text;
    interface Outline {
      readonly head: { readonly status: string };
      readonly tasks: {
        readonly columns: readonly string[];
        readonly rows: readonly unknown[][];
      };
    }
    const childId = await until('its child', async () => {
      const { tasks } = await get<Outline>(`/api/workflow/${parentId}/outline`);
      const id = tasks.rows[0]?.[tasks.columns.indexOf('subWorkflowId')];
      return typeof id === 'string' && id !== '' ? id : undefined;
    });
    await api.request('POST', `/api/tasks/${childId}/wait/FAILED_WITH_TERMINAL_ERROR`, {});
    await until('the end of both', async () => {
      const { head } = await get<Outline>(`/api/workflow/${parentId}/outline`);
      return head.status === 'FAILED' ? true : undefined;
    });
    interface Groups {
      readonly groups: readonly {
        readonly workflowType: string;
        readonly count: number;
        readonly sample: string;
      }[];
    }
    const groups = async (): Promise<readonly string[]> => {
      const answer = await get<Groups>('/api/workflow/failures');
      const ours = answer.groups.filter(({ workflowType }) =>
        /_(?:child|parent)$/.test(workflowType),
      );
      return ours.map(({ workflowType, count }) => `${workflowType} ${count}`);
    };
    expect(await groups()).toEqual(['ov_child 1']);
    // A worker that words a reason so is not hidden behind somebody else's failure.
    const worded = `Sub workflow ov_child:1/${childId} failure reason: forged`;
    await api.request('POST', '/api/workflow', { name: 'ov_order', input: {} });
    await fail(worded);
    const { groups: all } = await get<Groups>('/api/workflow/failures');
    expect(all.map(({ sample }) => sample)).toContainEqual(expect.stringContaining('forged'));
    // Without the child its own reason is all that is left.
    await api.request('DELETE', `/api/workflow/${childId}/remove?archiveWorkflow=false`);
    await expect.poll(groups).toEqual(['ov_parent 1']);
  });

  it('show who controlled an execution, and why', async () => {
    const started = await api.request('POST', '/api/workflow', { name: 'ov_order' });
    const path = `/api/workflow/${started.text}`;
    expect(await get(`${path}/history`)).toEqual([]);
    expect((await api.request('PUT', `${path}/pause?reason=look`)).status).toBe(200);
    expect((await api.request('PUT', `${path}/resume`)).status).toBe(200);
    const history = await get<Record<string, unknown>[]>(`${path}/history`);
    expect(history).toMatchObject([
      { revision: 1, actor: '', actorKind: 'local', action: 'pause', reason: 'look' },
      { revision: 2, action: 'resume' },
    ]);
    expect(history[1]?.['time']).toBeGreaterThanOrEqual(Number(history[0]?.['time']));
  });

  it('take errors of the page, and count them by kind', async () => {
    const report = (body: object): ReturnType<typeof api.request> =>
      api.request('POST', '/api/page-errors', body);
    const error = { kind: 'policy', message: 'img-src', source: 'https://elsewhere', path: '/' };
    expect((await report(error)).status).toBe(204);
    expect((await report({ kind: 'policy', message: 'x'.repeat(100_000) })).status).toBe(204);
    expect(await report({ kind: 'other', message: 'x' })).toMatchObject({
      status: 400,
      body: { message: 'kind: one of script, promise, policy' },
    });
    expect(await report({ kind: 'script' })).toMatchObject({
      status: 400,
      body: { message: 'message is required' },
    });
    const { text } = await api.ask('GET', '/metrics');
    expect(text).toContain('downbeat_page_errors_total{kind="policy"} 2');
  });

  it('tell which areas are served, and who asks', async () => {
    const features = await get<{ areas: string[] }>('/api/features');
    expect(features).toMatchObject({
      ...{ basePath: '', signIn: [], user: { id: '', administrator: true } },
    });
    expect(features.areas).toContain('scheduler/schedules');
    expect(features.areas).not.toContain('nothing');
  });

  it('tell what the caller may do', async () => {
    const all = ['CREATE', 'READ', 'EXECUTE', 'UPDATE', 'DELETE'];
    expect(await get('/api/rights?type=WORKFLOW_DEF&id=anything')).toEqual(all);
    const reader = await secured.user('overview_reads@x.org', []);
    await secured.grant(reader, 'WORKFLOW_DEF', 'overview_shown', ['READ']);
    const seen = await reader.get('/api/stats/series');
    expect(seen.body).toMatchObject({ omitted: 0, queues: [] });
    expect((await reader.get('/api/stats/overview')).body).not.toHaveProperty('store');
    expect((await reader.get('/api/features')).body).toMatchObject({
      signIn: ['password', 'key'],
    });
    const rightsOf = async (query: string): Promise<unknown> =>
      (await reader.get(`/api/rights?${query}`)).body;
    expect(await rightsOf('type=WORKFLOW_DEF&id=overview_shown')).toEqual(['READ']);
    expect(await rightsOf('type=WORKFLOW_DEF&id=other')).toEqual([]);
    expect(await rightsOf('type=WORKFLOW_DEF')).toEqual([]);
    const author = await secured.user('overview_writes@x.org', ['USER']);
    expect((await author.get('/api/rights?type=WORKFLOW_DEF')).body).toContain('CREATE');
    const { user } = (await reader.get('/api/features')).body;
    expect(user).toMatchObject({ id: 'overview_reads@x.org', administrator: false });
    expect(user.closed).toContain('GET /api/users');
    expect(user.closed).not.toContain('GET /api/stats/overview');
  });

  it.each(['1x', '-1h', '0d', '999d', 'h', '99999999999h'])(
    'refuse the window %s',
    async (window) => {
      const answer = await api.request('GET', `/api/stats/overview?window=${window}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("'window'");
    },
  );

  it('answer 404 for an execution that is not there', async () => {
    const path = '/api/workflow/00000000-0000-8000-8000-000000000000';
    for (const part of ['outline', 'history']) {
      expect((await api.request('GET', `${path}/${part}`)).status).toBe(404);
    }
  });

  it('are all checked here', () => {
    const named = [
      'getFeatures',
      'getOverview',
      'getQueueStats',
      'getSeries',
      'getWorkflowStats',
      ...['getRates', 'getOverdueTimers', 'whyQueue'],
      'countWorkflows',
    ];
    const seen = [...named, 'groupFailures', 'outlineWorkflow', 'getWorkflowHistory'].filter(
      (name) => !forms.seen.has(`${name} 200`),
    );
    expect(seen).toEqual([]);
  });
});
