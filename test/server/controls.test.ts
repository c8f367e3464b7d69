// Retry, rerun and restart of executions with children against a started server: the messages
// between parents and children have been carried out when the call returns, and the reopened tasks
// are in their queues again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { workMeanwhile } from '../support/work-meanwhile.js';
import { sharedMortalServer } from '../support/shared-server.js';
import type { WireTask } from '../../testkit/wire.js';

const server = sharedMortalServer(import.meta.url);
let api: ApiClient;

const worker = (ref: string): { name: string; taskReferenceName: string } => ({
  name: 'controls_work',
  taskReferenceName: ref,
});

beforeAll(async () => {
  api = new ApiClient(server.url);
  await api.registerTasks({ name: 'controls_work', retryCount: 0 });
  await api.registerWorkflows(
    { name: 'controls_grandchild', tasks: [worker('g')] },
    {
      name: 'controls_child',
      tasks: [
        {
          name: 'c',
          taskReferenceName: 'c',
          type: 'SUB_WORKFLOW',
          subWorkflowParam: { name: 'controls_grandchild' },
        },
      ],
    },
    {
      name: 'controls_parent',
      tasks: [
        {
          name: 'p',
          taskReferenceName: 'p',
          type: 'SUB_WORKFLOW',
          subWorkflowParam: { name: 'controls_child' },
        },
      ],
    },
  );
});
afterAll(() => api.close());

interface Family {
  parent: string;
  child: string;
  grandchild: string;
  task: WireTask;
}

/** Starts a parent with its child and grandchild and ends the grandchild's task. */
async function family(status: 'COMPLETED' | 'FAILED'): Promise<Family> {
  const parent = await api.start({ name: 'controls_parent' });
  const task = await work(status);
  const grandchild = task.workflowInstanceId;
  await api.untilWorkflow(parent, (workflow) => workflow.status === status);
  const child = (await api.workflow(parent)).tasks[0]?.subWorkflowId as string;
  return { parent, child, grandchild, task };
}

async function work(status: 'COMPLETED' | 'FAILED'): Promise<WireTask> {
  const [task] = await api.poll('controls_work', { timeoutMs: 5000 });
  if (task === undefined) throw new Error('Nothing to poll');
  await api.update({
    workflowInstanceId: task.workflowInstanceId,
    taskId: task.taskId,
    status,
    outputData: { done: true },
  });
  return task;
}

async function statuses({ parent, child, grandchild }: Family): Promise<string[]> {
  const all = await Promise.all([parent, child, grandchild].map((id) => api.workflow(id)));
  return all.map(({ status }) => status);
}

const running = ['RUNNING', 'RUNNING', 'RUNNING'];

async function finishes(of: Family): Promise<void> {
  const task = await work('COMPLETED');
  expect(task.workflowInstanceId).toBe(of.grandchild);
  await api.untilEnd(of.parent);
  expect(await statuses(of)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
}

describe('controls of a family of executions', () => {
  it('retry of the deepest child reopens its parents before it answers', async () => {
    const of = await family('FAILED');
    const answer = await api.request('POST', `/api/workflow/${of.grandchild}/retry`);
    expect(answer.status).toBe(204);
    expect(await statuses(of)).toEqual(running);
    await finishes(of);
  });

  it('retry of the parent with resumeSubworkflowTasks descends to the failed task without waiting in a circle', async () => {
    const of = await family('FAILED');
    const path = `/api/workflow/${of.parent}/retry?resumeSubworkflowTasks=true`;
    const { result, count } = await workMeanwhile(api.request('POST', path), () =>
      api.request('GET', '/health'),
    );
    expect(result.status).toBe(204);
    expect(await statuses(of)).toEqual(running);
    // A circle ends when the wait of one of them does, thousands of calls later.
    expect(count).toBeLessThan(500);
    await finishes(of);
  });

  it('rerun of the parent from a task of its grandchild runs all of them again', async () => {
    const of = await family('COMPLETED');
    const answer = await api.request('POST', `/api/workflow/${of.parent}/rerun`, {
      reRunFromTaskId: of.task.taskId,
      taskInput: { over: 1 },
    });
    expect([answer.status, answer.text]).toEqual([200, of.parent]);
    expect(await statuses(of)).toEqual(running);
    const [task] = (await api.workflow(of.grandchild)).tasks;
    expect(task).toMatchObject({
      taskId: of.task.taskId,
      status: 'SCHEDULED',
      inputData: { over: 1 },
      retryCount: 0,
    });
    await finishes(of);
  });

  it('restart of a child keeps its id and reopens its parents', async () => {
    const of = await family('FAILED');
    expect((await api.request('POST', `/api/workflow/${of.grandchild}/restart`)).status).toBe(204);
    expect(await statuses(of)).toEqual(running);
    await finishes(of);
  });

  it('retry without descending starts new children', async () => {
    const of = await family('FAILED');
    expect((await api.request('POST', `/api/workflow/${of.parent}/retry`)).status).toBe(204);
    const task = await work('COMPLETED');
    expect(task.workflowInstanceId).not.toBe(of.grandchild);
    await api.untilEnd(of.parent);
    expect(await statuses(of)).toEqual(['COMPLETED', 'FAILED', 'FAILED']);
  });

  it('a reopened execution survives a restart of the server', async () => {
    const of = await family('COMPLETED');
    await api.request('POST', `/api/workflow/${of.parent}/rerun`, {
      reRunFromTaskId: of.task.taskId,
    });
    await server.kill();
    await server.restart();
    expect(await statuses(of)).toEqual(running);
    await finishes(of);
  });
});
