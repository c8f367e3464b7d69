// What callers with single rights may do with executions (contract-admin 6.4): EXECUTE on the
// definition starts and controls, READ shows, and a worker needs EXECUTE on its task definition.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSecuredServer } from '../support/shared-server.js';
import type { Method, Session } from '../../testkit/secured-server.js';

const server = sharedSecuredServer(import.meta.url);
let reader: Session;
let runner: Session;
let worker: Session;
let stranger: Session;
/** A running execution of `shown`, whose first task waits for a worker. */
let id: string;
let taskId: string;

const work = { name: 'execution_access_work', taskReferenceName: 'execution_access_work' };

async function grant(caller: Session, type: string, name: string, access: string[]): Promise<void> {
  const subject = { type: 'USER', id: caller.subject };
  const body = { subject, target: { type, id: name }, access };
  expect(await server.admin.status('POST', '/api/auth/authorization', body)).toBe(200);
}

async function start(): Promise<string> {
  return (await server.admin.post('/api/workflow', { name: 'execution_access_shown' })).text;
}

beforeAll(async () => {
  await server.admin.post('/api/metadata/taskdefs', [{ name: 'execution_access_work' }]);
  for (const name of ['execution_access_shown', 'execution_access_hidden']) {
    await server.admin.post('/api/metadata/workflow', { name, tasks: [work] });
  }
  reader = await server.application('execution_access_reader');
  runner = await server.application('execution_access_runner');
  worker = await server.application('execution_access_worker', ['WORKER']);
  stranger = await server.application('execution_access_stranger');
  await grant(reader, 'WORKFLOW_DEF', 'execution_access_shown', ['READ']);
  await grant(runner, 'WORKFLOW_DEF', 'execution_access_shown', ['READ', 'EXECUTE']);
  await grant(worker, 'TASK_DEF', 'execution_access_work', ['EXECUTE']);
  id = await start();
  await server.admin.post('/api/workflow', { name: 'execution_access_hidden' });
  const shown = await server.admin.get(`/api/workflow/${id}`);
  taskId = shown.body.tasks[0].taskId as string;
});

/** `{id}` and `{task}` stand for those of the execution. */
const filled = (path: string): string => path.replace('{id}', id).replace('{task}', taskId);

describe('an execution', () => {
  it.each<[Method, string, unknown?]>([
    ['GET', '/api/workflow/{id}'],
    ['GET', '/api/workflow/{id}/status'],
    ['GET', '/api/workflow/{id}/tasks'],
    ['GET', '/api/workflow/{id}/why'],
    ['GET', '/api/tasks/{task}'],
    ['GET', '/api/tasks/{task}/log'],
    ['GET', '/api/tasks/{task}/why'],
    ['GET', '/api/workflow/running/execution_access_shown'],
    ['GET', '/api/workflow/execution_access_shown/correlated/c'],
    ['POST', '/api/workflow/execution_access_shown/correlated', ['c']],
    [
      'POST',
      '/api/workflow/correlated/batch',
      { workflowNames: ['execution_access_shown'], correlationIds: ['c'] },
    ],
  ])('is shown to those with READ: %s %s', async (method, path, body) => {
    expect(await stranger.status(method, filled(path), body)).toBe(403);
    expect(await worker.status(method, filled(path), body)).toBe(403);
    expect([200, 204]).toContain(await reader.status(method, filled(path), body));
  });

  it.each<[Method, string, unknown?]>([
    ['PUT', '/api/workflow/{id}/pause'],
    ['PUT', '/api/workflow/{id}/resume'],
    ['PUT', '/api/workflow/decide/{id}'],
    ['POST', '/api/workflow/{id}/resetcallbacks'],
    ['POST', '/api/workflow/{id}/variables', { v: 1 }],
    ['POST', '/api/workflow/{id}/messages', { m: 1 }],
    ['POST', '/api/tasks/{id}/COMPLETED/signal', {}],
    ['POST', '/api/queue/update/{id}/none/COMPLETED', {}],
    ['POST', '/api/workflow', { name: 'execution_access_shown' }],
    ['POST', '/api/workflow/execution_access_shown', {}],
    ['POST', '/api/workflow/start/execution_access_shown/1', {}],
    ['POST', '/api/workflow/test', { name: 'execution_access_shown' }],
    ['DELETE', '/api/workflow/{id}?reason=enough'],
    ['POST', '/api/workflow/{id}/restart'],
    ['DELETE', '/api/workflow/{id}/terminate-remove'],
  ])('is started and controlled by those with EXECUTE: %s %s', async (method, path, body) => {
    expect(await stranger.status(method, filled(path), body)).toBe(403);
    expect(await reader.status(method, filled(path), body)).toBe(403);
    expect([200, 204]).toContain(await runner.status(method, filled(path), body));
  });

  it('tells nothing of its state to those who may not rerun it', async () => {
    const running = await start();
    const task = (await server.admin.get(`/api/workflow/${running}`)).body.tasks[0]
      .taskId as string;
    const ended = (await server.admin.post('/api/workflow', { name: 'execution_access_hidden' }))
      .text;
    await server.admin.delete(`/api/workflow/${ended}`);
    for (const body of [{}, { reRunFromTaskId: task }]) {
      const path = `/api/workflow/${running}/rerun`;
      expect((await reader.post(path, body)).status).toBe(403);
      expect((await runner.post(path, body)).status).toBe(409);
    }
    const own = await start();
    await runner.delete(`/api/workflow/${own}`);
    const { tasks } = (await server.admin.get(`/api/workflow/${ended}`)).body;
    const foreign = { reRunFromTaskId: tasks[0].taskId };
    expect((await runner.post(`/api/workflow/${own}/rerun`, foreign)).status).toBe(403);
  });

  it('is shown to those who may read all definitions, and not controlled by them', async () => {
    const viewer = await server.user('execution_access_viewer@x.org', ['USER_READ_ONLY']);
    expect(await viewer.status('GET', '/api/metadata/workflow/execution_access_hidden')).toBe(200);
    expect(await viewer.status('GET', '/api/metadata/taskdefs/execution_access_work')).toBe(200);
    const own = await start();
    expect(await viewer.status('GET', `/api/workflow/${own}`)).toBe(200);
    expect(await viewer.status('PUT', `/api/workflow/${own}/pause`)).toBe(403);
    expect(await viewer.status('POST', '/api/workflow/execution_access_shown', {})).toBe(403);
  });

  it('is named after who started it', async () => {
    const own = (
      await runner.post('/api/workflow', { name: 'execution_access_shown', createdBy: 'x' })
    ).text;
    expect((await reader.get(`/api/workflow/${own}`)).body.createdBy).toBe(runner.subject);
  });

  it('is found only by those who may read it', async () => {
    const namesOf = async (session: Session, path: string): Promise<unknown[]> => {
      const { results } = (await session.get(path)).body as { results: { workflowType: string }[] };
      return [...new Set(results.map(({ workflowType }) => workflowType))].sort();
    };
    const ofThisFile = encodeURIComponent('workflowType STARTS_WITH execution_access_');
    for (const path of ['/api/workflow/search', '/api/tasks/search']) {
      expect(await namesOf(server.admin, `${path}?query=${ofThisFile}`)).toEqual([
        'execution_access_hidden',
        'execution_access_shown',
      ]);
      expect(await namesOf(reader, path)).toEqual(['execution_access_shown']);
      expect(await namesOf(stranger, path)).toEqual([]);
    }
  });

  it('of a definition of its own is started and shown to the one who made the definition', async () => {
    const maker = await server.application('execution_access_maker', ['METADATA_API']);
    const def = { name: 'execution_access_own', tasks: [work] };
    expect(await stranger.status('POST', '/api/metadata/workflow', def)).toBe(403);
    expect(await maker.status('POST', '/api/metadata/workflow', def)).toBe(200);
    const own = await maker.post('/api/workflow', { name: 'execution_access_own' });
    expect(own.status).toBe(200);
    expect(await maker.status('GET', `/api/workflow/${own.text}`)).toBe(200);
    expect(await stranger.status('GET', `/api/workflow/${own.text}`)).toBe(403);
    const taken = { ...def, name: 'execution_access_hidden' };
    expect(await maker.status('POST', '/api/metadata/workflow?overwrite=true', taken)).toBe(403);
  });

  it('is left out of a bulk call by those who may not control it', async () => {
    const own = await start();
    const refused = await reader.put('/api/workflow/bulk/pause', [own]);
    expect(refused.body).toMatchObject({ bulkSuccessfulResults: [] });
    expect(refused.body.bulkErrorResults[own]).toContain(`EXECUTE access on WORKFLOW ${own}`);
    const done = await runner.put('/api/workflow/bulk/pause', [own]);
    expect(done.body).toEqual({ bulkErrorResults: {}, bulkSuccessfulResults: [own] });
  });
});

describe('a report that brings the next task', () => {
  it('takes no task for a caller who may not report, and none for one who may not poll', async () => {
    const running = await start();
    const { tasks } = (await server.admin.get(`/api/workflow/${running}`)).body;
    const { taskId: reported } = tasks[0];
    const result = { workflowInstanceId: running, taskId: reported, status: 'COMPLETED' };
    expect(await stranger.status('POST', '/api/tasks/update-v2', result)).toBe(403);
    const seen = (await server.admin.get(`/api/tasks/${reported}`)).body;
    expect(seen).toMatchObject({ status: 'SCHEDULED', pollCount: 0 });
    // EXECUTE on the workflow reports; the tasks of the type are for who may poll it.
    const other = await start();
    expect(await runner.status('POST', '/api/tasks/update-v2', result)).toBe(204);
    const [left] = (await server.admin.get(`/api/workflow/${other}`)).body.tasks;
    expect(left).toMatchObject({ status: 'SCHEDULED', pollCount: 0 });
    for (const id of [running, other]) await server.admin.delete(`/api/workflow/${id}`);
  });
});

describe('a task', () => {
  it('is polled and reported by a worker with EXECUTE on its definition', async () => {
    const path = '/api/tasks/poll/batch/execution_access_work?count=1&timeout=1000';
    expect(await stranger.status('GET', path)).toBe(403);
    expect(await runner.status('GET', path)).toBe(403);
    await start();
    const [task] = (await worker.get(path)).body as {
      taskId: string;
      workflowInstanceId: string;
    }[];
    const result = { ...task, status: 'COMPLETED' };
    expect(await stranger.status('POST', '/api/tasks', result)).toBe(403);
    expect(await reader.status('POST', '/api/tasks', result)).toBe(403);
    expect(await stranger.status('POST', `/api/tasks/${task?.taskId}/log`, 'line')).toBe(403);
    expect(await worker.status('POST', `/api/tasks/${task?.taskId}/log`, 'line')).toBe(200);
    expect(await worker.status('POST', '/api/tasks', result)).toBe(200);
  });
});
