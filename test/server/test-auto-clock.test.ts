// The clock of a test server that moves by itself: to the next thing due whenever nothing is under
// way, in order of due times; held while a worker has, or could have, something to do.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../cli/testing.js';
import { until } from '../../testkit/until.js';

const day = 86_400_000;

function wait(ref: string, duration: string): object {
  return {
    ...{ name: ref, taskReferenceName: ref, type: 'WAIT' },
    inputParameters: { duration },
  };
}

function definition(name: string, tasks: readonly object[], more: object = {}): object {
  return { name, version: 1, ownerEmail: 'test@example.com', tasks, ...more };
}

describe('the clock of a test server that moves by itself', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ clock: 'auto' });
    await server.register(
      definition('month', [wait('pause', '30 days')]),
      definition('late', [wait('late', '5 days')]),
      definition('chain', [wait('one', '1 days'), wait('two', '1 days'), wait('three', '1 days')]),
      definition('worker', [wait('first', '2 days'), simple('work')]),
    );
  });
  afterEach(() => server.autoClock(true));
  afterAll(() => server.stop());

  const simple = (ref: string): object => ({
    ...{ name: ref, taskReferenceName: ref, type: 'SIMPLE' },
  });
  const endOf = async (id: string): Promise<number> => {
    await until(`the end of ${id}`, async () => (await server.execution(id)).status !== 'RUNNING');
    return ((await server.completed(id)) as unknown as { endTime: number }).endTime;
  };

  it('passes a wait of thirty days by itself', async () => {
    const before = (await server.clock()).now;
    const id = await server.start('month');
    expect((await endOf(id)) - before).toBeGreaterThanOrEqual(30 * day);
    const { auto, skippedMs, nextDueAt } = await server.clock();
    expect({ auto, nextDueAt }).toEqual({ auto: true });
    expect(skippedMs).toBeLessThan(31 * day);
  });

  it('goes from due time to due time, in order', async () => {
    await server.autoClock(false);
    const [late, chain] = [await server.start('late'), await server.start('chain')];
    await server.autoClock(true);
    const apart = (await endOf(late)) - (await endOf(chain));
    expect(apart).toBeGreaterThan(1.9 * day);
    expect(apart).toBeLessThan(2.1 * day);
  });

  it('is held while a task waits for a worker, and while one holds it', async () => {
    const started = (await server.clock()).now;
    const [id, other] = [await server.start('worker'), await server.start('month')];
    await until('the task in its queue', async () => {
      return (await server.clock()).heldBy?.includes('waits for a worker in the queue work');
    });
    const held = await server.request('GET', '/api/tasks/poll/work');
    expect(held).toMatchObject({ workflowInstanceId: id });
    const { heldBy, now, nextDueAt } = await server.clock();
    expect(heldBy).toBe(`A worker holds task work of execution ${id}.`);
    expect(now - started).toBeLessThan(3 * day);
    expect(nextDueAt).toBeDefined();
    expect((await server.execution(other)).status).toBe('RUNNING');
    await server.request('POST', `/api/tasks/${id}/work/COMPLETED`, {});
    await server.completed(id);
    expect((await endOf(other)) - started).toBeGreaterThanOrEqual(30 * day);
  });

  it('passes the back-off of a worker whose poll is parked', async () => {
    await server.request('POST', '/api/metadata/taskdefs', [
      {
        ...{ name: 'shaky', retryCount: 1, retryLogic: 'FIXED', retryDelaySeconds: 7200 },
        ...{ timeoutSeconds: 90_000, responseTimeoutSeconds: 3600, ownerEmail: 'a@example.com' },
      },
    ]);
    await server.register(definition('shaky', [simple('shaky')]));
    const id = await server.start('shaky');
    const before = (await server.clock()).now;
    const { taskId } = (await server.request('GET', '/api/tasks/poll/shaky')) as { taskId: string };
    const parked = server.request('GET', '/api/tasks/poll/batch/shaky?timeout=5000');
    await server.request('POST', '/api/tasks', {
      ...{ workflowInstanceId: id, taskId, status: 'FAILED' },
    });
    const [again] = (await parked) as { taskId: string; retryCount: number }[];
    expect(again?.retryCount).toBe(1);
    expect((await server.clock()).now - before).toBeGreaterThanOrEqual(7_200_000);
    await server.request('POST', '/api/tasks', {
      ...{ workflowInstanceId: id, taskId: again?.taskId, status: 'COMPLETED' },
    });
    await server.completed(id);
  });

  it('does not run away with a schedule, whose due times it passes on its way', async () => {
    await server.register(
      definition('nightly', [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }]),
    );
    const before = (await server.clock()).now;
    await server.request('POST', '/api/scheduler/schedules', {
      ...{ name: 'every_night', cronExpression: '0 0 3 * * ?', zoneId: 'UTC' },
      startWorkflowRequest: { name: 'nightly', version: 1 },
    });
    await until('a turn of the clock', async () => (await server.clock()).nextDueAt !== undefined);
    expect((await server.clock()).now - before).toBeLessThan(day);
    await endOf(await server.start('month'));
    const found = await server.request(
      'GET',
      '/api/workflow/search?query=workflowType%3Dnightly&size=100',
    );
    expect(found).toMatchObject({ totalHits: 30 });
    await server.request('DELETE', '/api/scheduler/schedules/every_night');
  });

  it('runs for one execution while it stands for others', async () => {
    await server.autoClock(false);
    const [id, other] = [await server.start('chain'), await server.start('month')];
    expect((await server.execution(id)).status).toBe('RUNNING');
    expect(await server.runClock(id)).toMatchObject({ end: 'over', status: 'COMPLETED', stops: 3 });
    expect((await server.execution(other)).status).toBe('RUNNING');
    const worker = await server.start('worker');
    expect(await server.runClock(worker, 50)).toMatchObject({
      ...{ end: 'waited-enough', status: 'RUNNING' },
      heldBy: expect.stringContaining('waits for a worker') as string,
    });
    await server.request('DELETE', `/api/workflow/${worker}`);
    await server.request('DELETE', `/api/workflow/${other}`);
    await server.register(definition('signal', [wait('never', '')]));
    const waiting = await server.start('signal');
    expect(await server.runClock(waiting)).toMatchObject({ end: 'nothing-due', stops: 0 });
    await expect(server.runClock('none')).rejects.toThrow('answered 404');
    await expect(
      server.request('POST', '/api/test/clock/run', { workflowId: waiting, wait: 1 }),
    ).rejects.toThrow(`'wait' is no field of this request`);
    await expect(server.request('PUT', '/api/test/clock', { auto: 1 })).rejects.toThrow(
      `'auto' must be true or false`,
    );
  });
});
