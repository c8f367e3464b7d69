// The routes of executions, tasks, queues and administration against a started server: each is hit, its answer has the status, the
// content type and the shape that clients rely on (contract-core 8 to 11, 14 to 18, 20.3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router } from '../../src/api/router.js';
import { allRoutes, type RouteParts } from '../../src/api/routes.js';
import { ApiClient, type ApiAnswer } from '../support/api-client.js';
import { startServer, type RunningServer } from '../support/server.js';
import type { JsonObject, WireTask, WireWorkflow } from '../support/wire.js';

let server: RunningServer;
let api: ApiClient;

const routes = allRoutes({ metadata: {}, state: {} } as unknown as RouteParts);
const router = new Router(routes);
const hit = new Set<string>();

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends a request and notes the route that it leads to. */
async function ask(method: Method, path: string, body?: unknown): Promise<ApiAnswer> {
  const match = router.find(method, path.split('?')[0] as string);
  if (match.kind === 'found') hit.add(`${method} ${match.route.pattern}`);
  return api.request(method, path, body);
}

const simple = (
  ref: string,
  over: JsonObject = {},
): { name: string; taskReferenceName: string } => ({
  name: 'work',
  taskReferenceName: ref,
  ...over,
});
const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
let names = 0;
/** A name that no other test uses. */
function fresh(stem: string): string {
  return `${stem}_${++names}`;
}
const unknownId = '00000000-0000-8000-8000-000000000000';

beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  await api.registerTasks({ name: 'work', retryCount: 0 });
  await api.registerWorkflows(
    { name: 'chain', tasks: [simple('a'), simple('b')] },
    { name: 'waits', tasks: [wait, { ...wait, taskReferenceName: 'second' }] },
    {
      name: 'outer',
      tasks: [
        {
          name: 's',
          taskReferenceName: 's',
          type: 'SUB_WORKFLOW',
          subWorkflowParam: { name: 'waits' },
        },
      ],
    },
    {
      name: 'inline',
      tasks: [
        {
          name: 'v',
          taskReferenceName: 'v',
          type: 'SET_VARIABLE',
          inputParameters: { k: '${workflow.input.k}' },
        },
      ],
      outputParameters: { k: '${workflow.variables.k}' },
    },
  );
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

/** Starts a chain under a task type of its own, so that tests do not take each other's tasks. */
async function startChain(): Promise<{ id: string; taskType: string }> {
  const taskType = fresh('work');
  const tasks = ['a', 'b'].map((ref) => ({ name: taskType, taskReferenceName: ref }));
  const id = await api.start({ name: taskType, workflowDef: { name: taskType, tasks } } as never);
  return { id, taskType };
}

async function pollOne(taskType: string): Promise<WireTask> {
  const [task] = await api.poll(taskType, { timeoutMs: 5000 });
  if (task === undefined) throw new Error(`no task of ${taskType}`);
  return task;
}

async function failChain(): Promise<{ id: string; taskType: string; task: WireTask }> {
  const { id, taskType } = await startChain();
  const task = await pollOne(taskType);
  await api.update({
    workflowInstanceId: id,
    taskId: task.taskId,
    status: 'FAILED_WITH_TERMINAL_ERROR',
  });
  expect((await api.workflow(id)).status).toBe('FAILED');
  return { id, taskType, task };
}

function expectEmpty(answer: ApiAnswer, status: 200 | 204 = 200): void {
  expect([answer.status, answer.contentType, answer.text]).toEqual([status, '', '']);
}

function expectText(answer: ApiAnswer, text: string | RegExp): void {
  expect([answer.status, answer.contentType]).toEqual([200, 'text/plain;charset=UTF-8']);
  if (typeof text === 'string') expect(answer.text).toBe(text);
  else expect(answer.text).toMatch(text);
}

function expectJson(answer: ApiAnswer): unknown {
  expect([answer.status, answer.contentType]).toEqual([200, 'application/json']);
  return answer.body;
}

function expectRefusal(answer: ApiAnswer, status: number, message: string | RegExp): void {
  expect(answer.body).toMatchObject({ status, retryable: false });
  expect(answer.status).toBe(status);
  expect((answer.body as { message: string }).message).toMatch(message);
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('starting', () => {
  it('answers every form with the bare id', async () => {
    expectText(await ask('POST', '/api/workflow', { name: 'inline', input: { k: 1 } }), idPattern);
    expectText(await ask('POST', '/api/workflow/inline?correlationId=c&priority=3', {}), idPattern);
    expectText(await ask('POST', '/api/workflow/start/inline/1', { k: 2 }), idPattern);
  });

  it.each<[string, Method, string, unknown, number, string | RegExp]>([
    [
      'an unknown name',
      'POST',
      '/api/workflow',
      { name: 'nope' },
      404,
      'No such workflow defined. name=nope, version=null',
    ],
    [
      'an unknown version',
      'POST',
      '/api/workflow/inline?version=9',
      {},
      404,
      'No such workflow found by name: inline, version: 9',
    ],
    ['no name', 'POST', '/api/workflow', {}, 400, /Validation failed/],
    [
      'too high a priority',
      'POST',
      '/api/workflow',
      { name: 'inline', priority: 100 },
      400,
      /Validation failed/,
    ],
    [
      'too low a priority by name',
      'POST',
      '/api/workflow/inline?priority=-1',
      {},
      400,
      /Validation failed/,
    ],
    [
      'a null input',
      'POST',
      '/api/workflow',
      { name: 'inline', input: null },
      400,
      'NULL input passed',
    ],
    ['an input that is a list', 'POST', '/api/workflow/inline', [], 400, /object/],
    ['a body that is no object', 'POST', '/api/workflow', [], 400, /JSON parse error/],
    ['no body', 'POST', '/api/workflow', undefined, 400, /body is missing/],
    [
      'an invalid inline definition',
      'POST',
      '/api/workflow',
      { name: 'x', workflowDef: { name: 'x', tasks: [] } },
      400,
      /Validation failed/,
    ],
    [
      'a version that is no number',
      'POST',
      '/api/workflow/start/inline/one',
      {},
      400,
      /not a number/,
    ],
  ])('refuses %s', async (_what, method, path, body, status, message) => {
    expectRefusal(await ask(method, path, body), status, message);
  });

  it('starts once per idempotency key', async () => {
    const start = {
      name: 'waits',
      idempotencyKey: 'key-1',
      idempotencyStrategy: 'RETURN_EXISTING',
    };
    const first = await ask('POST', '/api/workflow', start);
    expectText(await ask('POST', '/api/workflow', start), first.text);
    const refused = await ask('POST', '/api/workflow', { ...start, idempotencyStrategy: 'FAIL' });
    expectRefusal(refused, 409, new RegExp(first.text));
    const byHeader = (strategy: string): Promise<Response> =>
      fetch(`${server.url}/api/workflow/waits`, {
        method: 'POST',
        headers: { 'X-Idempotency-key': 'key-1', 'X-on-conflict': strategy },
        body: '{}',
      });
    expect(await (await byHeader('RETURN_EXISTING')).text()).toBe(first.text);
    expect((await byHeader('FAIL_ON_RUNNING')).status).toBe(409);
    expect((await byHeader('SOMETIMES')).status).toBe(400);
    await api.terminate(first.text);
    expect((await byHeader('FAIL_ON_RUNNING')).status).toBe(200);
  });

  it('freezes an inline definition and stores nothing of it', async () => {
    const { id, taskType } = await startChain();
    expect((await api.workflow(id)).workflowName).toBe(taskType);
    expect((await api.request('GET', `/api/metadata/workflow/${taskType}`)).status).toBe(404);
  });
});

describe('synchronous calls', () => {
  it('execute answers with the execution once it has ended', async () => {
    const answer = await ask('POST', '/api/workflow/execute/inline/1?requestId=q1', {
      name: 'inline',
      input: { k: 5 },
    });
    expect(expectJson(answer)).toMatchObject({
      responseType: 'TARGET_WORKFLOW',
      targetWorkflowStatus: 'COMPLETED',
      requestId: 'q1',
      status: 'COMPLETED',
      output: { k: 5 },
      signalTimeout: false,
    });
  });

  it('execute answers at once when a WAIT blocks, in the form asked for', async () => {
    const run = async (name: string, strategy: string): Promise<JsonObject> => {
      const path = `/api/workflow/execute/${name}/0?returnStrategy=${strategy}`;
      return expectJson(await ask('POST', path, { name })) as JsonObject;
    };
    expect(await run('waits', 'BLOCKING_TASK')).toMatchObject({
      responseType: 'BLOCKING_TASK',
      taskType: 'WAIT',
      referenceTaskName: 'wait',
      status: 'IN_PROGRESS',
      signalTimeout: false,
    });
    const nested = await run('outer', 'BLOCKING_WORKFLOW');
    expect(nested).toMatchObject({ responseType: 'BLOCKING_WORKFLOW', signalTimeout: false });
    expect(nested['workflowId']).not.toBe(nested['targetWorkflowId']);
    expect(await run('outer', 'BLOCKING_TASK_INPUT')).toMatchObject({ referenceTaskName: 'wait' });
    expect(await run('inline', 'BLOCKING_TASK')).toMatchObject({ responseType: 'TARGET_WORKFLOW' });
  });

  it('execute waits for a named task, and for the time that was given', async () => {
    const taskType = fresh('sync');
    const tasks = ['a', 'b'].map((ref) => ({ name: taskType, taskReferenceName: ref }));
    const path = `/api/workflow/execute/${taskType}/1`;
    const body = { name: taskType, workflowDef: { name: taskType, tasks } };
    const named = ask('POST', `${path}?waitUntilTaskRef=zz, a&waitForSeconds=20`, body);
    const task = await pollOne(taskType);
    await api.update({
      workflowInstanceId: task.workflowInstanceId,
      taskId: task.taskId,
      status: 'COMPLETED',
    });
    expect(expectJson(await named)).toMatchObject({ status: 'RUNNING', signalTimeout: false });
    const late = expectJson(await ask('POST', `${path}?waitForSeconds=1`, body));
    expect(late).toMatchObject({ status: 'RUNNING', signalTimeout: true });
    expect((late as WireWorkflow).input).toMatchObject({ _systemMetadata: { dynamic: true } });
  });

  it('execute refuses an unknown strategy and an unknown definition', async () => {
    const path = '/api/workflow/execute/inline/1?returnStrategy=ALL';
    expectRefusal(await ask('POST', path, { name: 'inline' }), 400, /return strategy/);
    expectRefusal(await ask('POST', '/api/workflow/execute/inline/9', {}), 404, /version=9/);
  });

  it('the deprecated form answers with the output alone', async () => {
    expect(expectJson(await ask('POST', '/api/workflow/execute/inline', { k: 7 }))).toEqual({
      k: 7,
    });
    expect(expectJson(await ask('GET', '/api/workflow/execute/inline'))).toEqual({ k: null });
  });

  it('a signal answers the first blocked task, also in a child', async () => {
    const id = await api.start({ name: 'outer' });
    const child = (await api.untilTask(id, 's', 'IN_PROGRESS')).subWorkflowId as string;
    await api.untilTask(child, 'wait', 'IN_PROGRESS');
    expectEmpty(await ask('POST', `/api/tasks/${id}/COMPLETED/signal`, { n: 1 }));
    const first = await api.untilTask(child, 'wait', 'COMPLETED');
    expect(first.outputData).toEqual({ n: 1 });
    const sync = await ask('POST', `/api/tasks/${id}/COMPLETED/signal/sync`, { n: 2 });
    expect(expectJson(sync)).toMatchObject({
      targetWorkflowId: id,
      status: 'COMPLETED',
      signalTimeout: false,
    });
    const ended = await ask('POST', `/api/tasks/${id}/COMPLETED/signal/sync`, {});
    expectRefusal(ended, 404, `Found no blocked task in workflow ${id} to signal`);
    expectEmpty(await ask('POST', `/api/tasks/${id}/COMPLETED/signal`, {}));
    expectRefusal(
      await ask('POST', `/api/tasks/${unknownId}/COMPLETED/signal`, {}),
      404,
      /No such workflow/,
    );
    expectRefusal(await ask('POST', `/api/tasks/${id}/DONE/signal`, {}), 400, /status/);
  });

  it('an update of the state answers with the execution', async () => {
    const id = await api.start({ name: 'waits' });
    const answer = await ask('POST', `/api/workflow/${id}/state?requestId=r&waitForSeconds=5`, {
      taskReferenceName: 'wait',
      taskResult: { status: 'COMPLETED', outputData: { o: 1 } },
      variables: { v: 1 },
    });
    expect(expectJson(answer)).toMatchObject({
      workflowId: id,
      requestId: 'r',
      variables: { v: 1 },
    });
    expectRefusal(await ask('POST', `/api/workflow/${id}/state`, {}), 400, /must be given/);
  });
});

describe('reading', () => {
  it('gives execution, status, tasks and single tasks', async () => {
    const { id } = await startChain();
    const whole = expectJson(await ask('GET', `/api/workflow/${id}`)) as WireWorkflow;
    expect(whole.tasks).toHaveLength(1);
    const bare = expectJson(
      await ask('GET', `/api/workflow/${id}?includeTasks=false`),
    ) as WireWorkflow;
    expect(bare.tasks).toEqual([]);
    const flags = 'includeOutput=true&includeVariables=true';
    expect(expectJson(await ask('GET', `/api/workflow/${id}/status?${flags}`))).toEqual({
      workflowId: id,
      status: 'RUNNING',
      output: {},
      variables: {},
    });
    const page = expectJson(await ask('GET', `/api/workflow/${id}/tasks?status=scheduled`));
    expect(page).toMatchObject({ totalHits: 1, summary: { SCHEDULED: 1 } });
    expect(expectJson(await ask('GET', `/api/workflow/${id}/tasks?status=FAILED`))).toMatchObject({
      totalHits: 0,
      results: [],
    });
    expectRefusal(await ask('GET', `/api/workflow/${id}/tasks?status=GONE`), 400, /task status/);
    const taskId = (whole.tasks[0] as WireTask).taskId;
    expect(expectJson(await ask('GET', `/api/tasks/${taskId}`))).toMatchObject({ taskId, seq: 1 });
  });

  it('lists by name and correlation id, closed ones on demand', async () => {
    const name = 'waits';
    const ids = [];
    for (const correlationId of ['c-1', 'c-1', 'c-2'])
      ids.push(await api.start({ name, correlationId } as never));
    await api.terminate(ids[1] as string);
    const found = async (query: string): Promise<string[]> =>
      (
        expectJson(
          await ask('GET', `/api/workflow/${name}/correlated/c-1?${query}`),
        ) as WireWorkflow[]
      ).map((each) => each.workflowId);
    expect(await found('')).toEqual([ids[0]]);
    expect(await found('includeClosed=true')).toEqual(ids.slice(0, 2));
    const many = await ask('POST', `/api/workflow/${name}/correlated?includeTasks=true`, [
      'c-2',
      'c-9',
    ]);
    expect(expectJson(many)).toMatchObject({
      'c-2': [{ workflowId: ids[2], tasks: [{}] }],
      'c-9': [],
    });
    const batch = { correlationIds: ['c-1', 'c-9'], workflowNames: [name, 'nope'] };
    const both = expectJson(await ask('POST', '/api/workflow/correlated/batch', batch));
    expect(both).toMatchObject({ 'c-1': [{ workflowId: ids[0] }], 'c-9': [] });
    expectRefusal(await ask('POST', '/api/workflow/correlated/batch', {}), 400, /correlationIds/);
    const running = expectJson(await ask('GET', `/api/workflow/running/${name}`)) as string[];
    expect(running).toEqual(expect.arrayContaining([ids[0], ids[2]]));
    expect(running).not.toContain(ids[1]);
    const window = expectJson(
      await ask('GET', `/api/workflow/running/${name}?startTime=1&endTime=9999999999999`),
    );
    expect(window).toEqual(expect.arrayContaining(ids));
    expect(expectJson(await ask('GET', '/api/workflow/running/nope'))).toEqual([]);
  });

  it.each([
    [`/api/workflow/${unknownId}`, `No such workflow found by id: ${unknownId}`],
    ['/api/workflow/nope', 'No such workflow found by id: nope'],
    ['/api/workflow/nope/status', 'No such workflow found by id: nope'],
    ['/api/workflow/nope/tasks', 'No such workflow found by id: nope'],
    ['/api/tasks/nope', 'Task not found for taskId: nope'],
    [`/api/tasks/${unknownId}`, `Task not found for taskId: ${unknownId}`],
  ])('answers 404 for %s', async (path, message) => {
    expectRefusal(await ask('GET', path), 404, message);
  });

  it('names a key for a payload outside, and refuses unknown kinds', async () => {
    const query = 'path=a/&operation=write&payloadType=WORKFLOW_INPUT';
    for (const path of [
      '/api/workflow/externalstoragelocation',
      '/api/workflow/external-storage-location',
      '/api/tasks/externalstoragelocation',
      '/api/tasks/external-storage-location',
    ]) {
      const answer = expectJson(await ask('GET', `${path}?${query}`)) as { path: string };
      expect(answer.path).toMatch(/^a\/[0-9a-f-]{36}\.json$/);
      expectRefusal(
        await ask('GET', `${path}?path=&operation=X&payloadType=Y`),
        400,
        /Operation: X/,
      );
      expectRefusal(await ask('GET', path), 400, /'path' is not present/);
    }
  });
});

describe('controlling', () => {
  it('pauses, resumes and terminates', async () => {
    const { id } = await startChain();
    expectEmpty(await ask('PUT', `/api/workflow/${id}/pause`));
    expectEmpty(await ask('PUT', `/api/workflow/${id}/pause`));
    expect((await api.workflow(id)).status).toBe('PAUSED');
    expectEmpty(await ask('PUT', `/api/workflow/${id}/resume`));
    expectRefusal(await ask('PUT', `/api/workflow/${id}/resume`), 409, /not PAUSED/);
    expectEmpty(await ask('POST', `/api/workflow/${id}/resetcallbacks`), 204);
    expectEmpty(await ask('PUT', `/api/workflow/decide/${id}`));
    expectEmpty(await ask('DELETE', `/api/workflow/${id}?reason=enough%20now`));
    expect(await api.workflow(id)).toMatchObject({
      status: 'TERMINATED',
      reasonForIncompletion: 'enough now',
    });
    expectEmpty(await ask('DELETE', `/api/workflow/${id}`));
    expectRefusal(await ask('PUT', `/api/workflow/${id}/pause`), 409, /has ended/);
  });

  it('skips, sets variables and takes messages', async () => {
    const { id, taskType } = await startChain();
    expectEmpty(await ask('PUT', `/api/workflow/${id}/skiptask/b`, { taskOutput: { s: 1 } }));
    expectRefusal(await ask('PUT', `/api/workflow/${id}/skiptask/zz`), 400, /zz/);
    const set = expectJson(await ask('POST', `/api/workflow/${id}/variables`, { v: [1] }));
    expect(set).toMatchObject({ workflowId: id, variables: { v: [1] } });
    expectText(await ask('POST', `/api/workflow/${id}/messages`, { m: 1 }), /^[0-9a-f-]{36}$/);
    expect((await ask('POST', `/api/workflow/${id}/messages`, [1])).status).toBe(400);
    const task = await pollOne(taskType);
    await api.update({ workflowInstanceId: id, taskId: task.taskId, status: 'COMPLETED' });
    const skipped = (await api.untilEnd(id)).tasks.find((each) => each.referenceTaskName === 'b');
    expect(skipped).toMatchObject({ status: 'SKIPPED', outputData: { s: 1 } });
    const late = await ask('POST', `/api/workflow/${id}/messages`, { m: 2 });
    expect([late.status, late.contentType]).toEqual([409, 'text/plain;charset=UTF-8']);
    const nobody = await ask('POST', '/api/workflow/nope/messages', {});
    expect([nobody.status, nobody.text]).toEqual([404, 'Workflow not found: nope']);
  });

  it('restarts, retries and reruns what has failed', async () => {
    const failed = await failChain();
    expectEmpty(await ask('POST', `/api/workflow/${failed.id}/retry`), 204);
    expectRefusal(await ask('POST', `/api/workflow/${failed.id}/retry`), 404, /still running/);
    expectRefusal(
      await ask('POST', `/api/workflow/${failed.id}/restart`),
      409,
      /not in terminal state/,
    );
    const second = await failChain();
    expectEmpty(await ask('POST', `/api/workflow/${second.id}/restart`), 204);
    expect((await api.workflow(second.id)).tasks).toHaveLength(1);
    const third = await failChain();
    const unknown = { reRunFromTaskId: 'nope' };
    expectRefusal(
      await ask('POST', `/api/workflow/${third.id}/rerun`, unknown),
      400,
      'Task nope not found',
    );
    const foreign = { reRunFromTaskId: second.task.taskId };
    expect((await ask('POST', `/api/workflow/${third.id}/rerun`, foreign)).status).toBe(400);
    const again = { reRunFromTaskId: third.task.taskId, taskInput: { over: 1 } };
    expectText(await ask('POST', `/api/workflow/${third.id}/rerun`, again), third.id);
    const task = await pollOne(third.taskType);
    expect([task.taskId, task.inputData]).toEqual([third.task.taskId, { over: 1 }]);
    expectRefusal(await ask('POST', `/api/workflow/${third.id}/rerun`, {}), 409, /unable to rerun/);
  });

  it('reruns from a task of a child and revives the parents', async () => {
    const id = await api.start({ name: 'outer' });
    const child = (await api.untilTask(id, 's', 'IN_PROGRESS')).subWorkflowId as string;
    const waiting = await api.untilTask(child, 'wait', 'IN_PROGRESS');
    await api.signal(child, 'FAILED_WITH_TERMINAL_ERROR', {});
    await api.untilEnd(id);
    const from = { reRunFromTaskId: waiting.taskId };
    expectText(await ask('POST', `/api/workflow/${id}/rerun`, from), id);
    expect((await api.workflow(id)).status).toBe('RUNNING');
    expect((await api.workflow(child)).status).toBe('RUNNING');
  });

  it('upgrades and jumps', async () => {
    await api.registerWorkflows({ name: 'up', version: 1, tasks: [wait] });
    await api.registerWorkflows({
      name: 'up',
      version: 2,
      tasks: [simple('first'), wait, simple('last')],
    });
    const id = await api.start({ name: 'up', version: 1 } as never);
    const to = { name: 'up', version: 2, taskOutput: { first: { done: 1 } } };
    expectEmpty(await ask('POST', `/api/workflow/${id}/upgrade`, to));
    expect((await api.workflow(id)).workflowVersion).toBe(2);
    expectRefusal(await ask('POST', '/api/workflow/nope/upgrade', to), 400, /Invalid execution id/);
    expectRefusal(await ask('POST', `/api/workflow/${id}/upgrade`, {}), 400, /Validation failed/);
    expectRefusal(
      await ask('POST', `/api/workflow/${id}/upgrade`, { name: 'nope' }),
      404,
      /name=nope/,
    );
    const jump = `/api/workflow/${id}/jump/%7BtaskReferenceName%7D?taskReferenceName=last`;
    expectEmpty(await ask('POST', jump, { j: 1 }));
    expect((await api.untilTask(id, 'last', 'SCHEDULED')).inputData).toMatchObject({ j: 1 });
  });

  it('removes what has ended, and what runs only on demand', async () => {
    const { id } = await startChain();
    const refused = await ask('DELETE', `/api/workflow/${id}/remove`);
    expectRefusal(refused, 400, `Cannot archive workflow: ${id} with status: RUNNING`);
    expectEmpty(await ask('DELETE', `/api/workflow/${id}/remove?archiveWorkflow=false`));
    expect((await ask('GET', `/api/workflow/${id}`)).status).toBe(404);
    const other = await startChain();
    expectEmpty(await ask('DELETE', `/api/workflow/${other.id}/terminate-remove?reason=x`));
    expect((await ask('GET', `/api/workflow/${other.id}`)).status).toBe(404);
  });

  it.each<[Method, string, unknown]>([
    ['PUT', 'nope/pause', undefined],
    ['PUT', 'nope/resume', undefined],
    ['PUT', 'decide/nope', undefined],
    ['POST', 'nope/restart?useLatestDefinitions=true', undefined],
    ['POST', 'nope/retry?retryIfRetriedByParent=false', undefined],
    ['POST', 'nope/resetcallbacks', undefined],
    ['POST', 'nope/rerun', {}],
    ['PUT', 'nope/skiptask/a', undefined],
    ['POST', 'nope/jump/a', {}],
    ['POST', 'nope/variables', {}],
    ['POST', 'nope/state', { variables: {} }],
    ['DELETE', 'nope', undefined],
    ['DELETE', 'nope/remove', undefined],
    ['DELETE', 'nope/terminate-remove', undefined],
  ])('answers 404 for %s /api/workflow/%s', async (method, path, body) => {
    const answer = await ask(method, `/api/workflow/${path}`, body);
    expectRefusal(answer, 404, 'No such workflow found by id: nope');
  });
});

describe('bulk', () => {
  it('does each id for itself', async () => {
    const ids = [(await startChain()).id, (await startChain()).id, 'nope'];
    const bulk = async (method: Method, path: string): Promise<JsonObject> =>
      expectJson(await ask(method, `/api/workflow/bulk/${path}`, ids)) as JsonObject;
    const expected = {
      bulkErrorResults: { nope: 'No such workflow found by id: nope' },
      bulkSuccessfulResults: ids.slice(0, 2),
    };
    expect(await bulk('PUT', 'pause')).toEqual(expected);
    expect(await bulk('PUT', 'resume')).toEqual(expected);
    expect(await bulk('POST', 'terminate?reason=x')).toEqual(expected);
    expect(await bulk('POST', 'restart')).toEqual(expected);
    expect(await bulk('POST', 'retry')).toMatchObject({ bulkSuccessfulResults: [] });
    const found = await bulk('POST', 'search?includeTasks=false');
    expect(found['bulkSuccessfulResults']).toMatchObject(
      ids.slice(0, 2).map((workflowId) => ({ workflowId })),
    );
    expect(await bulk('DELETE', 'remove')).toMatchObject({ bulkSuccessfulResults: [] });
    expect(await bulk('DELETE', 'terminate-remove')).toEqual(expected);
    expect(await bulk('POST', 'delete')).toMatchObject({ bulkSuccessfulResults: [] });
  });

  it.each([
    ['an empty list', [], /WorkflowIds list cannot be null/],
    ['too many', Array.from({ length: 1001 }, () => 'x'), /more than 1000 workflows/],
  ])('refuses %s', async (_what, ids, message) => {
    const answer = await ask('PUT', '/api/workflow/bulk/pause', ids);
    expect(answer.status).toBe(400);
    const [violation] = (answer.body as { validationErrors: { path: string; message: string }[] })
      .validationErrors;
    expect(violation).toMatchObject({ path: 'pauseWorkflow.arg0' });
    expect(violation?.message).toMatch(message);
  });

  it('refuses a body that is no list of texts', async () => {
    expect((await ask('POST', '/api/workflow/bulk/retry', { a: 1 })).status).toBe(400);
    expect((await ask('POST', '/api/workflow/bulk/retry', [1])).status).toBe(400);
  });
});

describe('tasks', () => {
  it('are polled one by one and in batches', async () => {
    const { taskType } = await startChain();
    const polled = await ask('GET', `/api/tasks/poll/${taskType}?workerid=w1`);
    expect(expectJson(polled)).toMatchObject({
      status: 'IN_PROGRESS',
      workerId: 'w1',
      pollCount: 1,
    });
    expectEmpty(await ask('GET', `/api/tasks/poll/${taskType}`), 204);
    const batch = `/api/tasks/poll/batch/${taskType}`;
    expect(expectJson(await ask('GET', `${batch}?count=5&timeout=10`))).toEqual([]);
    expect(expectJson(await ask('GET', `${batch}?count=0`))).toEqual([]);
    expectRefusal(
      await ask('GET', `${batch}?timeout=5001`),
      400,
      'Long Poll Timeout value cannot be more than 5 seconds',
    );
    expectRefusal(await ask('GET', `${batch}?count=abc`), 400, /not a number/);
  });

  it('go to the poll that waits when they become ready', async () => {
    const taskType = fresh('late');
    const waiting = ask('GET', `/api/tasks/poll/batch/${taskType}?timeout=5000&count=2`);
    const tasks = [{ name: taskType, taskReferenceName: 'a' }];
    const id = await api.start({ name: taskType, workflowDef: { name: taskType, tasks } } as never);
    expect(expectJson(await waiting)).toMatchObject([{ workflowInstanceId: id }]);
  });

  it('are reported, and update-v2 hands out the next', async () => {
    const { id, taskType } = await startChain();
    const task = await pollOne(taskType);
    const result = {
      workflowInstanceId: id,
      taskId: task.taskId,
      status: 'COMPLETED',
      outputData: { o: 1 },
    };
    const next = expectJson(await ask('POST', '/api/tasks/update-v2', result)) as WireTask;
    expect(next).toMatchObject({ referenceTaskName: 'b', status: 'IN_PROGRESS' });
    expectEmpty(await ask('POST', '/api/tasks/update-v2', result), 204);
    const progress = {
      ...result,
      taskId: next.taskId,
      status: 'IN_PROGRESS',
      callbackAfterSeconds: 60,
    };
    expectEmpty(await ask('POST', '/api/tasks/update-v2', progress), 204);
    const logs = [{ log: 'with the report', createdTime: 1 }];
    const last = { ...result, taskId: next.taskId, logs };
    expectText(await ask('POST', '/api/tasks', last), next.taskId);
    expectText(await ask('POST', '/api/tasks', { ...last, status: 'FAILED' }), next.taskId);
    expect((await api.untilEnd(id)).status).toBe('COMPLETED');
    expect(expectJson(await ask('GET', `/api/tasks/${next.taskId}/log`))).toEqual([
      { log: 'with the report', createdTime: 1, taskId: next.taskId },
    ]);
  });

  it.each<[string, JsonObject, number, RegExp]>([
    ['no ids', {}, 400, /Validation failed/],
    ['no status', { workflowInstanceId: 'x', taskId: 'y' }, 400, /status/],
    [
      'an unknown status',
      { workflowInstanceId: 'x', taskId: 'y', status: 'TIMED_OUT' },
      400,
      /status/,
    ],
    [
      'an unknown task',
      { workflowInstanceId: 'x', taskId: 'nope', status: 'COMPLETED' },
      404,
      /No such task found by id: nope/,
    ],
  ])('refuse a report with %s on both routes', async (_what, body, status, message) => {
    for (const path of ['/api/tasks', '/api/tasks/update-v2']) {
      expectRefusal(await ask('POST', path, body), status, message);
    }
  });

  it('are reported by reference name', async () => {
    const { id } = await startChain();
    expectText(await ask('POST', `/api/tasks/${id}/a/COMPLETED?workerid=w9`, { k: 1 }), idPattern);
    expectEmpty(await ask('POST', `/api/tasks/${id}/a/COMPLETED`, { k: 2 }));
    const done = expectJson(await ask('POST', `/api/tasks/${id}/b/COMPLETED/sync`, { k: 3 }));
    expect(done).toMatchObject({ status: 'COMPLETED', output: { k: 3 } });
    const message = `Found no running task b of workflow ${id} to update`;
    expectRefusal(await ask('POST', `/api/tasks/${id}/b/COMPLETED/sync`, {}), 404, message);
    expectRefusal(await ask('POST', '/api/tasks/nope/b/COMPLETED', {}), 404, /No such workflow/);
    expectRefusal(
      await ask('POST', '/api/tasks/nope/b/COMPLETED/sync', {}),
      404,
      /Found no running task/,
    );
    expectRefusal(await ask('POST', `/api/tasks/${id}/b/NOPE`, {}), 400, /status/);
  });

  it('keep log lines in whichever form they are sent', async () => {
    const { taskType } = await startChain();
    const { taskId } = await pollOne(taskType);
    expectEmpty(await ask('GET', `/api/tasks/${taskId}/log`), 204);
    expectEmpty(await ask('POST', `/api/tasks/${taskId}/log`, 'quoted "line"'));
    const raw = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '"raw"' };
    expect((await fetch(`${server.url}/api/tasks/${taskId}/log`, raw)).status).toBe(200);
    const lines = expectJson(await ask('GET', `/api/tasks/${taskId}/log`)) as { log: string }[];
    expect(lines.map((line) => line.log)).toEqual(['quoted "line"', '"raw"']);
    expectEmpty(await ask('POST', '/api/tasks/nope/log', 'x'));
    expectEmpty(await ask('GET', '/api/tasks/nope/log'), 204);
    expect(expectJson(await ask('POST', `/api/tasks/${taskId}/ack`))).toBe(true);
  });
});

describe('queues and administration', () => {
  it('count what waits and who polls', async () => {
    const { taskType } = await startChain();
    const size = `/api/tasks/queue/size?taskType=${taskType}`;
    await expect.poll(async () => expectJson(await ask('GET', size))).toBe(1);
    const sizes = `/api/tasks/queue/sizes?taskType=${taskType}&taskType=nope`;
    expect(expectJson(await ask('GET', sizes))).toEqual({ [taskType]: 1, nope: 0 });
    expect(expectJson(await ask('GET', '/api/tasks/queue/sizes'))).toEqual({});
    expectRefusal(await ask('GET', '/api/tasks/queue/size'), 400, /taskType/);
    expect(expectJson(await ask('GET', `${size}&domain=d`))).toBe(0);
    for (const path of ['/api/tasks/queue/all', '/api/queue/size']) {
      expect(expectJson(await ask('GET', path))).toMatchObject({ [taskType]: 1 });
    }
    expect(expectJson(await ask('GET', '/api/tasks/queue/all/verbose'))).toMatchObject({
      [taskType]: { a: { size: 1, uacked: 0 } },
    });
    const pending = expectJson(await ask('GET', `/api/admin/task/${taskType}`));
    expect(Array.isArray(pending)).toBe(true);
    expectText(await ask('POST', `/api/tasks/queue/requeue/${taskType}`), '0');
    await api.poll(taskType, { workerId: 'w7' });
    const polls = expectJson(await ask('GET', `/api/tasks/queue/polldata?taskType=${taskType}`));
    expect(polls).toMatchObject([{ queueName: taskType, workerId: 'w7' }]);
    const all = expectJson(await ask('GET', '/api/tasks/queue/polldata/all'));
    expect(all).toEqual(expect.arrayContaining([expect.objectContaining({ queueName: taskType })]));
  });

  it('end WAIT tasks through the queue routes', async () => {
    const id = await api.start({ name: 'waits' });
    const first = await api.untilTask(id, 'wait', 'IN_PROGRESS');
    expectRefusal(
      await ask('POST', `/api/queue/update/${id}/wait/SKIPPED`, {}),
      400,
      /no queue for handling SKIPPED/,
    );
    expectRefusal(await ask('POST', `/api/queue/update/${id}/wait/GONE`, {}), 400, /task status/);
    expectEmpty(
      await ask('POST', `/api/queue/update/${id}/task/${first.taskId}/COMPLETED`, { a: 1 }),
    );
    await api.untilTask(id, 'second', 'IN_PROGRESS');
    expectEmpty(await ask('POST', `/api/queue/update/${id}/second/COMPLETED`, { b: 1 }));
    expect((await api.untilEnd(id)).status).toBe('COMPLETED');
    expectEmpty(await ask('POST', '/api/queue/update/nope/second/COMPLETED', {}));
    expect(expectJson(await ask('GET', '/api/queue/'))).toHaveProperty('COMPLETED');
  });

  it('answer administrators', async () => {
    const { id } = await startChain();
    expectText(await ask('POST', `/api/admin/sweep/requeue/${id}`), `true.${id}`);
    expectText(await ask('POST', `/api/admin/consistency/verifyAndRepair/${id}`), /^(true|false)$/);
    expectRefusal(await ask('POST', '/api/admin/sweep/requeue/nope'), 404, /No such workflow/);
    expectRefusal(
      await ask('POST', '/api/admin/consistency/verifyAndRepair/nope'),
      404,
      /No such workflow/,
    );
    expect(expectJson(await ask('GET', '/api/admin/config'))).toHaveProperty('version');
  });

  it('tell about the server itself', async () => {
    for (const path of ['/health', '/api/health']) {
      expect(expectJson(await ask('GET', path))).toMatchObject({
        healthResults: [],
        suppressedHealthResults: [],
        healthy: true,
      });
    }
    expectText(await ask('GET', '/api/version'), /\d/);
    expect((await ask('GET', '/metrics')).text).toContain('# TYPE');
    expect(
      expectJson(await ask('POST', '/api/token', { keyId: 'k', keySecret: 's' })),
    ).toHaveProperty('token');
    expect(expectJson(await ask('GET', '/api/token/userInfo'))).toHaveProperty('id');
    expectRefusal(await ask('GET', '/api/nope'), 404, 'No static resource api/nope.');
    expectRefusal(
      await ask('DELETE', '/api/workflow'),
      405,
      "Request method 'DELETE' is not supported",
    );
  });
});

// Last, when all others have run.
it('hits every route of these areas', () => {
  const missed = routes
    .map((route) => `${route.method} ${route.pattern}`)
    .filter((name) => !name.includes('/api/metadata') && !hit.has(name));
  expect(missed).toEqual([]);
});
