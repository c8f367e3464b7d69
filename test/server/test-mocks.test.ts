// Mocks of a test server: outcomes of the test stand in for tasks of any type, by attempt, and the
// task's life stays the ordinary one.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../cli/testing.js';

interface Task {
  referenceTaskName: string;
  taskType: string;
  status: string;
  retryCount: number;
  workerId?: string;
  reasonForIncompletion?: string;
  scheduledTime: number;
  startTime: number;
  endTime: number;
  inputData: Record<string, unknown>;
  outputData: Record<string, unknown>;
}

function definition(name: string, tasks: readonly object[], more: object = {}): object {
  return { name, version: 1, ownerEmail: 'test@example.com', tasks, ...more };
}

function task(ref: string, type: string, more: object = {}): object {
  return { name: ref, taskReferenceName: ref, type, ...more };
}

describe('a mock of a test server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.removeMocks());
  afterAll(() => server.stop());

  const tasksOf = async (id: string): Promise<Task[]> =>
    (await server.execution(id)).tasks as unknown as Task[];

  it('stands for a worker, which shows its input, worker and times', async () => {
    const input = { inputParameters: { amount: '${workflow.input.amount}' } };
    await server.register(
      definition('pay', [task('charge', 'SIMPLE', input)], {
        outputParameters: { receipt: '${charge.output.receipt}' },
      }),
    );
    await server.mock({ taskReferenceName: 'charge', output: { receipt: 'r1' } });
    const id = await server.start('pay', { amount: 12 });
    expect((await server.completed(id)).output).toEqual({ receipt: 'r1' });
    const [charge] = await tasksOf(id);
    expect(charge).toMatchObject({
      ...{ taskType: 'charge', status: 'COMPLETED', workerId: 'mock', retryCount: 0 },
      ...{ inputData: { amount: 12 }, outputData: { receipt: 'r1' } },
    });
    expect(charge?.startTime).toBeGreaterThan(0);
    expect(await server.request('GET', '/api/tasks/poll/charge')).toBe('');
  });

  it('answers attempt by attempt; the last outcome repeats', async () => {
    await server.request('POST', '/api/metadata/taskdefs', [
      {
        ...{ name: 'flaky', retryCount: 3, retryLogic: 'FIXED', retryDelaySeconds: 600 },
        ...{ timeoutSeconds: 3600, responseTimeoutSeconds: 600, ownerEmail: 'test@example.com' },
      },
    ]);
    await server.register(definition('retried', [task('flaky', 'SIMPLE')]));
    const attempts = [
      { status: 'FAILED', reasonForIncompletion: 'card declined' },
      { status: 'TIMED_OUT' },
      { output: { ok: true } },
    ] as const;
    await server.mock({ taskName: 'flaky', attempts });
    const id = await server.start('retried');
    expect((await tasksOf(id))[0]?.reasonForIncompletion).toBe('card declined');
    await server.advance(600_000);
    await server.advance(600_000);
    await server.completed(id);
    expect((await tasksOf(id)).map((each) => [each.status, each.retryCount])).toEqual([
      ...[['FAILED', 0] as const, ['TIMED_OUT', 1] as const, ['COMPLETED', 2] as const],
    ]);
    expect((await server.mocks()).map((mock) => mock.uses)).toEqual([3]);

    await server.removeMocks();
    await server.mock({ taskName: 'flaky', status: 'FAILED', reasonForIncompletion: 'no' });
    const failing = await server.start('retried');
    await server.advance(3 * 600_000 + 1000);
    const { status, reasonForIncompletion } = (await server.execution(failing)) as unknown as Task;
    expect(status).toBe('FAILED');
    expect(reasonForIncompletion).toContain("reason: 'no'");
    expect(await tasksOf(failing)).toHaveLength(4);
  });

  it('takes its delay, in time of the clock, and times out as a worker would', async () => {
    await server.register(definition('slow', [task('slow', 'SIMPLE')]));
    const { id: mockId } = await server.mock({ taskReferenceName: 'slow', delayMs: 3_000_000 });
    const id = await server.start('slow');
    await server.removeMocks(mockId); // What has begun keeps its outcome.
    await server.advance(2_900_000);
    const [running] = await tasksOf(id);
    expect(running?.status).toBe('IN_PROGRESS');
    await expect(server.completed(id)).rejects.toThrow(/Why: .*slow/s);
    await server.advance(100_000);
    await server.completed(id);
    const [slow] = await tasksOf(id);
    expect((slow?.endTime ?? 0) - (slow?.startTime ?? 0)).toBeGreaterThanOrEqual(3_000_000);

    await server.mock({ taskReferenceName: 'slow', delayMs: 86_400_000 });
    const late = await server.start('slow');
    await server.advance(86_400_000);
    expect((await tasksOf(late))[0]).toMatchObject({
      ...{ status: 'TIMED_OUT', reasonForIncompletion: expect.stringMatching(/^responseTimeout/) },
    });
  });

  it('stands for HTTP, INLINE, WAIT, EVENT, HUMAN, SUB_WORKFLOW and a SWITCH', async () => {
    const http = { http_request: { uri: 'http://nowhere.invalid/${workflow.input.id}' } };
    const tasks = [
      task('get', 'HTTP', { inputParameters: http }),
      task('sum', 'INLINE', { inputParameters: { expression: '1 +', evaluatorType: 'graaljs' } }),
      task('pause', 'WAIT', { inputParameters: { duration: '30 days' } }),
      task('tell', 'EVENT', { sink: 'kafka:nothing' }),
      task('ask', 'HUMAN'),
      task('child', 'SUB_WORKFLOW', {
        subWorkflowParam: { name: 'nobody', version: 7 },
        inputParameters: { order: '${get.output.response.body.order}' },
      }),
      task('which', 'SWITCH', {
        ...{ evaluatorType: 'value-param', expression: 'x' },
        ...{ inputParameters: { x: 'left' } },
        decisionCases: { left: [task('l', 'NOOP')], right: [task('r', 'NOOP')] },
      }),
      task('loop', 'DO_WHILE', { loopCondition: 'true', loopOver: [task('inside', 'NOOP')] }),
    ];
    await server.register(definition('many', tasks));
    const workflowName = 'many';
    await server.mock({
      ...{ workflowName, taskType: 'HTTP' },
      output: { response: { statusCode: 200, body: { order: 5 } } },
    });
    for (const ref of ['sum', 'pause', 'tell', 'ask', 'loop']) {
      await server.mock({ workflowName, taskReferenceName: ref, output: { from: ref } });
    }
    await server.mock({ workflowName, taskType: 'SUB_WORKFLOW', output: { done: true } });
    await server.mock({ workflowName, taskType: 'SWITCH', output: { selectedCase: 'right' } });
    const id = await server.start('many', { id: 9 });
    await server.completed(id);
    expect(await server.path(id)).toEqual([
      ...['get', 'sum', 'pause', 'tell', 'ask', 'child', 'which', 'r', 'loop'],
    ]);
    const [get, , , , , child] = await tasksOf(id);
    expect(get?.inputData['http_request']).toEqual({ uri: 'http://nowhere.invalid/9' });
    expect(child).toMatchObject({
      inputData: { subWorkflowName: 'nobody', workflowInput: { order: 5 } },
      outputData: { done: true },
    });
    expect((await server.mocks()).every((mock) => mock.uses === 1)).toBe(true);
  });

  it('fails a server task with its reason, and leaves one open that never ends', async () => {
    const get = task('get', 'HTTP', { inputParameters: { uri: 'http://nowhere.invalid' } });
    await server.register(definition('failing', [get]));
    await server.mock({
      ...{ taskType: 'HTTP', status: 'FAILED_WITH_TERMINAL_ERROR' as const },
      ...{ reasonForIncompletion: '503 at the gate', output: { response: { statusCode: 503 } } },
    });
    const failing = await server.start('failing');
    await expect(server.completed(failing)).rejects.toThrow(/is FAILED, not .*503 at the gate/s);
    await server.mock({ taskType: 'HTTP', status: 'IN_PROGRESS', output: { part: 1 } });
    const open = await server.start('failing');
    await server.advance(86_400_000);
    expect((await tasksOf(open))[0]).toMatchObject({
      ...{ status: 'IN_PROGRESS', outputData: { part: 1 } },
    });
    await server.request('POST', `/api/tasks/${open}/get/COMPLETED`, { by: 'hand' });
    await server.completed(open);
  });

  it('stands for an execution before a definition before all, and inside dynamic tasks', async () => {
    const named = task('named', 'DYNAMIC', {
      ...{ dynamicTaskNameParam: 'which', inputParameters: { which: 'ship' } },
    });
    const hold = task('hold', 'WAIT', { inputParameters: { duration: '1 hours' } });
    await server.register(definition('shipping', [hold, named]));
    await server.mock({ taskType: 'ship', output: { by: 'all' } });
    const started = await Promise.all([1, 2].map(() => server.start('shipping')));
    const [first = '', second = ''] = started;
    await server.mock({ workflowId: first, taskType: 'ship', output: { by: 'execution' } });
    await server.mock({ workflowName: 'shipping', taskName: 'ship', output: { by: 'name' } });
    await server.mock({ taskType: 'ship', output: { by: 'newest' } });
    await server.advance(3_600_000);
    const outputs = await Promise.all(started.map(async (id) => (await tasksOf(id))[1]));
    expect(outputs.map((each) => each?.outputData)).toEqual([{ by: 'execution' }, { by: 'name' }]);
    expect(outputs[0]).toMatchObject({ referenceTaskName: 'named', taskType: 'ship' });
    await server.completed(second);
  });

  it('is refused with the name of the field, and cannot stand for a fork', async () => {
    const refused = async (mock: object, text: string): Promise<void> => {
      await expect(server.request('POST', '/api/test/mocks', mock)).rejects.toThrow(
        `answered 400: `,
      );
      await expect(server.request('POST', '/api/test/mocks', mock)).rejects.toThrow(text);
    };
    await refused({ taskReferenceName: 'a', outputs: {} }, `'outputs' is no field of a mock`);
    await refused({ output: {} }, `one of 'taskReferenceName', 'taskName', 'taskType' must say`);
    await refused({ taskName: 'a', status: 'DONE' }, `'status' must be one of COMPLETED`);
    await refused({ taskName: 'a', delayMs: -1 }, `'delayMs' must be a whole number`);
    await refused({ taskName: 'a', attempts: [] }, `'attempts' must be a list`);
    await refused(
      { taskName: 'a', attempts: [{ outputs: 1 }] },
      `'attempts[0].outputs' is no field`,
    );
    await refused({ taskName: 'a', attempts: [{}], output: {} }, `'output' must stand in`);
    await refused({ taskType: 'JOIN' }, `'taskType' must not be JOIN`);
    await expect(server.removeMocks('mock-0')).rejects.toThrow('answered 404');

    const branches = [[task('one', 'NOOP')], [task('two', 'NOOP')]];
    const join = task('join', 'JOIN', { joinOn: ['one', 'two'] });
    const fork = task('fork', 'FORK_JOIN', { forkTasks: branches });
    await server.register(definition('forked', [fork, join]));
    await server.mock({ taskReferenceName: 'fork' });
    const id = await server.start('forked');
    await expect(server.completed(id)).rejects.toThrow(/No mock can stand for fork: .*FORK_JOIN/s);
  });
});
