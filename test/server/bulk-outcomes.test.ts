// What became of the executions of a bulk job: fixed, failed again and why, still running, by name
// and business key; and who may ask.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { sharedSecuredServer, sharedServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

interface Outcomes {
  readonly counts: Readonly<Record<string, number>>;
  readonly totalHits: number;
  readonly omitted: number;
  readonly results: readonly {
    readonly workflowId: string;
    readonly outcome: string;
    readonly workflowType?: string;
    readonly correlationId?: string;
    readonly status?: string;
    readonly reason?: string;
    readonly endTime?: number;
  }[];
}

interface Polled {
  readonly taskId: string;
  readonly workflowInstanceId: string;
}

const workflow = {
  name: 'bulk_outcomes_flow',
  version: 1,
  tasks: [{ name: 'bulk_outcomes_work', taskReferenceName: 'work', type: 'SIMPLE' }],
};
const taskDef = {
  ...{ name: 'bulk_outcomes_work', ownerEmail: 'a@b.co', retryCount: 0 },
  ...{ timeoutSeconds: 0, responseTimeoutSeconds: 60 },
};

const server = sharedServer(import.meta.url);
const secured = sharedSecuredServer(import.meta.url);

describe('the outcomes of a bulk job', () => {
  let api: ApiClient;
  let forms: ApiSchemas;
  beforeAll(async () => {
    api = new ApiClient(server.url);
    forms = new ApiSchemas((await api.request('GET', '/api-docs.json')).body as ApiDescription);
    await api.request('POST', '/api/metadata/taskdefs', [taskDef]);
    await api.registerWorkflows(workflow);
  });
  afterAll(async () => {
    await api.close();
  });

  it('tell which are fixed, failed again and why, or still run, by name and key', async () => {
    const keys = ['fixed', 'again', 'open'];
    const ids: string[] = [];
    for (const key of keys) ids.push(await api.start({ name: workflow.name, correlationId: key }));
    for (let i = 0; i < ids.length; i += 1) await report('FAILED', 'the bank is closed');
    await ended(ids);
    const jobId = await created({ action: 'retry', ids, canary: 0 });
    expect(await outcomes(jobId)).toMatchObject({ counts: { WAITING: 3 }, totalHits: 3 });

    await api.request('POST', `/api/bulk-jobs/${jobId}/start`);
    await completed(jobId);
    expect(await outcomes(jobId)).toMatchObject({ counts: { RUNNING: 3 }, omitted: 0 });
    const [fixed, again, open] = ids as [string, string, string];
    await reportOf(new Map([fixed, again, open].map((id, i) => [id, keys[i] as string])));
    const seen = await until('both ends', async () => {
      const now = await outcomes(jobId);
      return now.counts['RUNNING'] === 1 ? now : undefined;
    });
    expect(seen.counts).toEqual({ FIXED: 1, FAILED_AGAIN: 1, RUNNING: 1 });
    const { name: workflowType } = workflow;
    expect(seen.results).toEqual([
      expect.objectContaining({ outcome: 'FIXED', correlationId: 'fixed', workflowType }),
      expect.objectContaining({ outcome: 'FAILED_AGAIN', correlationId: 'again', workflowType }),
      expect.objectContaining({ outcome: 'RUNNING', correlationId: 'open', workflowType }),
    ]);
    expect(seen.results.map((each) => each.endTime === undefined)).toEqual([false, false, true]);
    expect(seen.results[1]?.reason).toContain('the card is stolen');

    const failed = await outcomes(jobId, '?outcome=FAILED_AGAIN');
    expect(failed).toMatchObject({ totalHits: 1, results: [{ workflowId: again }] });
    const second = await outcomes(jobId, '?start=1&size=1');
    expect(second).toMatchObject({ totalHits: 3, results: [{ workflowId: again }] });
    expect(second.results).toHaveLength(1);
  });

  it('tell why one was refused, and what is gone', async () => {
    const ids = [
      await api.start({ name: workflow.name }),
      await api.start({ name: workflow.name }),
    ];
    const jobId = await created({ action: 'terminate', ids, canary: 0 });
    await api.ask('DELETE', `/api/workflow/${ids[0]}/remove`);
    expect(await outcomes(jobId)).toMatchObject({ counts: { GONE: 1, WAITING: 1 } });
    await api.request('POST', `/api/bulk-jobs/${jobId}/start`);
    await completed(jobId);
    const { counts, results } = await outcomes(jobId);
    expect(counts).toEqual({ REFUSED: 1, DONE: 1 });
    expect(results[0]).toEqual({
      ...{ workflowId: ids[0], outcome: 'REFUSED', reason: expect.any(String) },
    });
    expect(results[1]).toMatchObject({ outcome: 'DONE', status: 'TERMINATED' });

    const removal = await created({ action: 'remove', ids: [ids[1]], canary: 0 });
    await api.request('POST', `/api/bulk-jobs/${removal}/start`);
    await completed(removal);
    expect(await outcomes(removal)).toMatchObject({ counts: { DONE: 1 } });
  });

  it('cannot come of a job of no execution: it is not started', async () => {
    const query = 'workflowType = bulk_outcomes_nothing';
    const jobId = await created({ action: 'remove', query });
    const started = await api.request('POST', `/api/bulk-jobs/${jobId}/start`);
    expect(started.status).toBe(409);
    expect(started.body).toMatchObject({
      message: `Bulk job ${jobId} has no execution to act on`,
    });
    expect(await outcomes(jobId)).toMatchObject({ counts: {}, totalHits: 0, results: [] });
  });

  it.each([
    ['outcome=LOST', 'outcome'],
    ['size=0', 'size'],
    ['size=501', 'size'],
    ['start=-1', 'start'],
  ])('refuse %s', async (query, named) => {
    const jobId = await created({ action: 'pause', query: 'workflowType = bulk_outcomes_nothing' });
    const answer = await api.request('GET', `/api/bulk-jobs/${jobId}/outcomes?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(named);
  });

  async function created(request: object): Promise<string> {
    const answer = await api.request('POST', '/api/bulk-jobs', request);
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { jobId: string }).jobId;
  }

  async function outcomes(jobId: string, query = ''): Promise<Outcomes> {
    const path = `/api/bulk-jobs/${jobId}/outcomes`;
    const answer = await api.request('GET', path + query);
    expect(answer.status, answer.text).toBe(200);
    forms.check('GET', path, answer);
    return answer.body as Outcomes;
  }

  async function completed(jobId: string): Promise<void> {
    await until('the end of the job', async () => {
      const { body } = await api.request('GET', `/api/bulk-jobs/${jobId}`);
      return (body as { state: string }).state === 'COMPLETED' ? true : undefined;
    });
  }

  async function ended(ids: readonly string[]): Promise<void> {
    await until('the end of all', async () => {
      const seen = await Promise.all(ids.map((id) => api.workflow(id)));
      return seen.every(({ status }) => status === 'FAILED') ? true : undefined;
    });
  }

  async function polled(): Promise<Polled> {
    return await until('a task', async () => {
      const [task] = await api.poll('bulk_outcomes_work');
      if (task === undefined) return undefined;
      return { taskId: task.taskId, workflowInstanceId: task.workflowInstanceId };
    });
  }

  async function report(status: string, reasonForIncompletion?: string): Promise<void> {
    await reportTask(await polled(), status, reasonForIncompletion);
  }

  async function reportTask(task: Polled, status: string, reason?: string): Promise<void> {
    const why = reason === undefined ? {} : { reasonForIncompletion: reason };
    await api.request('POST', '/api/tasks', { ...task, status, ...why });
  }

  /** Takes the task of each and does with it what its key says. */
  async function reportOf(keyOf: ReadonlyMap<string, string>): Promise<void> {
    for (let i = 0; i < keyOf.size; i += 1) {
      const task = await polled();
      const key = keyOf.get(task.workflowInstanceId);
      if (key === 'fixed') await reportTask(task, 'COMPLETED');
      if (key === 'again') await reportTask(task, 'FAILED', 'the card is stolen');
    }
  }
});

describe('with authentication', () => {
  it('shows outcomes to who created the job, and no name that he may not read any more', async () => {
    const { admin } = secured;
    await admin.put('/api/metadata/workflow', [{ ...workflow, ownerEmail: 'a@x.org' }]);
    const workflowId = (await admin.post('/api/workflow', { name: workflow.name })).text;
    const person = await secured.user('bulk_outcomes_one@x.org', ['USER']);
    await secured.grant(person, 'WORKFLOW_DEF', workflow.name, ['READ', 'EXECUTE']);
    const request = { action: 'pause', ids: [workflowId] };
    const { jobId } = (await person.post('/api/bulk-jobs', request)).body;
    const path = `/api/bulk-jobs/${jobId}/outcomes`;
    const named = { results: [{ workflowId, workflowType: workflow.name }] };
    expect((await person.get(path)).body).toMatchObject(named);

    const other = await secured.user('bulk_outcomes_other@x.org', ['USER']);
    expect(await other.status('GET', path)).toBe(404);
    const target = { type: 'WORKFLOW_DEF', id: workflow.name };
    const subject = { type: 'USER', id: 'bulk_outcomes_one@x.org' };
    const grant = { subject, target, access: ['READ', 'EXECUTE'] };
    await admin.request('DELETE', '/api/auth/authorization', grant);
    expect((await person.get(path)).body).toMatchObject({ counts: { GONE: 1 } });
    expect((await person.get(path)).body.results).toEqual([{ workflowId, outcome: 'GONE' }]);
    expect((await admin.get(path)).body).toMatchObject(named);
  });
});
