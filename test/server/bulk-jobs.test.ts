// Bulk jobs against started servers: frozen preview, canary, stops, rights, and a node that dies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

interface Job {
  readonly jobId: string;
  readonly state: string;
  readonly matched: number;
  readonly count: number;
  readonly done: number;
  readonly refused: number;
  readonly failedAgain: number;
  readonly stoppedBecause?: string;
  readonly excluded: readonly { reason: string; count: number; sample: string[] }[];
  readonly errors?: readonly { workflowId: string; message: string }[];
}

interface Group {
  readonly fingerprint: string;
  readonly workflowType: string;
  readonly workflowIds: readonly string[];
  readonly count: number;
  readonly trend: readonly number[];
}

const failing = {
  name: 'bulk_failing',
  version: 1,
  tasks: [
    {
      name: 'fails',
      taskReferenceName: 'fails',
      type: 'INLINE',
      inputParameters: { evaluatorType: 'graaljs', expression: 'throw new Error("as told")' },
    },
  ],
};
const waiting = {
  name: 'bulk_jobs_waiting',
  version: 1,
  tasks: [{ name: 'bulk_jobs_work', taskReferenceName: 'work', type: 'SIMPLE' }],
};

const secured = sharedSecuredServer(import.meta.url);
let server: RunningServer;
let api: ApiClient;
let forms: ApiSchemas;

beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  forms = new ApiSchemas((await api.request('GET', '/api-docs.json')).body as ApiDescription);
  await api.registerWorkflows(failing, waiting);
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<Job> {
  const answer = await api.request(method, path, body);
  expect(answer.status, answer.text).toBe(200);
  forms.check(method, path, answer);
  return answer.body as Job;
}

const create = (request: object): Promise<Job> => call('POST', '/api/bulk-jobs', request);
const control = (jobId: string, verb: string): Promise<Job> =>
  call('POST', `/api/bulk-jobs/${jobId}/${verb}`);

/** The job once it does not run any more. */
async function ended(jobId: string): Promise<Job> {
  return await until(
    'the end of the job',
    async () => {
      const job = await call('GET', `/api/bulk-jobs/${jobId}`);
      return job.state === 'RUNNING' ? undefined : job;
    },
    { timeoutMs: 20_000 },
  );
}

async function startMany(name: string, count: number, status: string): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await api.start({ name }));
  await until(`${count} of ${status}`, async () => {
    const seen = await Promise.all(ids.map((id) => api.workflow(id)));
    return seen.every((each) => each.status === status) ? true : undefined;
  });
  return ids;
}

const statusOf = async (id: string): Promise<unknown> => (await api.workflow(id)).status;

describe('a bulk job', () => {
  it('acts on what its preview has fixed, and on nothing else', async () => {
    const [first, second] = (await startMany('bulk_jobs_waiting', 2, 'RUNNING')) as [
      string,
      string,
    ];
    const [failed] = (await startMany('bulk_failing', 1, 'FAILED')) as [string];
    const query = 'workflowType IN (bulk_jobs_waiting,bulk_failing)';
    const job = await create({ action: 'pause', query, reason: 'for a while' });
    expect(job).toMatchObject({ state: 'PREVIEW', matched: 3, count: 2, done: 0 });
    expect(job.excluded).toEqual([
      { reason: 'FAILED: pause does not fit this status', count: 1, sample: [failed] },
    ]);
    expect(await statusOf(first)).toBe('RUNNING');

    const [late] = (await startMany('bulk_jobs_waiting', 1, 'RUNNING')) as [string];
    await control(job.jobId, 'start');
    expect(await ended(job.jobId)).toMatchObject({ state: 'COMPLETED', done: 2, refused: 0 });
    expect(await Promise.all([first, second, late].map(statusOf))).toEqual([
      ...['PAUSED', 'PAUSED', 'RUNNING'],
    ]);
    expect((await api.request('POST', `/api/bulk-jobs/${job.jobId}/start`)).status).toBe(409);

    const others = await create({ action: 'terminate', query: 'workflowType = bulk_jobs_waiting' });
    await control(others.jobId, 'start');
    expect(await ended(others.jobId)).toMatchObject({ state: 'COMPLETED', done: 3 });
    expect(await statusOf(late)).toBe('TERMINATED');
  });

  it('is refused for a field that does not exist, which would make it act on everything', async () => {
    await startMany('bulk_jobs_waiting', 1, 'RUNNING');
    const query = 'workflowTyp = bulk_jobs_waiting AND status = RUNNING';
    const refused = await api.request('POST', '/api/bulk-jobs', { action: 'terminate', query });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      message: 'There is no field workflowTyp to search by. Did you mean workflowType?',
    });
  });

  it('stops by itself when its canary fails again, and goes on when it is started again', async () => {
    const ids = await startMany('bulk_failing', 5, 'FAILED');
    const plan = { canary: 2, stopAfterFailures: 2 };
    const { jobId } = await create({ action: 'retry', ids, ...plan });
    await control(jobId, 'start');
    const stopped = await ended(jobId);
    expect(stopped).toMatchObject({ state: 'STOPPED', done: 2, refused: 0, failedAgain: 2 });
    expect(stopped.stoppedBecause).toBe('Stopped by itself after 2 failures');
    expect((await api.workflow(ids[2] as string)).tasks).toHaveLength(1);

    await control(jobId, 'start');
    expect(await ended(jobId)).toMatchObject({ state: 'COMPLETED', done: 5, refused: 0 });
    for (const id of ids) expect((await api.workflow(id)).tasks).toHaveLength(2);
  });

  it('tells why executions were refused', async () => {
    const ids = await startMany('bulk_jobs_waiting', 2, 'RUNNING');
    const { jobId } = await create({ action: 'terminate', ids, canary: 0 });
    await api.ask('DELETE', `/api/workflow/${ids[0]}/remove`);
    await control(jobId, 'start');
    const job = await ended(jobId);
    expect(job).toMatchObject({ state: 'COMPLETED', done: 2, refused: 1 });
    expect(job.errors).toEqual([{ workflowId: ids[0], message: expect.any(String) }]);
    expect(await statusOf(ids[1] as string)).toBe('TERMINATED');
  });

  it('stops where it is told to', async () => {
    const ids = await startMany('bulk_jobs_waiting', 12, 'RUNNING');
    const { jobId } = await create({ action: 'terminate', ids, canary: 1, ratePerSecond: 1 });
    await control(jobId, 'start');
    await until('the canary', async () => {
      const { done } = await call('GET', `/api/bulk-jobs/${jobId}`);
      return done > 0 ? true : undefined;
    });
    const stopped = await control(jobId, 'stop');
    expect(stopped).toMatchObject({ state: 'STOPPED', stoppedBecause: 'Stopped' });
    expect(stopped.done).toBeLessThan(12);
    expect(await statusOf(ids.at(-1) as string)).toBe('RUNNING');
  });

  it('retries each execution once although its node is killed', async () => {
    const ids = await startMany('bulk_failing', 40, 'FAILED');
    const plan = { canary: 0, ratePerSecond: 100, stopAfterFailures: 0 };
    const { jobId } = await create({ action: 'retry', ids, ...plan });
    await control(jobId, 'start');
    // All are one slice: some were retried, and the next leader has to find out which.
    await until('an execution that was retried', async () => {
      const { tasks } = await api.workflow(ids[0] as string);
      return tasks.length > 1 ? true : undefined;
    });
    await server.kill('SIGKILL');
    await server.restart();
    expect(await ended(jobId)).toMatchObject({ state: 'COMPLETED', done: 40, refused: 0 });
    await until('the end of all', async () => {
      const seen = await Promise.all(ids.map((id) => api.workflow(id)));
      return seen.every(({ status }) => status === 'FAILED') ? true : undefined;
    });
    for (const id of ids) expect((await api.workflow(id)).tasks).toHaveLength(2);
  });

  it('takes a whole group of failures, however large, and no other', async () => {
    const grouped = { ...failing, name: 'bulk_grouped' };
    await api.registerWorkflows(grouped);
    const many = 510;
    await Promise.all(Array.from({ length: many }, () => api.start({ name: grouped.name })));
    await startMany('bulk_failing', 1, 'FAILED');
    const lookForAll = async (): Promise<Group | undefined> => {
      const answer = await api.request('GET', '/api/workflow/failures?window=1h');
      const { groups } = answer.body as { groups: readonly Group[] };
      return groups.find(
        ({ workflowType, count }) => workflowType === grouped.name && count === many,
      );
    };
    // Each of these reads goes through hundreds of executions: many would slow the server down.
    const seldom = { timeoutMs: 60_000, everyMs: 500 };
    const group = await until('all failures', lookForAll, seldom);
    expect(group.workflowIds).toHaveLength(500);
    expect(group.trend.reduce((sum, each) => sum + each, 0)).toBe(many);
    const failureGroup = { fingerprint: group.fingerprint, window: '1h' };
    const job = await create({ action: 'retry', failureGroup });
    expect(job).toMatchObject({ state: 'PREVIEW', matched: many, count: many, excluded: [] });
  });

  it.each([
    [{}, 'action'],
    [{ action: 'destroy', ids: ['a'] }, 'action'],
    [{ action: 'pause' }, 'query'],
    [{ action: 'pause', ids: [] }, 'ids'],
    [{ action: 'pause', ids: ['a'], query: '' }, 'ids'],
    [{ action: 'retry', query: '', failureGroup: { fingerprint: 'a' } }, 'failureGroup'],
    [{ action: 'retry', failureGroup: {} }, 'failureGroup.fingerprint'],
    [{ action: 'retry', failureGroup: { fingerprint: 'a', window: '1' } }, 'failureGroup.window'],
    [{ action: 'pause', query: '', canary: 101 }, 'canary'],
    [{ action: 'pause', query: '', ratePerSecond: 0 }, 'ratePerSecond'],
    [{ action: 'pause', query: 'status = (' }, 'status'],
    [{ action: 'pause', query: '', canry: 1 }, 'canry is none of the fields action, options'],
    [
      { action: 'retry', query: '', options: { useLatestDefinitions: true } },
      'options.useLatestDefinitions is for restart only',
    ],
    [{ action: 'restart', query: '', options: { latest: true } }, 'options.latest is none of'],
  ])('refuses %j', async (request, named) => {
    const answer = await api.request('POST', '/api/bulk-jobs', request);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(named);
  });
});

describe('with authentication', () => {
  it('acts with the rights that its creator has at that moment', async () => {
    const { admin } = secured;
    await admin.put('/api/metadata/workflow', [{ ...waiting, ownerEmail: 'a@x.org' }]);
    const workflowId = (await admin.post('/api/workflow', { name: 'bulk_jobs_waiting' })).text;
    const person = await secured.user('bulk_jobs_one@x.org', ['USER']);
    const request = { action: 'pause', query: 'workflowType = bulk_jobs_waiting' };
    expect((await person.post('/api/bulk-jobs', request)).body).toMatchObject({ matched: 0 });
    const byId = { action: 'pause', ids: [workflowId] };
    expect((await person.post('/api/bulk-jobs', byId)).body).toMatchObject({
      ...{ count: 0, excluded: [{ reason: 'There is none' }] },
    });

    await secured.grant(person, 'WORKFLOW_DEF', 'bulk_jobs_waiting', ['READ', 'EXECUTE']);
    const { jobId } = (await person.post('/api/bulk-jobs', request)).body;
    const other = await secured.user('bulk_jobs_other@x.org', ['USER']);
    expect(await other.status('POST', `/api/bulk-jobs/${jobId}/start`)).toBe(404);
    const target = { type: 'WORKFLOW_DEF', id: 'bulk_jobs_waiting' };
    const subject = { type: 'USER', id: 'bulk_jobs_one@x.org' };
    const grant = { subject, target, access: ['READ', 'EXECUTE'] };
    await admin.request('DELETE', '/api/auth/authorization', grant);
    await person.post(`/api/bulk-jobs/${jobId}/start`, undefined);
    const job = await until('the end of the job', async () => {
      const { body } = await admin.get(`/api/bulk-jobs/${jobId}`);
      return body.state === 'RUNNING' ? undefined : body;
    });
    expect(job).toMatchObject({ refused: 1, errors: [{ workflowId }] });
    expect((await admin.get(`/api/workflow/${workflowId}`)).body.status).toBe('RUNNING');
  });
});
