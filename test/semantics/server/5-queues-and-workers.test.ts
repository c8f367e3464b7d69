// Semantics 5, and the lines of 1.4, 1.5, 1.8, 2.12 and 9 that need a server: errors, polls,
// updates, domains, limits, priorities, idempotency, search. One server for all. Routes themselves
// are shown in test/server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../../testkit/api-client.js';
import { sharedServer } from '../../support/shared-server.js';
import { until } from '../../../testkit/until.js';
import { workMeanwhile } from '../../support/work-meanwhile.js';
import type { JsonObject, TaskConfig, WireTask } from '../../../testkit/wire.js';

const server = sharedServer(import.meta.url);
let api: ApiClient;
let count = 0;

beforeAll(async () => {
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await api.close();
});

/** A name that no other test uses. */
function fresh(prefix: string): string {
  return `queues_and_workers_${prefix}_${++count}`;
}

function simple(ref: string, name: string, more: JsonObject = {}): TaskConfig {
  return { name, taskReferenceName: ref, type: 'SIMPLE', ...more };
}

/** Starts an inline definition. */
function start(tasks: TaskConfig[], more: JsonObject = {}, def: JsonObject = {}): Promise<string> {
  const name = fresh('wf');
  return api.start({ name, workflowDef: { name, version: 1, tasks, ...def }, ...more });
}

async function polled(
  type: string,
  options: { domain?: string; timeoutMs?: number } = {},
): Promise<WireTask> {
  const [task] = await api.poll(type, { timeoutMs: 3000, ...options });
  if (task === undefined) throw new Error(`Nothing to poll for ${type}`);
  return task;
}

const health = (): Promise<unknown> => api.request('GET', '/health');

function complete(task: WireTask, outputData: JsonObject = {}): Promise<void> {
  return api.update({
    workflowInstanceId: task.workflowInstanceId,
    taskId: task.taskId,
    status: 'COMPLETED',
    outputData,
  });
}

async function task(id: string, ref: string): Promise<WireTask> {
  const found = (await api.workflow(id)).tasks.findLast((each) => each.referenceTaskName === ref);
  if (found === undefined) throw new Error(`No task ${ref}`);
  return found;
}

function refusal({ status, body }: ApiAnswer): [number, string] {
  return [status, (body as { message?: string }).message ?? ''];
}

describe('1.4 errors', () => {
  it.each<['GET' | 'POST' | 'PUT' | 'DELETE', string, number]>([
    ['GET', '/api/workflow/nope', 404],
    ['PUT', '/api/workflow/nope/pause', 404],
    ['POST', '/api/workflow/nope/retry', 404],
    ['DELETE', '/api/workflow/nope', 404],
    ['GET', '/api/tasks/nope', 404],
    ['GET', '/api/metadata/taskdefs/nope', 404],
    ['GET', '/api/metadata/workflow/nope', 404],
    ['POST', '/api/workflow/nope', 404],
  ])('1.4 %s %s answers %d with the error body', async (method, path, status) => {
    const answer = await api.request(method, path, method === 'POST' ? {} : undefined);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      status,
      retryable: false,
      message: expect.any(String) as string,
    });
  });
});

describe('1.5.9 and 1.5.14 removal and bulk operations', () => {
  it('9.2.56 remove with archive of a RUNNING workflow: terminated with its children, removed', async () => {
    const child = { name: fresh('child'), version: 1, tasks: [simple('a', fresh('t'))] };
    const subWorkflowParam = { name: child.name, version: 1, workflowDefinition: child };
    const id = await start([
      { name: 'sub', taskReferenceName: 'sub', type: 'SUB_WORKFLOW', subWorkflowParam },
    ]);
    const { subWorkflowId } = await api.untilTask(id, 'sub', 'IN_PROGRESS');
    await api.ask('DELETE', `/api/workflow/${id}/remove`);
    expect((await api.request('GET', `/api/workflow/${id}`)).status).toBe(404);
    expect((await api.untilEnd(subWorkflowId ?? '')).status).toBe('TERMINATED');
  });

  it('1.5.9 an ended execution is removed, and with archiveWorkflow=false a running one too', async () => {
    for (const [end, query] of [[true, ''], [false, '?archiveWorkflow=false']] as const) {
      const id = await start([simple('a', fresh('t'))]);
      if (end) await api.terminate(id);
      await api.ask('DELETE', `/api/workflow/${id}/remove${query}`);
      expect((await api.request('GET', `/api/workflow/${id}`)).status).toBe(404);
    }
  }); // prettier-ignore

  it('9.2.57 bulk terminate of three ids with one unknown: two successes, one error', async () => {
    const ids = [
      await start([simple('a', fresh('t'))]),
      'nope',
      await start([simple('a', fresh('t'))]),
    ];
    const { status, body } = await api.request('POST', '/api/workflow/bulk/terminate', ids);
    expect([status, body]).toMatchObject([
      200,
      {
        bulkSuccessfulResults: [ids[0], ids[2]],
        bulkErrorResults: { nope: expect.any(String) as string },
      },
    ]);
  });

  it('1.5.14 more than 1000 ids: 400', async () => {
    const ids = Array.from({ length: 1001 }, (_, i) => `id${i}`);
    expect((await api.request('PUT', '/api/workflow/bulk/pause', ids)).status).toBe(400);
  });
});

describe('5.3 poll', () => {
  it('5.3 nothing there: 204 for one, [] for a batch, 400 beyond 5 s', async () => {
    const type = fresh('t');
    expect((await api.request('GET', `/api/tasks/poll/${type}`)).status).toBe(204);
    expect(await api.poll(type)).toEqual([]);
    expect((await api.request('GET', `/api/tasks/poll/batch/${type}?timeout=5001`)).status).toBe(
      400,
    );
  });

  it('5.3 a poll gives IN_PROGRESS with worker, start time and pollCount 1, and returns as soon as one is there', async () => {
    const type = fresh('t');
    const waiting = api.poll(type, { timeoutMs: 4000, workerId: 'w7' });
    await start([simple('a', type)]);
    const [first] = await waiting;
    expect(first).toMatchObject({
      status: 'IN_PROGRESS',
      workerId: 'w7',
      pollCount: 1,
      referenceTaskName: 'a',
    });
    expect(first?.startTime).toBeGreaterThan(0);
  });

  it('5.3 a task is handed out once', async () => {
    const type = fresh('t');
    await start([simple('a', type)]);
    await polled(type);
    expect(await api.poll(type)).toEqual([]);
  });

  it('9.2.37 tasks of a PAUSED workflow are handed out', async () => {
    const type = fresh('t');
    const id = await start([simple('a', type)]);
    await api.ask('PUT', `/api/workflow/${id}/pause`);
    expect((await polled(type)).workflowInstanceId).toBe(id);
  });

  it('9.1.5 a task given back for long is polled at once after resetcallbacks', async () => {
    const type = fresh('t');
    const id = await start([simple('a', type)]);
    const { taskId } = await polled(type);
    await api.update({
      workflowInstanceId: id,
      taskId,
      status: 'IN_PROGRESS',
      callbackAfterSeconds: 60,
    });
    expect(await api.poll(type)).toEqual([]);
    await api.ask('POST', `/api/workflow/${id}/resetcallbacks`);
    expect(await polled(type)).toMatchObject({ taskId, pollCount: 2 });
  });
});

describe('5.4 task update', () => {
  it('5.4.3 unknown task 404; terminal task and ended workflow are accepted and ignored', async () => {
    const type = fresh('t');
    const id = await start([simple('a', type), simple('b', fresh('t'))]);
    const unknown = await api.request('POST', '/api/tasks', {
      workflowInstanceId: id,
      taskId: 'nope',
      status: 'COMPLETED',
    });
    expect(refusal(unknown)[0]).toBe(404);
    const first = await polled(type);
    await complete(first, { n: 1 });
    await complete(first, { n: 2 });
    expect((await task(id, 'a')).outputData).toEqual({ n: 1 });
    await api.terminate(id);
    await complete(await task(id, 'b'));
    expect((await task(id, 'b')).status).toBe('CANCELED');
  });

  it('5.4.1 workflowInstanceId, taskId and status are required: 400', async () => {
    expect((await api.request('POST', '/api/tasks', { taskId: 'x' })).status).toBe(400);
  });

  it('5.4.2 extendLease changes nothing but the update time', async () => {
    const type = fresh('t');
    const id = await start([simple('a', type)]);
    const { taskId } = await polled(type);
    await api.update({
      workflowInstanceId: id,
      taskId,
      status: 'COMPLETED',
      extendLease: true,
      outputData: { no: 1 },
    });
    expect(await task(id, 'a')).toMatchObject({ status: 'IN_PROGRESS', outputData: {} });
  });

  it('5.4.10 update-v2 answers the next task of the type, 204 when there is none', async () => {
    const type = fresh('t');
    await start([simple('a', type), simple('b', type)]);
    const first = await polled(type);
    const next = await api.updateAndPoll({
      workflowInstanceId: first.workflowInstanceId,
      taskId: first.taskId,
      status: 'COMPLETED',
    });
    expect(next).toMatchObject({ referenceTaskName: 'b', status: 'IN_PROGRESS' });
    const none = await api.updateAndPoll({
      workflowInstanceId: first.workflowInstanceId,
      taskId: next?.taskId ?? '',
      status: 'COMPLETED',
    });
    expect(none).toBeUndefined();
  });

  it('5.4 by reference: merged into the output, also by the plain name of a loop member', async () => {
    const type = fresh('t');
    const member = simple('a', type);
    const id = await start([
      {
        name: 'l',
        taskReferenceName: 'l',
        type: 'DO_WHILE',
        loopCondition: '$.l["iteration"] < 2',
        loopOver: [member],
      },
    ]);
    const { taskId } = await polled(type);
    await api.update({
      workflowInstanceId: id,
      taskId,
      status: 'IN_PROGRESS',
      outputData: { part: 1 },
      callbackAfterSeconds: 60,
    });
    await api.ask('POST', `/api/tasks/${id}/a/COMPLETED`, { n: 1 });
    expect((await task(id, 'a__1')).outputData).toEqual({ part: 1, n: 1 });
    await api.ask('POST', `/api/tasks/${id}/a__2/COMPLETED`, {});
    expect((await api.untilEnd(id)).status).toBe('COMPLETED');
  });

  it('9.1.29 CANCELED by a worker: the workflow is TERMINATED', async () => {
    const type = fresh('t');
    const id = await start([simple('a', type)]);
    const { taskId } = await polled(type);
    await api.ask('POST', '/api/tasks', { workflowInstanceId: id, taskId, status: 'CANCELED' });
    expect((await api.untilEnd(id)).status).toBe('TERMINATED');
  });
});

describe('5.6 domains', () => {
  it('9.6.123 "*": "d1,NO_DOMAIN" without a poller on d1 goes to the plain queue', async () => {
    const type = fresh('t');
    await start([simple('a', type)], { taskToDomain: { '*': 'd1,NO_DOMAIN' } });
    expect((await polled(type)).referenceTaskName).toBe('a');
  });

  it('5.6 an active poller gets it for its domain, the key of the type wins over "*"', async () => {
    const type = fresh('t');
    await api.poll(type, { domain: 'd2' });
    const id = await start([simple('a', type)], {
      taskToDomain: { '*': 'other', [type]: 'd1, d2,NO_DOMAIN' },
    });
    expect((await polled(type, { domain: 'd2' })).workflowInstanceId).toBe(id);
  });

  it('9.6.124 "*" does not concern system tasks', async () => {
    const type = fresh('t');
    const id = await start(
      [{ name: 'w', taskReferenceName: 'w', type: 'WAIT' }, simple('a', type)],
      { taskToDomain: { '*': 'd1' } },
    );
    expect('domain' in (await task(id, 'w'))).toBe(false);
  });

  it('9.6.125 domains are disjoint queues', async () => {
    const type = fresh('t');
    await start([simple('a', type)]);
    expect(await api.poll(type, { domain: 'd1' })).toEqual([]);
    await polled(type);
  });
});

describe('2.12 limits and 5.2 order', () => {
  it('9.6.121 a freed slot is given out at once', async () => {
    const type = fresh('t');
    await api.registerTasks({ name: type, concurrentExecLimit: 1 });
    await start([simple('a', type)]);
    await start([simple('a', type)]);
    const first = await polled(type);
    expect(await api.poll(type)).toEqual([]);
    await complete(first);
    const { result, count } = await workMeanwhile(polled(type), health);
    expect(result.workflowInstanceId).not.toBe(first.workflowInstanceId);
    expect(count).toBeLessThan(500);
  });

  it('9.6.122 with 1 hand-out per 2 s the second comes when the window opens', async () => {
    const type = fresh('t');
    await api.registerTasks({
      name: type,
      rateLimitPerFrequency: 1,
      rateLimitFrequencyInSeconds: 2,
    });
    await start([simple('a', type)]);
    await start([simple('a', type)]);
    await polled(type);
    expect(await api.poll(type)).toEqual([]);
    await polled(type, { timeoutMs: 4500 });
  });

  it('9.6.127 priorities come before none, lower numbers first', async () => {
    const type = fresh('t');
    for (const priority of [0, 9, 5])
      await start([simple('a', type)], { priority, correlationId: `p${priority}` });
    // A task is pushed to its queue right after the start is answered.
    await until('all three in the queue', async () => {
      const sizes = await api.ask('GET', `/api/tasks/queue/sizes?taskType=${type}`);
      return (sizes.body as unknown as JsonObject)[type] === 3;
    });
    const order: unknown[] = [];
    for (let i = 0; i < 3; i++)
      order.push(((await polled(type)) as unknown as JsonObject)['workflowPriority']);
    expect(order).toEqual([5, 9, 0]);
  });

  it('1.5.1.4 a priority outside 0 to 99 is a 400', async () => {
    const answer = await api.request('POST', '/api/workflow', {
      name: 'x',
      priority: 100,
      workflowDef: { name: 'x', tasks: [simple('a', 't')] },
    });
    expect(answer.status).toBe(400);
  });
});

describe('1.8 message queue', () => {
  it('9.6.137 a pushed message completes a waiting PULL without delay', async () => {
    const id = await start([{ name: 'p', taskReferenceName: 'p', type: 'PULL_WORKFLOW_MESSAGES' }]);
    const ends = api
      .ask('POST', `/api/workflow/${id}/messages`, { n: 1 })
      .then(() => api.untilEnd(id));
    const { result, count } = await workMeanwhile(ends, health);
    expect(result.tasks[0]?.outputData).toMatchObject({
      count: 1,
      messages: [{ payload: { n: 1 } }],
    });
    expect(count).toBeLessThan(500);
  });

  it('9.6.136 a push to a paused workflow is refused and loses nothing', async () => {
    const id = await start([
      simple('a', fresh('t')),
      { name: 'p', taskReferenceName: 'p', type: 'PULL_WORKFLOW_MESSAGES' },
    ]);
    await api.ask('POST', `/api/workflow/${id}/messages`, { n: 1 });
    await api.ask('PUT', `/api/workflow/${id}/pause`);
    expect((await api.request('POST', `/api/workflow/${id}/messages`, { n: 2 })).status).toBe(409);
    await api.ask('PUT', `/api/workflow/${id}/resume`);
    await complete(await task(id, 'a'));
    expect((await api.untilEnd(id)).tasks[1]?.outputData).toMatchObject({
      count: 1,
      messages: [{ payload: { n: 1 } }],
    });
  });
});

describe('8 idempotency and search', () => {
  it('9.6.141 RETURN_EXISTING: two concurrent starts with one key are one execution', async () => {
    const name = fresh('wf');
    await api.registerWorkflows({ name, tasks: [simple('a', fresh('t'))] });
    const request = { name, idempotencyKey: fresh('key'), idempotencyStrategy: 'RETURN_EXISTING' };
    const [one, two] = await Promise.all([api.start(request), api.start(request)]);
    expect(one).toBe(two);
  });

  it('9.6.142 FAIL_ON_RUNNING conflicts with a PAUSED execution', async () => {
    const name = fresh('wf');
    await api.registerWorkflows({ name, tasks: [simple('a', fresh('t'))] });
    const request = { name, idempotencyKey: fresh('key'), idempotencyStrategy: 'FAIL_ON_RUNNING' };
    await api.ask('PUT', `/api/workflow/${await api.start(request)}/pause`);
    expect((await api.request('POST', '/api/workflow', request)).status).toBe(409);
  });

  it('9.6.140 both quote styles work in a search, totalHits is the full count, pages do not overlap', async () => {
    const name = fresh('wf');
    await api.registerWorkflows({ name, tasks: [simple('a', fresh('t'))] });
    const ids = [await api.start({ name }), await api.start({ name }), await api.start({ name })];
    const search = async (
      query: string,
      more = '',
    ): Promise<{ totalHits: number; results: { workflowId: string }[] }> =>
      (await api.ask('GET', `/api/workflow/search?query=${encodeURIComponent(query)}${more}`))
        .body as never;
    await until('the index', async () => (await search(`workflowType='${name}'`)).totalHits === 3);
    for (const query of [`workflowId='${ids[0]}'`, `workflowId="${ids[0]}"`]) {
      expect((await search(query)).results.map(({ workflowId }) => workflowId)).toEqual([ids[0]]);
    }
    const pages = [
      await search(`workflowType='${name}'`, '&start=0&size=2'),
      await search(`workflowType='${name}'`, '&start=2&size=2'),
    ];
    expect(pages.map(({ totalHits }) => totalHits)).toEqual([3, 3]);
    expect(
      new Set(pages.flatMap(({ results }) => results.map(({ workflowId }) => workflowId))),
    ).toEqual(new Set(ids));
  });
});

describe('9.6 other lines', () => {
  it('9.6.155 an EVENT with asyncComplete stays IN_PROGRESS after publishing until it is updated', async () => {
    const id = await start([
      { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: 'conductor', asyncComplete: true },
    ]);
    await api.untilTask(id, 'e', 'IN_PROGRESS');
    await api.ask('POST', `/api/tasks/${id}/e/COMPLETED`, { done: 1 });
    expect((await api.untilEnd(id)).status).toBe('COMPLETED');
  });

  it('9.6.152 a WAIT until a moment in the past completes at once', async () => {
    const id = await start([
      { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: { until: '2020-01-01' } },
    ]);
    expect((await api.untilEnd(id)).status).toBe('COMPLETED');
  });

  it('9.2.58 an inline definition without tasks is refused before it starts', async () => {
    const answer = await api.request('POST', '/api/workflow', {
      name: 'x',
      workflowDef: { name: 'x', tasks: [] },
    });
    expect(answer.status).toBe(400);
  });

  it('9.3.72 a template literal in an INLINE at the top level is refused at registration, nested it is written $${x}', async () => {
    const script = (expression: string): TaskConfig => ({
      name: 'i',
      taskReferenceName: 'i',
      type: 'INLINE',
      inputParameters: { evaluatorType: 'javascript', expression },
    });
    const name = fresh('wf');
    const answer = await api.request('POST', '/api/metadata/workflow', {
      name,
      version: 1,
      tasks: [script('var x = 1; `${x}`')],
    });
    expect(answer.status).toBe(400);
    const id = await start([script('var x = 1; `n $${x}`')]);
    expect((await api.untilEnd(id)).output).toEqual({ result: 'n 1' });
  });
});
