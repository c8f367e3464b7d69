// Hand-out, reports, pause, signals, messages, waits: everything that reaches an execution from
// outside while it waits.
import { describe, expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import { nextWakeAt } from '../../src/engine/wake-up.js';
import { result, simple, startOfTime, taskOf, workflow, World } from './support/world.js';

describe('hand-out', () => {
  it('marks the task in memory without any change to persist', () => {
    const world = new World({ reloads: false });
    const id = world.start(workflow([simple('a')]));
    world.pass(5);
    const task = world.poll('a', { workerId: 'w7' });
    expect([task?.status, task?.workerId, task?.startAt, task?.pollCount]).toEqual([
      'IN_PROGRESS',
      'w7',
      startOfTime + 5,
      1,
    ]);
    expect(world.open(id).execution.state.updateTime).toBe(startOfTime);
    const again = { kind: 'claim-task', taskNumber: 1, reopenCount: 0, workerId: 'w8' } as const;
    expect(world.command(id, { ...again, lease: { number: 1 } }).kind).toBe('not-wanted');
    // The queue leases it once more when the first hand-out did not reach its worker.
    expect(world.command(id, again).kind).toBe('claimed');
    expect(world.task(id, 'a').pollCount).toBe(1);
  });

  it('is restored from what the queue remembers', () => {
    const world = new World();
    const id = world.start(workflow([simple('a')]));
    const startAt = startOfTime + 3;
    world.command(id, {
      kind: 'restore-lease',
      taskNumber: 1,
      reopenCount: 0,
      workerId: 'w',
      startAt,
      pollCount: 2,
    });
    const task = world.task(id, 'a');
    expect([task.status, task.startAt, task.pollCount]).toEqual(['IN_PROGRESS', startAt, 2]);
  });

  it('is undone when it did not reach its worker', () => {
    const world = new World();
    const id = world.start(workflow([simple('a')]));
    world.command(id, {
      kind: 'claim-task',
      taskNumber: 1,
      reopenCount: 0,
      workerId: 'w',
      lease: { number: 3 },
    });
    world.command(id, { kind: 'release-lease', taskNumber: 1, reopenCount: 0, leaseNumber: 3 });
    const task = world.task(id, 'a');
    expect([task.status, task.startAt, task.pollCount, task.lease]).toEqual([
      'SCHEDULED',
      0,
      0,
      undefined,
    ]);
    expect(world.outputs.at(-1)?.output.kind).toBe('schedule');
  });

  it('gives a task reported IN_PROGRESS back to its queue after its delay', () => {
    const world = new World();
    const id = world.start(workflow([simple('a')]));
    world.poll('a');
    world.report(id, 'a', 'IN_PROGRESS', { a: 1 }, { callbackAfterSeconds: 20 });
    expect(world.task(id, 'a').status).toBe('SCHEDULED');
    world.pass(19_000);
    expect(world.poll('a')).toBeUndefined();
    world.pass(1000);
    expect(world.poll('a')?.pollCount).toBe(2);
    world.report(id, 'a', 'COMPLETED', { b: 2 });
    expect(world.outputOf(id, 'a')).toEqual({ b: 2 });
  });

  it('chooses the first domain with an active worker, else the last', () => {
    const def = workflow([simple('a'), taskOf('WAIT', 'w')]);
    const domainOf = (list: string, active: string[]): string | undefined => {
      const world = new World({ activeDomains: active });
      const id = world.start(def, {}, { taskToDomain: { '*': list } });
      const { domain } = world.task(id, 'a');
      world.report(id, 'a', 'COMPLETED');
      expect(world.task(id, 'w').domain).toBeUndefined();
      return domain;
    };
    expect(domainOf('d1, d2', ['d1'])).toBe('d1');
    expect(domainOf('d1, d2', [])).toBe('d2');
    expect(domainOf('d1,NO_DOMAIN', [])).toBeUndefined();
    expect(domainOf('d1,d2,', [])).toBe('d2');
  });
});

describe('reports', () => {
  it('are ignored for terminal tasks and ended executions', () => {
    const world = new World();
    const id = world.start(workflow([simple('a'), simple('b')]));
    world.work('a', { x: 1 });
    const late = world.report(id, 'a', 'FAILED');
    expect(late).toMatchObject({ kind: 'updated', ignored: true });
    expect(world.list(id)).toEqual(['1 a a COMPLETED', '2 b b SCHEDULED']);
  });

  it('complete a task that was never polled', () => {
    const world = new World();
    const id = world.start(workflow([simple('a')]));
    world.report(id, 'a', 'COMPLETED');
    expect([world.status(id), world.task(id, 'a').startAt]).toEqual(['COMPLETED', 0]);
  });

  it('by reference merge the output and find the open iteration of a loop', () => {
    const world = new World();
    const loop = taskOf('DO_WHILE', 'l', {
      loopCondition: "$.l['iteration'] < 2",
      loopOver: [simple('a')],
    });
    const id = world.start(workflow([loop]));
    world.report(id, 'a__1', 'IN_PROGRESS', { a: 1 });
    const byRef = (): void => {
      world.command(id, {
        kind: 'update-task',
        task: { ref: 'a' },
        result: result('COMPLETED', { b: 2 }),
        mergeOutput: true,
      });
    };
    byRef();
    expect(world.outputOf(id, 'a__1')).toEqual({ a: 1, b: 2 });
    byRef();
    expect(world.status(id)).toBe('COMPLETED');
    const nobody = world.command(id, {
      kind: 'update-task',
      task: { ref: 'nope' },
      result: result('COMPLETED'),
      mergeOutput: true,
    });
    expect(nobody).toMatchObject({ kind: 'updated', task: undefined });
  });

  it('of a JOIN, replace what it would have shown', () => {
    const world = new World();
    const fork = taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [simple('b')]] });
    const id = world.start(
      workflow([fork, taskOf('JOIN', 'j', { joinOn: ['a', 'b'] }), simple('c')]),
    );
    world.report(id, 'j', 'COMPLETED', { mine: true });
    expect(world.outputOf(id, 'j')).toEqual({ mine: true });
    expect(world.task(id, 'c').status).toBe('SCHEDULED');
  });

  it('beyond the payload limit fail the task for good', () => {
    const world = new World({ limits: { taskPayloadBytesMax: 100 } });
    const id = world.start(workflow([simple('a')]));
    world.report(id, 'a', 'COMPLETED', { text: 'x'.repeat(200) });
    expect([world.task(id, 'a').status, world.outputOf(id, 'a')]).toEqual([
      'FAILED_WITH_TERMINAL_ERROR',
      {},
    ]);
  });
});

describe('pause', () => {
  it('stores results without going on, and resume goes on once', () => {
    const world = new World();
    const id = world.start(workflow([simple('a'), simple('b')]));
    world.command(id, { kind: 'pause' });
    world.command(id, { kind: 'pause' });
    world.work('a', { x: 1 });
    expect([world.status(id), ...world.list(id)]).toEqual(['PAUSED', '1 a a COMPLETED']);
    world.command(id, { kind: 'resume' });
    expect([world.status(id), ...world.list(id)]).toEqual([
      'RUNNING',
      '1 a a COMPLETED',
      '2 b b SCHEDULED',
    ]);
    expect(world.command(id, { kind: 'resume' }).kind).toBe('refused');
  });
});

describe('waiting', () => {
  it('ends strictly after its time', () => {
    const world = new World();
    const id = world.start(
      workflow([taskOf('WAIT', 'w', { inputParameters: { duration: '2 seconds' } })]),
    );
    expect(nextWakeAt(world.open(id))).toBe(startOfTime + 2001);
    world.pass(2000);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect([world.status(id), world.task(id, 'w').callbackAfterSeconds]).toEqual(['COMPLETED', 2]);
  });

  it('shows the time at which it was due as its end, however late the timer fires', () => {
    const world = new World();
    const wait = taskOf('WAIT', 'w', { inputParameters: { duration: '2 seconds' } });
    const id = world.start(workflow([wait, simple('after')]));
    world.now += 2700;
    world.command(id, { kind: 'wake' });
    expect(world.task(id, 'w')).toMatchObject({
      status: 'COMPLETED',
      startAt: startOfTime,
      endAt: startOfTime + 2000,
    });
    expect(world.task(id, 'after').scheduledAt).toBe(startOfTime + 2700);
  });

  it('does not end before it starts when its time has passed already', () => {
    const world = new World();
    const wait = taskOf('WAIT', 'w', { inputParameters: { until: '2020-01-01 00:00' } });
    const id = world.start(workflow([wait]));
    world.pass(40);
    expect(world.task(id, 'w')).toMatchObject({ startAt: startOfTime, endAt: startOfTime });
  });

  it.each([
    [{ until: '2020-01-01 00:00' }, 'COMPLETED'],
    [{ duration: '1 parsec' }, 'FAILED'],
    [{ duration: '1s', until: '2020-01-01' }, 'FAILED'],
    [{}, 'RUNNING'],
  ])('with %o is %s after a moment', (inputParameters, status) => {
    const world = new World();
    const id = world.start(workflow([taskOf('WAIT', 'w', { inputParameters })]));
    world.pass(1);
    expect(world.status(id)).toBe(status);
  });

  it('is ended by a signal that merges into the output, deepest first task in order', () => {
    const world = new World();
    const id = world.start(
      workflow([taskOf('WAIT', 'w'), taskOf('YIELD', 'y'), taskOf('HUMAN', 'h')]),
    );
    const signal = (value: number) =>
      world.command(id, { kind: 'signal', status: 'COMPLETED', output: Payload.of({ value }) });
    expect(signal(1)).toMatchObject({ kind: 'updated' });
    expect([world.outputOf(id, 'w'), world.task(id, 'w').callbackAfterSeconds]).toEqual([
      { value: 1 },
      2147483647,
    ]);
    signal(2);
    signal(3);
    expect(world.status(id)).toBe('COMPLETED');
    expect(signal(4)).toEqual({ kind: 'no-blocked-task', children: [] });
  });
});

describe('messages', () => {
  const def = workflow([
    taskOf('PULL_WORKFLOW_MESSAGES', 'p', { inputParameters: { batchSize: 2 } }),
    taskOf('PULL_WORKFLOW_MESSAGES', 'q', { inputParameters: { blocking: false } }),
  ]);

  it('complete a waiting task at once, in order', () => {
    const world = new World();
    const id = world.start(def);
    expect(world.status(id)).toBe('RUNNING');
    world.command(id, { kind: 'push-message', id: 'm1', payload: { n: 1 } });
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.outputOf(id, 'p')).toMatchObject({
      count: 1,
      messages: [{ id: 'm1', payload: { n: 1 } }],
    });
    expect(world.outputOf(id, 'q')).toEqual({ count: 0, messages: [] });
    const late = world.command(id, { kind: 'push-message', id: 'm2', payload: {} });
    expect(late.kind).toBe('refused');
  });
});

describe('I/O system tasks', () => {
  it('are run by the server and go on with its result', () => {
    const world = new World();
    const id = world.start(workflow([taskOf('HTTP', 'g', { inputParameters: { uri: 'u' } })]));
    expect(world.outputs.at(-1)?.output).toMatchObject({ kind: 'run-system-task' });
    expect(world.inputOf(id, 'g')).toEqual({ uri: 'u', asyncComplete: false });
    world.command(id, {
      kind: 'system-task-result',
      taskNumber: 1,
      reopenCount: 0,
      result: result('COMPLETED', { response: { statusCode: 200 } }, { workerId: 'node' }),
    });
    expect([world.status(id), world.task(id, 'g').pollCount]).toEqual(['COMPLETED', 1]);
  });

  it('start after their delay, also the delay of a retry', () => {
    const world = new World({ taskDefs: [{ name: 'g', retryCount: 1, retryDelaySeconds: 3 }] });
    const id = world.start(workflow([taskOf('HTTP', 'g', { startDelay: 2 })]));
    const runs = (): number =>
      world.outputs.filter(({ output }) => output.kind === 'run-system-task').length;
    expect(runs()).toBe(0);
    world.pass(2000);
    expect(runs()).toBe(1);
    world.command(id, {
      kind: 'system-task-result',
      taskNumber: 1,
      reopenCount: 0,
      result: result('FAILED'),
    });
    world.pass(2999);
    expect(runs()).toBe(1);
    world.pass(1);
    expect(runs()).toBe(2);
  });

  it('are cancelled with their execution', () => {
    const world = new World();
    const id = world.start(
      workflow([taskOf('EVENT', 'e', { sink: 'conductor:${workflow.input.x}' })]),
      { x: 'q' },
    );
    expect(world.inputOf(id, 'e')).toEqual({ sink: 'conductor:q', asyncComplete: false });
    world.command(id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    expect(world.outputs.some(({ output }) => output.kind === 'cancel-system-task')).toBe(true);
  });
});
