import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import type { TaskConfig, WireTask, WireWorkflow } from '../../testkit/wire.js';

// Task types that wait for somebody outside, over HTTP: messages, people, signals (contract-core
// 14.1 and 16, semantics 1.7, 1.8, 4.13, 4.15, 4.22, 4.23).

let server: RunningServer;
let api: ApiClient;
const messagesMax = 5;

beforeAll(async () => {
  server = await startServer({ args: [`--messages-max=${messagesMax}`] });
  api = new ApiClient(server.url);
});

afterAll(async () => {
  await api?.close();
  await server?.stop();
});

function task(
  ref: string,
  type: string,
  inputParameters: { [key: string]: unknown } = {},
): TaskConfig {
  return { name: ref, taskReferenceName: ref, type, inputParameters } as TaskConfig;
}

async function start(name: string, ...tasks: TaskConfig[]): Promise<string> {
  await api.registerWorkflows({
    name,
    version: 1,
    ownerEmail: 'a@b.co',
    schemaVersion: 2,
    timeoutSeconds: 0,
    tasks,
  });
  return api.start({ name, version: 1, input: {} });
}

function push(id: string, message: unknown): ReturnType<ApiClient['request']> {
  return api.request('POST', `/api/workflow/${id}/messages`, message);
}

function taskOf(workflow: WireWorkflow, ref: string): WireTask {
  return workflow.tasks.findLast((each) => each.referenceTaskName === ref) as WireTask;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('messages', () => {
  it('reach a task that waits for them, at once and in order', async () => {
    const id = await start(
      'wt_pull',
      task('pull', 'PULL_WORKFLOW_MESSAGES', { batchSize: 2 }),
      task('next', 'PULL_WORKFLOW_MESSAGES', { batchSize: 2 }),
    );
    await api.untilTask(id, 'pull', 'IN_PROGRESS');
    const answer = await push(id, { n: 1 });
    expect(answer).toMatchObject({
      status: 200,
      contentType: expect.stringContaining('text/plain') as string,
    });
    expect(answer.text).toMatch(uuid);
    await api.untilTask(id, 'pull', 'COMPLETED');
    await push(id, { n: 2 });
    const workflow = await api.untilEnd(id);
    expect(taskOf(workflow, 'pull').outputData).toEqual({
      count: 1,
      messages: [
        {
          id: answer.text,
          workflowId: id,
          payload: { n: 1 },
          receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        },
      ],
    });
    expect(taskOf(workflow, 'next').outputData).toMatchObject({
      messages: [{ payload: { n: 2 } }],
    });
  });

  it('wait for a task that comes later, which takes them in batches', async () => {
    const id = await start(
      'wt_later',
      task('wait', 'WAIT'),
      task('two', 'PULL_WORKFLOW_MESSAGES', { batchSize: 2 }),
      task('rest', 'PULL_WORKFLOW_MESSAGES', { batchSize: 100, blocking: false }),
      task('none', 'PULL_WORKFLOW_MESSAGES', { blocking: false }),
    );
    for (const n of [1, 2, 3, 4]) expect((await push(id, { n })).status).toBe(200);
    await api.signal(id, 'COMPLETED', {});
    const workflow = await api.untilEnd(id);
    const taken = (ref: string): unknown =>
      (taskOf(workflow, ref).outputData as { messages: { payload: { n: number } }[] }).messages.map(
        ({ payload }) => payload.n,
      );
    expect([taken('two'), taken('rest'), taken('none')]).toEqual([[1, 2], [3, 4], []]);
    expect(taskOf(workflow, 'none').outputData).toEqual({ messages: [], count: 0 });
  });

  it('survive a kill of the server', async () => {
    const id = await start(
      'wt_kill',
      task('wait', 'WAIT'),
      task('pull', 'PULL_WORKFLOW_MESSAGES', { batchSize: 10 }),
    );
    for (const n of [1, 2, 3]) await push(id, { n });
    await server.kill('SIGKILL');
    await server.restart();
    await api.signal(id, 'COMPLETED', {});
    expect(taskOf(await api.untilEnd(id), 'pull').outputData).toMatchObject({ count: 3 });
  });

  it('are refused in plain text for unknown, paused and ended executions and for a full queue', async () => {
    const unknown = await push('nosuch', {});
    expect([unknown.status, unknown.text]).toEqual([404, 'Workflow not found: nosuch']);
    const id = await start('wt_refused', task('wait', 'WAIT'));
    for (let n = 0; n < messagesMax; n++) expect((await push(id, { n })).status).toBe(200);
    const full = await push(id, {});
    expect(full.status).toBe(429);
    expect(full.contentType).toContain('text/plain');
    expect(full.text).toBe(
      `Workflow message queue for workflowId=${id} has reached the maximum size of ${messagesMax}`,
    );
    await api.ask('PUT', `/api/workflow/${id}/pause`);
    const paused = await push(id, {});
    expect([paused.status, paused.text]).toEqual([
      409,
      `Workflow ${id} is not in RUNNING state (current: PAUSED)`,
    ]);
    await api.terminate(id);
    expect((await push(id, {})).text).toContain('(current: TERMINATED)');
    for (const body of [[], 'text', 1, null]) expect((await push(id, body)).status).toBe(400);
  });
});

describe('a HUMAN task', () => {
  it('waits until somebody completes it by reference or by id, or fails it', async () => {
    const id = await start(
      'wt_human',
      task('form', 'HUMAN', { __humanTaskDefinition: { displayName: 'x' }, field: 1 }),
      task('again', 'HUMAN'),
      task('last', 'HUMAN'),
    );
    const form = await api.untilTask(id, 'form', 'IN_PROGRESS');
    expect(form.inputData).toMatchObject({ field: 1, __humanTaskDefinition: { displayName: 'x' } });
    await api.ask('POST', `/api/tasks/${id}/form/COMPLETED?workerid=jo`, { approved: true });
    const again = await api.untilTask(id, 'again', 'IN_PROGRESS');
    await api.update({
      workflowInstanceId: id,
      taskId: again.taskId,
      status: 'COMPLETED',
      outputData: { by: 'id' },
    });
    await api.ask('POST', `/api/tasks/${id}/last/FAILED`, { why: 'no' });
    const workflow = await api.untilEnd(id);
    expect(workflow.status).toBe('FAILED');
    expect(taskOf(workflow, 'form')).toMatchObject({
      status: 'COMPLETED',
      outputData: { approved: true },
    });
    expect(taskOf(workflow, 'again').outputData).toEqual({ by: 'id' });
  });
});

describe('a YIELD task', () => {
  it('lets a synchronous start answer, and ends by a signal', async () => {
    await start(
      'wt_yield',
      task('yield', 'YIELD', { k: 1 }),
      task('after', 'WAIT', { duration: '1 hour', yield: true }),
    );
    // Both calls would otherwise be answered when their wait is over, after a test may take.
    const answer = await api.ask(
      'POST',
      '/api/workflow/execute/wt_yield/1?waitForSeconds=600&returnStrategy=BLOCKING_TASK',
      {},
    );
    const blocked = answer.body as {
      responseType: string;
      referenceTaskName: string;
      targetWorkflowId: string;
    };
    expect(blocked).toMatchObject({
      responseType: 'BLOCKING_TASK',
      referenceTaskName: 'yield',
      taskType: 'YIELD',
    });
    const id = blocked.targetWorkflowId;
    const next = await api.ask(
      'POST',
      `/api/tasks/${id}/COMPLETED/signal/sync?returnStrategy=BLOCKING_TASK&timeoutMillis=600000`,
      { seen: true },
    );
    expect(next.body).toMatchObject({ responseType: 'BLOCKING_TASK', referenceTaskName: 'after' });
    // Nothing blocks any more: a task form has nothing to show.
    const last = await api.request(
      'POST',
      `/api/tasks/${id}/COMPLETED/signal/sync?returnStrategy=BLOCKING_TASK_INPUT`,
      {},
    );
    expect([last.status, last.text]).toEqual([200, '']);
    const workflow = await api.untilEnd(id);
    expect(taskOf(workflow, 'yield').outputData).toEqual({ seen: true });
    const late = await api.ask('POST', `/api/tasks/${id}/COMPLETED/signal/sync`, {});
    expect(late).toMatchObject({ status: 200, body: { workflowId: id, status: 'COMPLETED' } });
  });
});
