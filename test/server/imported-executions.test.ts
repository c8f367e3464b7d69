// Executions that ended at another server, stored here as history: read by either id, found, kept
// over a kill, and never changed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unseenRefusals } from '../support/declared-refusals.js';
import { unseenSuccesses } from '../support/declared-successes.js';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
let user: Session;
beforeAll(async () => {
  server = await SecuredServer.start();
  user = await server.user('bo@here', ['USER']);
}, 60_000);
afterAll(() => server.stop());

const route = '/api/admin/imported-executions';
const from = 'http://conductor.example.org:8080';
const oldId = '0b7ea1ae-63f1-4ae7-9d5f-1c1f0a6f7d10';
const childId = '5d4c1ab4-1a02-4c41-8a53-1f1de3a4f0aa';
const day = 86_400_000;
const endedAt = Date.UTC(2026, 0, 5);

/** As a Conductor shows it: a worker task that was retried, a fork of its own, a child, a loop. */
function execution(changes: object = {}): Record<string, unknown> {
  const simple = { name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' };
  const task = (number: number, ref: string, taskType: string, more: object): object => ({
    ...{ taskId: `a0000000-0000-4000-9000-00000000000${number}`, referenceTaskName: ref, taskType },
    ...{ taskDefName: ref, status: 'COMPLETED', seq: number, executed: true },
    ...{ scheduledTime: endedAt - 5000, startTime: endedAt - 4000, endTime: endedAt - 3000 },
    ...{ updateTime: endedAt - 3000, inputData: { number }, outputData: { ref }, ...more },
  });
  const first = 'a0000000-0000-4000-9000-000000000001';
  return {
    ...{ workflowId: oldId, workflowName: 'parcel-there', workflowVersion: 3, status: 'FAILED' },
    ...{
      createTime: endedAt - day,
      startTime: endedAt - day,
      updateTime: endedAt,
      endTime: endedAt,
    },
    ...{ correlationId: 'order-1', priority: 7, createdBy: 'ann@there', input: { sku: 'A' } },
    ...{ output: { left: 1 }, variables: { v: 2 }, reasonForIncompletion: 'out of boxes' },
    failedReferenceTaskNames: ['last'],
    tasks: [
      task(1, 'pack', 'pack', { status: 'FAILED', retried: true, reasonForIncompletion: 'no' }),
      task(2, 'pack', 'pack', { retryCount: 1, retriedTaskId: first, workerId: 'w1' }),
      task(3, 'many', 'FORK', { inputData: { forkedTasks: ['x'], forkedTaskDefs: [] } }),
      task(4, 'x', 'SIMPLE', { workflowTask: { name: 'x', taskReferenceName: 'x' } }),
      task(5, 'step__2', 'step', { iteration: 2 }),
      task(6, 'child', 'SUB_WORKFLOW', { subWorkflowId: childId }),
      task(7, 'last', 'SIMPLE', { status: 'IN_PROGRESS', executed: false, endTime: 0 }),
    ],
    workflowDefinition: {
      ...{ name: 'parcel-there', version: 3 },
      tasks: [
        simple,
        {
          ...{ name: 'many', taskReferenceName: 'many', type: 'FORK_JOIN_DYNAMIC' },
          ...{ dynamicForkTasksParam: 'list', dynamicForkTasksInputParamName: 'inputs' },
        },
        { name: 'joined', taskReferenceName: 'joined', type: 'JOIN' },
        {
          ...{ name: 'loop', taskReferenceName: 'loop', type: 'DO_WHILE', loopCondition: 'false' },
          loopOver: [{ name: 'step', taskReferenceName: 'step', type: 'SIMPLE' }],
        },
        {
          ...{ name: 'child', taskReferenceName: 'child', type: 'SUB_WORKFLOW' },
          subWorkflowParam: { name: 'never-registered-here' },
        },
        { name: 'last', taskReferenceName: 'last', type: 'SIMPLE' },
      ],
    },
    ...changes,
  };
}

async function counted(): Promise<string[]> {
  const { text } = await server.admin.get('/metrics');
  return text.split('\n').filter((line) => /^downbeat_executions_total\{/.test(line));
}

describe('an imported execution', () => {
  it('is read by its id here and there, as it was shown, and is marked', async () => {
    const { admin } = server;
    const before = await counted();
    const first = await admin.post(route, { from, execution: execution() });
    expect(first).toMatchObject({ status: 200, body: { isNew: true } });
    const again = await admin.post(route, { from, execution: execution() });
    expect(again.body).toEqual({ ...first.body, isNew: false });
    const { workflowId: id } = first.body as { workflowId: string };
    const here = await admin.get(`/api/workflow/${id}`);
    expect(here.body).toMatchObject({
      ...{ workflowId: id, workflowName: 'parcel-there', workflowVersion: 3, status: 'FAILED' },
      ...{ createTime: endedAt - day, updateTime: endedAt, endTime: endedAt, priority: 7 },
      ...{
        correlationId: 'order-1',
        createdBy: 'ann@there',
        reasonForIncompletion: 'out of boxes',
      },
      ...{ input: { sku: 'A' }, output: { left: 1 }, variables: { v: 2 } },
      imported: { workflowId: oldId, from },
    });
    const imported = (here.body as { imported: unknown }).imported;
    const { body: outline } = await admin.get(`/api/workflow/${id}/outline`);
    expect(outline).toMatchObject({ head: { imported } });
    const query = encodeURIComponent(`workflowId=${id}`);
    const { body: found } = await admin.get(`/api/workflow/search?query=${query}`);
    expect(found).toMatchObject({ results: [{ workflowId: id, imported }] });
    const { tasks } = here.body as { tasks: { [field: string]: unknown }[] };
    expect(tasks.map(({ referenceTaskName, status }) => [referenceTaskName, status])).toEqual([
      ['pack', 'FAILED'],
      ['pack', 'COMPLETED'],
      ['many', 'COMPLETED'],
      ['x', 'COMPLETED'],
      ['step__2', 'COMPLETED'],
      ['child', 'COMPLETED'],
      ['last', 'CANCELED'],
    ]);
    expect(tasks[1]).toMatchObject({
      ...{ retryCount: 1, workerId: 'w1', retriedTaskId: tasks[0]?.['taskId'] },
      ...{ inputData: { number: 2 }, outputData: { ref: 'pack' }, endTime: endedAt - 3000 },
    });
    expect(tasks[2]?.['inputData']).toEqual({ forkedTasks: ['x'], forkedTaskDefs: [] });
    const there = await admin.get(`/api/workflow/${oldId}`);
    expect(there).toMatchObject({ status: 200, body: { workflowId: id } });
    expect((await admin.get(`/api/workflow/${oldId}/why`)).status).toBe(200);
    expect(await counted()).toEqual(before);
  });

  it('links to its child and its parent, in whichever order they come', async () => {
    const { admin } = server;
    const child = execution({ workflowId: childId, parentWorkflowId: oldId, tasks: [] });
    const answer = await admin.post(route, { from, execution: child });
    const { body: parent } = await admin.get(`/api/workflow/${oldId}`);
    const { body } = await admin.get(`/api/workflow/${childId}`);
    expect(body.parentWorkflowId).toBe(parent.workflowId);
    expect(parent.tasks[5].subWorkflowId).toBe(answer.body.workflowId);
  });

  it('is found by a search, and is none of those that run', async () => {
    const { admin } = server;
    await until('its row', async () => {
      const query = encodeURIComponent("workflowType='parcel-there' AND status='FAILED'");
      const { body } = await admin.get(`/api/workflow/search?query=${query}`);
      return body.totalHits === 2;
    });
    expect((await admin.get('/api/workflow/running/parcel-there')).body).toEqual([]);
  });

  it.each([
    ['POST', `/api/workflow/${oldId}/retry`],
    ['POST', `/api/workflow/${oldId}/restart`],
    ['POST', `/api/workflow/${oldId}/rerun`, {}],
    ['DELETE', `/api/workflow/${oldId}`],
    ['PUT', `/api/workflow/${oldId}/pause`],
    ['PUT', `/api/workflow/${oldId}/resume`],
    ['PUT', `/api/workflow/decide/${oldId}`],
    ['POST', `/api/workflow/${oldId}/variables`, { a: 1 }],
  ] as const)('refuses %s %s with a sentence that says why', async (method, path, body?) => {
    const answer = await server.admin.request(method, path, body);
    expect(answer).toMatchObject({ status: 409 });
    expect(answer.text).toMatch(
      /is history imported from http:\/\/conductor.example.org:8080: it can be read and removed/,
    );
  });

  it('ignores a report to one of its tasks, and is refused in a bulk call', async () => {
    const { admin } = server;
    const { body } = await admin.get(`/api/workflow/${oldId}`);
    const { workflowId, tasks } = body as { workflowId: string; tasks: { taskId: string }[] };
    const report = {
      workflowInstanceId: workflowId,
      taskId: tasks[6]?.taskId,
      status: 'COMPLETED',
    };
    expect(await admin.post('/api/tasks', report)).toMatchObject({ status: 200 });
    const bulk = await admin.post('/api/workflow/bulk/retry', [workflowId]);
    expect(Object.values(bulk.body.bulkErrorResults as object)).toEqual([
      expect.stringMatching(/is history imported from/),
    ]);
    expect((await admin.get(`/api/workflow/${oldId}`)).body).toEqual(body);
  });

  it('is for administrators to import, and for who may read its definition to read', async () => {
    expect((await user.post(route, { from, execution: execution() })).status).toBe(403);
    expect((await user.get(`/api/workflow/${oldId}`)).status).toBe(403);
    await server.grant(user, 'WORKFLOW_DEF', 'parcel-there', ['READ']);
    await until('the right', async () => (await user.get(`/api/workflow/${oldId}`)).status === 200);
    expect((await user.post(`/api/workflow/${oldId}/retry`)).status).toBe(403);
  });

  it('is there after a kill, and the check of the store finds nothing', async () => {
    const { admin } = server;
    const before = await admin.get(`/api/workflow/${oldId}`);
    await server.server.kill();
    await server.server.restart();
    expect((await admin.get(`/api/workflow/${oldId}`)).body).toEqual(before.body);
    const check = await until('the check', async () => {
      const answer = await admin.get('/api/admin/fsck');
      return answer.status === 200 ? answer.body : undefined;
    });
    expect(check.violations).toEqual([]);
  });

  it('does not take the place of an execution of this server', async () => {
    const { admin } = server;
    const def = {
      name: 'here',
      version: 1,
      tasks: [{ name: 'w', taskReferenceName: 'w', type: 'WAIT' }],
    };
    const { text: id } = await admin.post('/api/workflow', { name: 'here', workflowDef: def });
    const answer = await admin.post(route, { from, execution: execution({ workflowId: id }) });
    expect(answer).toMatchObject({ status: 409 });
    expect(answer.text).toMatch(/execution.workflowId: .* is not replaced/);
    expect((await admin.get(`/api/workflow/${id}`)).body).toMatchObject({ status: 'RUNNING' });
  });

  it('is removed by the id that it had', async () => {
    const { admin } = server;
    const id = 'c0ffee00-63f1-4ae7-9d5f-1c1f0a6f7d10';
    await admin.post(route, { from, execution: execution({ workflowId: id }) });
    expect((await admin.delete(`/api/workflow/${id}/remove`)).status).toBe(200);
    const gone = await admin.get(`/api/workflow/${id}`);
    expect(gone).toMatchObject({ status: 404, body: { message: expect.stringContaining(id) } });
    const retried = await admin.post(`/api/workflow/${id}/retry`);
    expect(retried.body.message).toBe(`No such workflow found by id: ${id}`);
  });

  it.each([
    [{ from }, /execution must be an execution/],
    [{ execution: execution() }, /from must be the address/],
    [{ from, execution: execution({ status: 'RUNNING' }) }, /execution.status must be one of/],
    [{ from, execution: execution({ status: undefined }) }, /execution.status must be one of/],
    [{ from, execution: execution({ workflowId: '' }) }, /execution.workflowId must be given/],
    [{ from, execution: execution({ workflowId: 'a/b' }) }, /execution.workflowId must be an id/],
    [
      { from, execution: execution({ createTime: 0, startTime: 0 }) },
      /execution.createTime must be given/,
    ],
    [
      { from, execution: execution({ endTime: 9e14 }) },
      /execution.endTime must be epoch milliseconds/,
    ],
    [
      { from, execution: execution({ tasks: [{ status: 'COMPLETED' }] }) },
      /execution.tasks\[0\].referenceTaskName must be given/,
    ],
    [
      { from, execution: execution({ tasks: [{ referenceTaskName: 'a', status: 'X' }] }) },
      /execution.tasks\[0\].status must be one of/,
    ],
    [
      { from, execution: execution({ workflowDefinition: undefined, workflowName: '' }) },
      /execution.workflowDefinition.name must not be empty/,
    ],
  ])('refuses bad input %#', async (body, sentence) => {
    const answer = await server.admin.post(route, body);
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toMatch(sentence);
  });
});

it('has sent every success and refusal that only it can', () => {
  const file = 'test/server/imported-executions.test.ts';
  expect(unseenSuccesses(file, server.forms)).toEqual([]);
  expect(unseenRefusals(file, server.forms)).toEqual([]);
});
