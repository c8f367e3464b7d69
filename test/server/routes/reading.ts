// Reading executions, their explanations and tests of definitions (contract-core 9).
import { describe, expect, it } from 'vitest';
import type { JsonObject, WireTask, WireWorkflow } from '../../../testkit/wire.js';
import {
  api,
  ask,
  expectJson,
  expectRefusal,
  fresh,
  pollOne,
  simple,
  startChain,
  unknownId,
} from '../route-calls.js';

export function readingRoutes(): void {
  describe('reading', () => {
    it('cuts the large members of a task where that is asked for, and says so', async () => {
      const { id, taskType } = await startChain();
      const { taskId } = await pollOne(taskType);
      const outputData = { note: 'é'.repeat(2000) };
      await api.update({ workflowInstanceId: id, taskId, status: 'COMPLETED', outputData });
      const whole = expectJson(await ask('GET', `/api/tasks/${taskId}`)) as JsonObject;
      expect(whole).not.toHaveProperty('cut');
      expect(expectJson(await ask('GET', `/api/tasks/${taskId}?bytes=100000`))).toEqual(whole);
      const { cut, ...rest } = expectJson(
        await ask('GET', `/api/tasks/${taskId}?bytes=3000`),
      ) as JsonObject;
      const begin = JSON.stringify(outputData).slice(0, 9 + 1495);
      expect(cut).toEqual({ outputData: { bytes: 4011, text: begin } });
      const { outputData: _output, ...others } = whole;
      expect(rest).toEqual(others);
      const nothing = expectJson(await ask('GET', `/api/tasks/${taskId}?bytes=0`)) as JsonObject;
      expect(nothing['cut']).toMatchObject({ inputData: { bytes: 2, text: '' } });
      for (const wrong of ['-1', 'x']) {
        expect((await ask('GET', `/api/tasks/${taskId}?bytes=${wrong}`)).status).toBe(400);
      }
    });

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
      expect(expectJson(await ask('GET', `/api/workflow/${id}/tasks?status=FAILED`))).toMatchObject(
        {
          totalHits: 0,
          results: [],
        },
      );
      expectRefusal(await ask('GET', `/api/workflow/${id}/tasks?status=GONE`), 400, /task status/);
      for (const page of ['start=-1', 'count=-1']) {
        expectRefusal(await ask('GET', `/api/workflow/${id}/tasks?${page}`), 400, /negative/);
      }
      const taskId = (whole.tasks[0] as WireTask).taskId;
      expect(expectJson(await ask('GET', `/api/tasks/${taskId}`))).toMatchObject({
        taskId,
        seq: 1,
      });
    });

    it('lists by name and correlation id, closed ones on demand', async () => {
      const name = 'routes_waits';
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

  describe('explanations and tests', () => {
    it('says what an execution and a task wait for', async () => {
      const { id, taskType } = await startChain();
      const first = expectJson(await ask('GET', `/api/workflow/${id}/why`));
      expect(first).toMatchObject({
        workflowId: id,
        status: 'RUNNING',
        waitsFor: [{ kind: 'not-polled', referenceTaskName: 'a', data: { lastPollTime: 0 } }],
      });
      const { taskId } = await pollOne(taskType);
      expect(expectJson(await ask('GET', `/api/tasks/${taskId}/why`))).toMatchObject({
        kind: 'leased',
        taskId,
        reason: expect.stringContaining('is with') as string,
      });
      expectRefusal(
        await ask('GET', `/api/workflow/${unknownId}/why`),
        404,
        `No such workflow found by id: ${unknownId}`,
      );
      expectRefusal(
        await ask('GET', '/api/tasks/nope/why'),
        404,
        'Task not found for taskId: nope',
      );
    });

    it('tests a workflow with mocks and starts nothing', async () => {
      const name = fresh('tested');
      const tested = expectJson(
        await ask('POST', '/api/workflow/test', {
          name,
          workflowDef: { name, tasks: [simple('a'), simple('b')] },
          taskRefToMockOutput: { a: [{ output: { k: 1 } }], b: [{ output: { z: 2 } }] },
        }),
      );
      expect(tested).toMatchObject({ status: 'COMPLETED', output: { z: 2 } });
      const { workflowId } = tested as { workflowId: string };
      expectRefusal(
        await ask('GET', `/api/workflow/${workflowId}`),
        404,
        `No such workflow found by id: ${workflowId}`,
      );
      expect((await ask('POST', '/api/workflow/test', { name: 'nope' })).status).toBe(404);
    });
  });
}
