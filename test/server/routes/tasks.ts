// Tasks, queues and administration (contract-core 14 to 18, 20.3).
import { describe, expect, it } from 'vitest';
import type { JsonObject, WireTask } from '../../../testkit/wire.js';
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
  startChain,
  unknownId,
} from '../route-calls.js';

export function taskRoutes(): void {
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
      const id = await api.start({
        name: taskType,
        workflowDef: { name: taskType, tasks },
      } as never);
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
      const state = {
        ...result,
        taskId: next.taskId,
        status: 'IN_PROGRESS',
        callbackAfterSeconds: 60,
      };
      expectEmpty(await ask('POST', '/api/tasks/update-v2', state), 204);
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
        'an unknown execution',
        { workflowInstanceId: 'x', taskId: 'nope', status: 'COMPLETED' },
        404,
        /No such workflow found by id: x/,
      ],
    ])('refuse a report with %s on both routes', async (_what, body, status, message) => {
      for (const path of ['/api/tasks', '/api/tasks/update-v2']) {
        expectRefusal(await ask('POST', path, body), status, message);
      }
    });

    it('are looked for once their execution is found', async () => {
      const { id, taskType } = await startChain();
      const { taskId } = await pollOne(taskType);
      const gone = `${taskId.slice(0, -1)}f`;
      for (const path of ['/api/tasks', '/api/tasks/update-v2']) {
        for (const [workflowInstanceId, task, message] of [
          [id, 'nope', 'No such task found by id: nope'],
          [id, gone, `No such task found by id: ${gone}`],
          [unknownId, taskId, `No such workflow found by id: ${unknownId}`],
        ]) {
          const body = { workflowInstanceId, taskId: task, status: 'COMPLETED' };
          expectRefusal(await ask('POST', path, body), 404, message as string);
        }
      }
    });

    it('are found by their own id when the report names a child instead of the execution', async () => {
      const id = await api.start({ name: 'routes_outer' });
      const { taskId, subWorkflowId } = await api.untilTask(id, 's', 'IN_PROGRESS');
      const report = { workflowInstanceId: subWorkflowId, taskId, status: 'COMPLETED' };
      expectText(await ask('POST', '/api/tasks', report), taskId);
      expect((await api.untilEnd(id)).status).toBe('COMPLETED');
    });

    it('are reported by reference name', async () => {
      const { id } = await startChain();
      expectText(
        await ask('POST', `/api/tasks/${id}/a/COMPLETED?workerid=w9`, { k: 1 }),
        idPattern,
      );
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
      const { id, taskType } = await startChain();
      const { taskId } = await pollOne(taskType);
      expectEmpty(await ask('GET', `/api/tasks/${taskId}/log`), 204);
      expectEmpty(await ask('POST', `/api/tasks/${taskId}/log`, 'quoted "line"'));
      const raw = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '"raw"' };
      expect((await fetch(`${server.url}/api/tasks/${taskId}/log`, raw)).status).toBe(200);
      const lines = expectJson(await ask('GET', `/api/tasks/${taskId}/log`)) as { log: string }[];
      expect(lines.map((line) => line.log)).toEqual(['quoted "line"', '"raw"']);
      const report = { workflowInstanceId: id, taskId, status: 'IN_PROGRESS' };
      const logs = [{ log: 'written earlier', createdTime: 5 }];
      expectText(await ask('POST', '/api/tasks', { ...report, logs }), taskId);
      const sorted = expectJson(await ask('GET', `/api/tasks/${taskId}/log`)) as { log: string }[];
      expect(sorted.map((line) => line.log)).toEqual(['written earlier', 'quoted "line"', '"raw"']);
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
      const why = expectJson(await ask('GET', `/api/tasks/queue/why?taskType=${taskType}`));
      expect(why).toMatchObject({ waiting: 1, leased: 0 });
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
      expect(all).toEqual(
        expect.arrayContaining([expect.objectContaining({ queueName: taskType })]),
      );
    });

    it('end WAIT tasks through the queue routes', async () => {
      const id = await api.start({ name: 'routes_waits' });
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
      expectText(
        await ask('POST', `/api/admin/consistency/verifyAndRepair/${id}`),
        /^(true|false)$/,
      );
      expectRefusal(await ask('POST', '/api/admin/sweep/requeue/nope'), 404, /No such workflow/);
      expectRefusal(
        await ask('POST', '/api/admin/consistency/verifyAndRepair/nope'),
        404,
        /No such workflow/,
      );
      expect(expectJson(await ask('GET', '/api/admin/config'))).toMatchObject({
        version: expect.any(String) as string,
        buildDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        timeZoneData: process.versions['tz'],
      });
      const inOrder = { violations: [], complete: true };
      expect(expectJson(await ask('GET', '/api/admin/fsck?seconds=30'))).toMatchObject(inOrder);
      expect(expectJson(await ask('POST', '/api/admin/fsck'))).toMatchObject(inOrder);
      const cluster = expectJson(await ask('GET', '/api/admin/cluster'));
      expect(cluster).toMatchObject({ moving: [], nodes: [{ shards: 256, linked: true }] });
      const quarantine = expectJson(await ask('GET', '/api/admin/quarantine'));
      expect(quarantine).toEqual({ executions: [] });
      const release = `/api/admin/quarantine/${id}/release`;
      expectRefusal(await ask('POST', release), 404, /is in quarantine/);
    });

    it('tell about the server itself', async () => {
      for (const path of ['/health', '/api/health']) {
        expect(expectJson(await ask('GET', path))).toMatchObject({
          healthResults: [],
          suppressedHealthResults: [],
          healthy: true,
        });
      }
      for (const part of ['', '/liveness', '/readiness']) {
        expect(expectJson(await ask('GET', `/actuator/health${part}`))).toEqual({ status: 'UP' });
      }
      expect(expectJson(await ask('GET', '/v3/api-docs'))).toHaveProperty('openapi');
      expectText(await ask('GET', '/health/live'), 'live');
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
}
