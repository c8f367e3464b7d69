// Failing tasks: retries with their delays, optional and permissive tasks, timeouts, the end of the
// execution (semantics 2.4 to 2.9).
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { queueDelay } from '../../src/engine/worker-queue.js';
import { simple, startOfTime, taskOf, workflow, World } from './support/world.js';

const taskDef = (name: string, more: JsonMap = {}): JsonMap => ({
  name,
  retryCount: 0,
  retryDelaySeconds: 1,
  ...more,
});

describe('the retry rule', () => {
  it('makes a new attempt after the delay and ends the execution when none is left', () => {
    const world = new World({ taskDefs: [taskDef('a', { retryCount: 1 })] });
    const id = world.start(workflow([simple('a')]));
    world.poll('a');
    world.report(id, 'a', 'FAILED', { n: 1 }, { reasonForIncompletion: 'first' });
    expect(world.list(id)).toEqual(['1 a a FAILED retried', '2 a a SCHEDULED #1']);
    const attempt = world.task(id, 'a');
    expect([attempt.reason, attempt.callbackAfterSeconds, attempt.startDelaySeconds]).toEqual([
      'first',
      1,
      1,
    ]);
    expect(world.poll('a')).toBeUndefined();
    world.pass(1000);
    world.poll('a');
    world.report(id, 'a', 'FAILED', { n: 2 }, { reasonForIncompletion: 'second' });
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toBe("Task <a> failed with status: FAILED and reason: 'second'");
    expect(world.output(id)).toEqual({ n: 2 });
    expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual(['a']);
  });

  it.each([
    ['FIXED', {}, [2, 2, 2, 2]],
    ['FIXED', { maxRetryDelaySeconds: 1 }, [1, 1, 1, 1]],
    ['LINEAR_BACKOFF', { backoffScaleFactor: 2 }, [4, 8, 12, 16]],
    ['EXPONENTIAL_BACKOFF', { maxRetryDelaySeconds: 5 }, [2, 4, 5, 5]],
  ])('delays %s %o by %o seconds', (retryLogic, more, delays) => {
    const def = taskDef('a', { retryCount: 4, retryLogic, retryDelaySeconds: 2, ...more });
    const world = new World({ taskDefs: [def] });
    const id = world.start(workflow([simple('a')]));
    const seen = delays.map(() => {
      world.report(id, 'a', 'FAILED');
      return (queueDelay(world.task(id, 'a'), world.now) - world.now) / 1000;
    });
    expect(seen).toEqual(delays);
  });

  it('adds jitter to the queue delay only, the same for the same attempt', () => {
    const def = taskDef('a', { retryCount: 3, backoffJitterMs: 500 });
    const delays = [0, 1].map(() => {
      const world = new World({ taskDefs: [def] });
      const id = world.start(workflow([simple('a')]));
      world.report(id, 'a', 'FAILED');
      expect(world.task(id, 'a').callbackAfterSeconds).toBe(1);
      return world.task(id, 'a').callbackAfterMs;
    });
    expect(delays[0]).toBe(delays[1]);
    expect(delays[0]).toBeGreaterThanOrEqual(1000);
    expect(delays[0]).toBeLessThanOrEqual(1500);
  });

  it('prefers the count of the configuration and knows terminal errors and cancelled tasks', () => {
    const cases: [JsonMap, 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' | 'CANCELED', string][] = [
      [
        { retryCount: 0 },
        'FAILED',
        "FAILED Task <a> failed with status: FAILED and reason: 'null'",
      ],
      [
        {},
        'FAILED_WITH_TERMINAL_ERROR',
        "FAILED Task <a> failed with status: FAILED and reason: 'null'",
      ],
      [{}, 'CANCELED', "TERMINATED Task <a> failed with status: TERMINATED and reason: 'null'"],
    ];
    for (const [more, status, expected] of cases) {
      const world = new World({ taskDefs: [taskDef('a', { retryCount: 3 })] });
      const id = world.start(workflow([simple('a', more)]));
      world.report(id, 'a', status);
      expect(`${world.status(id)} ${world.reason(id)}`).toBe(expected);
    }
  });

  it('ends when the total time over all attempts is used up', () => {
    const world = new World({
      taskDefs: [taskDef('a', { retryCount: 10, totalTimeoutSeconds: 4, timeoutPolicy: 'RETRY' })],
    });
    const id = world.start(workflow([simple('a')]));
    world.pass(3900);
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'x' });
    expect(world.status(id)).toBe('RUNNING');
    world.pass(100);
    expect(world.status(id)).toBe('TIMED_OUT');
    expect(world.reason(id)).toContain('exceeded total timeout of 4 seconds (elapsed 4 seconds');
  });

  it('renews the input of the new attempt over the old one', () => {
    const world = new World({ taskDefs: [taskDef('a', { retryCount: 1 })] });
    const id = world.start(
      workflow([
        simple('a', { inputParameters: { id: '${CPEWF_TASK_ID}', v: '${workflow.variables.v}' } }),
      ]),
    );
    const first = world.inputOf(id, 'a')['id'];
    world.command(id, { kind: 'update-variables', variables: { v: 2 } });
    world.report(id, 'a', 'FAILED');
    expect(world.inputOf(id, 'a')['v']).toBe(2);
    expect(world.inputOf(id, 'a')['id']).not.toBe(first);
  });
});

describe('optional and permissive tasks', () => {
  it('pass over an optional failure when something follows', () => {
    const world = new World({ taskDefs: [taskDef('a', { retryCount: 1 })] });
    const id = world.start(workflow([simple('a', { optional: true }), simple('b')]));
    world.report(id, 'a', 'FAILED');
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'no' });
    expect(world.list(id)).toEqual([
      '1 a a FAILED retried',
      '2 a a COMPLETED_WITH_ERRORS #1',
      '3 b b SCHEDULED',
    ]);
    expect(world.task(id, 'a').reason).toBe('no');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('keep FAILED on an optional failure that comes last', () => {
    const world = new World({ taskDefs: [taskDef('a')] });
    const id = world.start(workflow([simple('a', { optional: true })]));
    world.report(id, 'a', 'FAILED');
    expect([world.status(id), world.task(id, 'a').status]).toEqual(['COMPLETED', 'FAILED']);
  });

  it('go on after a permissive failure and fail the execution at its end', () => {
    const world = new World({ taskDefs: [taskDef('a'), taskDef('b')] });
    const id = world.start(workflow([simple('a', { permissive: true }), simple('b')]));
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'no' });
    expect(world.list(id)).toEqual(['1 a a FAILED', '2 b b SCHEDULED']);
    world.work('b');
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toBe("Task <a> failed with status: FAILED and reason: 'no'");
  });
});

describe('timeouts', () => {
  it('time out the workflow at its time, whatever it waits for', () => {
    const world = new World();
    const def = workflow([taskOf('HUMAN', 'h')], {
      timeoutSeconds: 2,
      timeoutPolicy: 'TIME_OUT_WF',
    });
    const id = world.start(def);
    world.pass(1999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
    expect(world.reason(id)).toBe(
      'Workflow timed out after 2 seconds. Timeout configured as 2 seconds. Timeout policy configured to TIME_OUT_WF',
    );
    expect(world.list(id)).toEqual(['1 h HUMAN CANCELED']);
  });

  it('only count a workflow timeout with ALERT_ONLY, once', () => {
    const world = new World({ reloads: false });
    const id = world.start(workflow([taskOf('HUMAN', 'h')], { timeoutSeconds: 2 }));
    world.pass(10_000);
    expect(world.status(id)).toBe('RUNNING');
    const counted = world.outputs.filter(({ output }) => output.kind === 'count');
    expect(counted.map(({ output }) => output)).toEqual([
      { kind: 'count', metric: 'workflow_timeout', label: 'wf' },
    ]);
  });

  it('apply the policy of a poll timeout', () => {
    const world = new World({ taskDefs: [taskDef('a', { pollTimeoutSeconds: 2 })] });
    const id = world.start(workflow([simple('a')]));
    world.pass(2000);
    expect(world.status(id)).toBe('TIMED_OUT');
    const reason =
      'Task poll timed out after 2 seconds. Poll timeout configured as 2 seconds. Timeout policy configured to TIME_OUT_WF';
    expect([world.task(id, 'a').reason, world.reason(id)]).toEqual([reason, reason]);
    expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual([]);
  });

  it('count the start delay twice in a poll timeout', () => {
    const world = new World({ taskDefs: [taskDef('a', { pollTimeoutSeconds: 5 })] });
    const id = world.start(workflow([simple('a', { startDelay: 10 })]));
    world.pass(24_999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('measure a task timeout from the first hand-out and retry with RETRY', () => {
    const def = taskDef('a', {
      timeoutSeconds: 5,
      responseTimeoutSeconds: 5,
      timeoutPolicy: 'RETRY',
      retryCount: 1,
    });
    const world = new World({ taskDefs: [def] });
    const id = world.start(workflow([simple('a')]));
    world.pass(60_000);
    world.poll('a');
    world.pass(3000);
    world.report(id, 'a', 'IN_PROGRESS');
    world.poll('a');
    world.pass(2000);
    expect(world.list(id)).toEqual(['1 a a TIMED_OUT retried', '2 a a SCHEDULED #1']);
  });

  it('retry after a response timeout whatever the policy, and end TIMED_OUT without attempts left', () => {
    const def = taskDef('a', {
      responseTimeoutSeconds: 1,
      timeoutPolicy: 'ALERT_ONLY',
      retryCount: 1,
    });
    const world = new World({ taskDefs: [def] });
    const id = world.start(workflow([simple('a')]));
    const endLease = (): void => {
      world.pass(1000);
      const task = world.poll('a');
      world.pass(1000);
      world.command(id, { kind: 'end-lease', taskNumber: task?.number ?? 0, reopenCount: 0 });
    };
    endLease();
    expect(world.list(id)).toEqual(['1 a a TIMED_OUT retried', '2 a a SCHEDULED #1']);
    endLease();
    expect(world.status(id)).toBe('TIMED_OUT');
    expect(world.reason(id)).toBe(
      "Task <a> failed with status: TIMED_OUT and reason: 'responseTimeout: 1 exceeded for the taskId: <a> with Task Definition: a'",
    );
  });

  it('keep a lease that its worker extends', () => {
    const world = new World({ taskDefs: [taskDef('a', { responseTimeoutSeconds: 10 })] });
    const id = world.start(workflow([simple('a')]));
    const task = world.poll('a');
    world.pass(9000);
    world.report(id, 'a', 'IN_PROGRESS', { ignored: true }, { extendLease: true });
    world.pass(1000);
    const end = world.command(id, {
      kind: 'end-lease',
      taskNumber: task?.number ?? 0,
      reopenCount: 0,
    });
    expect(end.kind).toBe('not-wanted');
    expect(world.task(id, 'a').status).toBe('IN_PROGRESS');
    expect(world.outputOf(id, 'a')).toEqual({});
  });

  it('end a lease that stands in the record at its time', () => {
    const world = new World({ taskDefs: [taskDef('a', { responseTimeoutSeconds: 10 })] });
    const id = world.start(workflow([simple('a')]));
    const lease = { number: 7 };
    world.command(id, { kind: 'claim-task', taskNumber: 1, reopenCount: 0, workerId: 'w', lease });
    expect(world.task(id, 'a').lease).toEqual({ number: 7, endAt: startOfTime + 10_000 });
    world.pass(10_000);
    expect(world.task(id, 'a').status).toBe('TIMED_OUT');
  });

  it('rest while paused and fire on resume', () => {
    const world = new World({ taskDefs: [taskDef('a', { pollTimeoutSeconds: 2 })] });
    const id = world.start(workflow([simple('a')]));
    world.command(id, { kind: 'pause' });
    world.pass(60_000);
    expect(world.status(id)).toBe('PAUSED');
    world.command(id, { kind: 'resume' });
    expect(world.status(id)).toBe('TIMED_OUT');
  });
});

describe('the end of a failed execution', () => {
  const failing = workflow([simple('a')], { failureWorkflow: 'clean', outputParameters: { n: 1 } });
  const clean = workflow(
    [taskOf('SET_VARIABLE', 's', { inputParameters: { seen: '${workflow.input}' } })],
    {
      name: 'clean',
    },
  );

  it('starts the failure workflow and names it in the output', () => {
    const world = new World({ taskDefs: [taskDef('a')], workflowDefs: [clean] });
    const id = world.start(failing, { k: 'v' });
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'no' });
    const started = world.output(id)['conductor.failure_workflow'] as never;
    expect(world.output(id)).toEqual({ n: 1, 'conductor.failure_workflow': started });
    expect(world.status(started)).toBe('COMPLETED');
    const input = world.open(started).execution.input.value;
    expect(Object.keys(input).sort()).toEqual(
      ['failedWorkflow', 'failureStatus', 'failureTaskId', 'k', 'reason', 'workflowId'].sort(),
    );
  });

  it('writes why the failure workflow could not start', () => {
    const world = new World({ taskDefs: [taskDef('a')] });
    const id = world.start(failing);
    world.report(id, 'a', 'FAILED');
    expect(world.output(id)['conductor.failure_workflow']).toContain(
      'No such workflow defined. name=clean',
    );
  });

  it('starts none for a caller unless asked for', () => {
    for (const triggerFailureWorkflow of [false, true]) {
      const world = new World({ workflowDefs: [clean] });
      const id = world.start(failing);
      world.command(id, {
        kind: 'terminate',
        reason: 'enough',
        triggerFailureWorkflow,
        byParent: false,
      });
      expect(world.status(id)).toBe('TERMINATED');
      expect('conductor.failure_workflow' in world.output(id)).toBe(triggerFailureWorkflow);
      expect(world.list(id)).toEqual(['1 a a CANCELED']);
      expect(world.reason(id)).toBe('enough');
    }
  });
});

describe('an optional task that failed', () => {
  it('is stored as COMPLETED_WITH_ERRORS also when what follows it ends the execution', () => {
    // The world compares what decisions call their changes with the records after each command;
    // here every item is a step of its own.
    const world = new World({ limits: { itemsPerStepMax: 1 } });
    const id = world.start(
      workflow([
        taskOf('LAMBDA', 'a', {
          optional: true,
          inputParameters: { scriptExpression: 'nope()' },
        }),
        taskOf('DYNAMIC', 'b', { dynamicTaskNameParam: 'name' }),
      ]),
    );
    expect(world.list(id)).toEqual(['1 a LAMBDA COMPLETED_WITH_ERRORS']);
    expect(world.status(id)).toBe('FAILED');
  });
});
