// Controls, one by one and in bulk (contract-core 10, 11).
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../testkit/wire.js';
import {
  api,
  ask,
  expectEmpty,
  expectJson,
  expectRefusal,
  expectText,
  failChain,
  pollOne,
  simple,
  startChain,
  type Method,
  wait,
} from '../route-calls.js';

export function controllingRoutes(): void {
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
      expectRefusal(
        await ask('POST', `/api/workflow/${third.id}/rerun`, {}),
        409,
        /unable to rerun/,
      );
    });

    it('retries with input put right, and keeps who did it and why', async () => {
      const { id, taskType } = await failChain();
      const path = `/api/workflow/${id}/retry`;
      const refusals: [query: string, body: unknown, message: RegExp][] = [
        ['', { taskInputs: [] }, /taskInputs must be an object/],
        ['', { taskInputs: { a: 'x' } }, /taskInputs\.a must be an object/],
        ['', { taskInputs: { zzz: {} } }, /^taskInputs\.zzz: the execution has no task/],
        ['?resumeSubworkflowTasks=true', { taskInputs: { a: {} } }, /^taskInputs: not with resume/],
      ];
      for (const [query, body, message] of refusals) {
        expectRefusal(await ask('POST', `${path}${query}`, body), 400, message);
      }
      expect((await api.workflow(id)).status).toBe('FAILED');
      const edits = { taskInputs: { a: { over: 1, $x: [] } }, reason: 'a typing error' };
      expectEmpty(await ask('POST', `${path}?reason=other`, edits), 204);
      expect((await pollOne(taskType)).inputData).toEqual({ over: 1, $x: [] });
      expect(expectJson(await ask('GET', `/api/workflow/${id}/history`))).toMatchObject([
        {
          action: 'retry',
          actor: '',
          reason: 'a typing error',
          changes: { resumeSubworkflowTasks: false, taskInputs: { a: ['over', '$x'] } },
        },
      ]);
    });

    it('reruns from a task of a child and reopens the parents', async () => {
      const id = await api.start({ name: 'routes_outer' });
      const child = (await api.untilTask(id, 's', 'IN_PROGRESS')).subWorkflowId as string;
      const waiting = await api.untilTask(child, 'wait', 'IN_PROGRESS');
      await api.signal(child, 'FAILED_WITH_TERMINAL_ERROR', {});
      await api.untilEnd(id);
      const from = { reRunFromTaskId: waiting.taskId };
      expectText(await ask('POST', `/api/workflow/${id}/rerun`, from), id);
      expect((await api.workflow(id)).status).toBe('RUNNING');
      expect((await api.workflow(child)).status).toBe('RUNNING');
    });

    it('has started the child of a SUB_WORKFLOW when its rerun is answered', async () => {
      const id = await api.start({ name: 'routes_outer' });
      const before = await api.untilTask(id, 's', 'IN_PROGRESS');
      await api.terminate(id);
      const body = { reRunFromTaskId: before.taskId };
      expectText(await ask('POST', `/api/workflow/${id}/rerun`, body), id);
      const [task] = (await api.workflow(id)).tasks;
      expect(task?.status).toBe('IN_PROGRESS');
      expect(task?.subWorkflowId).not.toBe(before.subWorkflowId);
    });

    it('refuses a restart with the latest definition where none is registered', async () => {
      const { id } = await failChain();
      const answer = await ask('POST', `/api/workflow/${id}/restart?useLatestDefinitions=true`);
      expectRefusal(answer, 404, `Unable to find latest definition for ${id}`);
    });

    it('upgrades and jumps', async () => {
      await api.registerWorkflows({ name: 'routes_up', version: 1, tasks: [wait] });
      await api.registerWorkflows({
        name: 'routes_up',
        version: 2,
        tasks: [simple('first'), wait, simple('last')],
      });
      const id = await api.start({ name: 'routes_up', version: 1 } as never);
      const to = { name: 'routes_up', version: 2, taskOutput: { first: { done: 1 } } };
      expectEmpty(await ask('POST', `/api/workflow/${id}/upgrade`, to));
      expect((await api.workflow(id)).workflowVersion).toBe(2);
      expectRefusal(
        await ask('POST', '/api/workflow/nope/upgrade', to),
        400,
        /Invalid execution id/,
      );
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

    it('removes what has ended and what runs', async () => {
      for (const query of ['', '?archiveWorkflow=true', '?archiveWorkflow=false']) {
        const { id } = await startChain();
        expectEmpty(await ask('DELETE', `/api/workflow/${id}/remove${query}`));
        expect((await ask('GET', `/api/workflow/${id}`)).status).toBe(404);
      }
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
      expect(await bulk('DELETE', 'terminate-remove')).toEqual(expected);
      expect(await bulk('DELETE', 'remove')).toMatchObject({ bulkSuccessfulResults: [] });
      expect(await bulk('POST', 'delete')).toMatchObject({ bulkSuccessfulResults: [] });
    });

    it('terminates and removes what has ended, too', async () => {
      const { id } = await startChain();
      const workflowDef = {
        name: 'routes_end',
        tasks: [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }],
      };
      const ended = await api.start({ name: 'routes_end', workflowDef } as never);
      expect((await api.untilEnd(ended)).status).toBe('COMPLETED');
      const ids = [ended, id];
      const answer = await ask('DELETE', '/api/workflow/bulk/terminate-remove', ids);
      expect(answer.body).toEqual({ bulkErrorResults: {}, bulkSuccessfulResults: ids });
      for (const gone of ids) expect((await ask('GET', `/api/workflow/${gone}`)).status).toBe(404);
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
      expect((await ask('POST', '/api/workflow/bulk/retry', [{}])).status).toBe(400);
    });
  });
}
