// Starting executions, and the calls that wait for an answer (contract-core 8, 15).
import { describe, expect, it } from 'vitest';
import type { JsonObject, WireWorkflow } from '../../../testkit/wire.js';
import {
  api,
  ask,
  expectEmpty,
  expectJson,
  expectRefusal,
  expectText,
  fresh,
  idPattern,
  pollOne,
  server,
  simple,
  startChain,
  unknownId,
  type Method,
} from '../route-calls.js';

export function startingRoutes(): void {
  describe('starting', () => {
    it('answers every form with the bare id', async () => {
      expectText(
        await ask('POST', '/api/workflow', { name: 'routes_inline', input: { k: 1 } }),
        idPattern,
      );
      expectText(
        await ask('POST', '/api/workflow/routes_inline?correlationId=c&priority=3', {}),
        idPattern,
      );
      expectText(await ask('POST', '/api/workflow/start/routes_inline/1', { k: 2 }), idPattern);
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
        '/api/workflow/routes_inline?version=9',
        {},
        404,
        'No such workflow found by name: routes_inline, version: 9',
      ],
      ['no name', 'POST', '/api/workflow', {}, 400, /Validation failed/],
      [
        'too high a priority',
        'POST',
        '/api/workflow',
        { name: 'routes_inline', priority: 100 },
        400,
        /Validation failed/,
      ],
      [
        'too low a priority by name',
        'POST',
        '/api/workflow/routes_inline?priority=-1',
        {},
        400,
        /Validation failed/,
      ],
      [
        'too low a priority in a call that waits',
        'POST',
        '/api/workflow/execute/routes_inline?priority=-1',
        {},
        400,
        /Validation failed/,
      ],
      [
        'a null input',
        'POST',
        '/api/workflow',
        { name: 'routes_inline', input: null },
        400,
        'NULL input passed',
      ],
      ['an input that is a list', 'POST', '/api/workflow/routes_inline', [], 400, /object/],
      ['a body that is no object', 'POST', '/api/workflow', [], 400, /The body must be an object/],
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
        '/api/workflow/start/routes_inline/one',
        {},
        400,
        /not a number/,
      ],
    ])('refuses %s', async (_what, method, path, body, status, message) => {
      expectRefusal(await ask(method, path, body), status, message);
    });

    it('starts once per idempotency key', async () => {
      const start = {
        name: 'routes_waits',
        idempotencyKey: 'key-1',
        idempotencyStrategy: 'RETURN_EXISTING',
      };
      const first = await ask('POST', '/api/workflow', start);
      expectText(await ask('POST', '/api/workflow', start), first.text);
      const refused = await ask('POST', '/api/workflow', { ...start, idempotencyStrategy: 'FAIL' });
      expectRefusal(refused, 409, new RegExp(first.text));
      const byHeader = (strategy: string): Promise<Response> =>
        fetch(`${server.url}/api/workflow/routes_waits`, {
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

    it('takes the name from an inline definition when none stands beside it', async () => {
      const tasks = [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }];
      for (const name of [undefined, null, '']) {
        const body = { name, workflowDef: { name: 'named_inside', tasks } };
        const { text } = await ask('POST', '/api/workflow', body);
        expect((await api.workflow(text)).workflowName).toBe('named_inside');
      }
    });

    it('freezes an inline definition and stores nothing of it', async () => {
      const { id, taskType } = await startChain();
      expect((await api.workflow(id)).workflowName).toBe(taskType);
      expect((await api.request('GET', `/api/metadata/workflow/${taskType}`)).status).toBe(404);
    });
  });

  describe('synchronous calls', () => {
    it('execute answers with the execution once it has ended', async () => {
      const answer = await ask('POST', '/api/workflow/execute/routes_inline/1?requestId=q1', {
        name: 'routes_inline',
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
      expect(await run('routes_waits', 'BLOCKING_TASK')).toMatchObject({
        responseType: 'BLOCKING_TASK',
        taskType: 'WAIT',
        referenceTaskName: 'wait',
        status: 'IN_PROGRESS',
        signalTimeout: false,
      });
      const nested = await run('routes_outer', 'BLOCKING_WORKFLOW');
      expect(nested).toMatchObject({ responseType: 'BLOCKING_WORKFLOW', signalTimeout: false });
      expect(nested['workflowId']).not.toBe(nested['targetWorkflowId']);
      expect(await run('routes_outer', 'BLOCKING_TASK_INPUT')).toMatchObject({
        referenceTaskName: 'wait',
      });
      expect(await run('routes_inline', 'BLOCKING_TASK')).toMatchObject({
        responseType: 'TARGET_WORKFLOW',
      });
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
      const path = '/api/workflow/execute/routes_inline/1?returnStrategy=ALL';
      expectRefusal(await ask('POST', path, { name: 'routes_inline' }), 400, /return strategy/);
      expectRefusal(
        await ask('POST', '/api/workflow/execute/routes_inline/9', {}),
        404,
        /version=9/,
      );
    });

    it('the deprecated form answers with the output alone', async () => {
      expect(
        expectJson(await ask('POST', '/api/workflow/execute/routes_inline', { k: 7 })),
      ).toEqual({
        k: 7,
      });
      expect(expectJson(await ask('GET', '/api/workflow/execute/routes_inline'))).toEqual({
        k: null,
      });
    });

    it('a signal answers the first blocked task, also in a child', async () => {
      const id = await api.start({ name: 'routes_outer' });
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
      expect(expectJson(ended)).toMatchObject({ targetWorkflowId: id, status: 'COMPLETED' });
      const busy = await api.start({
        ...{ name: 'busy', workflowDef: { name: 'busy', version: 1, tasks: [simple('a')] } },
      });
      expectRefusal(
        await ask('POST', `/api/tasks/${busy}/COMPLETED/signal/sync`, {}),
        404,
        `Found no blocked task in workflow ${busy} to signal`,
      );
      expectEmpty(await ask('POST', `/api/tasks/${id}/COMPLETED/signal`, {}));
      expectRefusal(
        await ask('POST', `/api/tasks/${unknownId}/COMPLETED/signal`, {}),
        404,
        /No such workflow/,
      );
      expectRefusal(await ask('POST', `/api/tasks/${id}/DONE/signal`, {}), 400, /status/);
    });

    it('an update of the state answers with the execution', async () => {
      const id = await api.start({ name: 'routes_waits' });
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
}
