// Retry of ended executions (semantics 1.5.6), forms A and B.
import { describe, expect, it } from 'vitest';
import { simple, taskOf, workflow, World } from '../support/world.js';

const noRetries = (
  ...names: string[]
): { name: string; retryCount: number; ownerEmail: string }[] =>
  names.map((name) => ({ name, retryCount: 0, ownerEmail: 'a@b.co' }));

const chain = workflow([simple('a'), simple('b')]);

describe('a retry of the failed tasks', () => {
  it('makes a new attempt of the failed task and goes on', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(chain);
    world.work('a');
    world.work('b', { e: 1 }, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    world.now += 1000;
    expect(world.command(id, { kind: 'retry', resumeSubworkflowTasks: false }).kind).toBe('ok');
    expect(world.list(id)).toEqual([
      '1 a a COMPLETED',
      '2 b b FAILED retried',
      '3 b b SCHEDULED #1',
    ]);
    const { state, tasks, output } = world.open(id).execution;
    expect(state).toMatchObject({
      status: 'RUNNING',
      lastRetriedTime: world.now,
      generation: 2,
      failedReferenceTaskNames: ['b'],
    });
    expect(state.reasonForIncompletion).toBeUndefined();
    expect(state.endTime).toBeGreaterThan(0);
    expect(output.value).toEqual({ e: 1 });
    expect(tasks[1]).toMatchObject({ executed: true, retried: true });
    expect(tasks[2]).toMatchObject({
      retriedTaskNumber: tasks[1]?.number,
      pollCount: 0,
      callbackAfterSeconds: 0,
      updateAt: world.now,
      scheduledAt: world.now,
    });
    expect(tasks[2]?.reason).toBeUndefined();
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('counts above the limit, so that one more failure ends the execution at once', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(chain);
    world.work('a', {}, 'FAILED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.list(id)).toEqual(['1 a a FAILED retried', '2 a a FAILED #1']);
  });

  it('is carried out once, though it is sent twice for one generation', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(chain);
    world.work('a', {}, 'FAILED');
    const { generation } = world.open(id).execution.state;
    const retry = { kind: 'retry', resumeSubworkflowTasks: false, generation } as const;
    expect(world.command(id, retry).kind).toBe('ok');
    world.work('a', {}, 'FAILED');
    expect(world.command(id, retry).kind).toBe('ok');
    expect(world.status(id)).toBe('FAILED');
    expect(world.list(id)).toEqual(['1 a a FAILED retried', '2 a a FAILED #1']);
  });

  it('is refused where there is nothing to retry', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(chain);
    const retry = { kind: 'retry', resumeSubworkflowTasks: false } as const;
    expect(world.command(id, retry)).toMatchObject({
      kind: 'refused',
      error: { kind: 'not-found', message: 'Workflow is still running.  status=RUNNING' },
    });
    world.work('a');
    world.work('b');
    expect(world.command(id, retry)).toMatchObject({
      kind: 'refused',
      error: {
        kind: 'conflict',
        message:
          'There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.',
      },
    });
  });

  it('takes a workflow that timed out with nothing cancelled', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start({ ...chain, timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' });
    world.command(id, { kind: 'pause' });
    world.report(id, 'a', 'COMPLETED');
    world.pass(11_000);
    expect(world.status(id)).toBe('TIMED_OUT');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.list(id)).toEqual(['1 a a COMPLETED', '2 b b SCHEDULED']);
    expect(world.status(id)).toBe('RUNNING');
  });

  it('does not take up what failed early and succeeded later', () => {
    const world = new World({
      taskDefs: [...noRetries('b'), { name: 'a', retryCount: 1, retryDelaySeconds: 0 }],
    });
    const id = world.start(chain);
    world.work('a', {}, 'FAILED');
    world.work('a');
    world.work('b', {}, 'FAILED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.list(id).at(-1)).toBe('4 b b SCHEDULED #1');
    expect(world.list(id)).toHaveLength(4);
  });

  it('takes up an optional task that failed last in a completed execution', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(workflow([simple('a'), simple('b', { optional: true })]));
    world.work('a');
    world.work('b', {}, 'FAILED');
    expect(world.status(id)).toBe('COMPLETED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.status(id)).toBe('RUNNING');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('a retry of a fork', () => {
  const fork = workflow([
    taskOf('FORK_JOIN', 'f', {
      forkTasks: [[simple('a')], [simple('b'), simple('b2')], [taskOf('WAIT', 'w')]],
    }),
    taskOf('JOIN', 'j', { joinOn: ['a', 'b2', 'w'] }),
    simple('z'),
  ]);

  it('retries failed and cancelled branches and reopens the JOIN in place', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'b2', 'z') });
    const id = world.start(fork);
    world.work('b');
    world.work('a', {}, 'FAILED');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a FAILED',
      '3 b b COMPLETED',
      '4 w WAIT CANCELED',
      '5 j JOIN CANCELED',
      '6 b2 b2 CANCELED',
    ]);
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a FAILED retried',
      '3 b b COMPLETED',
      '4 w WAIT CANCELED retried',
      '5 j JOIN IN_PROGRESS',
      '6 b2 b2 CANCELED retried',
      '7 a a SCHEDULED #1',
      '8 w WAIT IN_PROGRESS #1',
      '9 b2 b2 SCHEDULED #1',
    ]);
    // As a task shows it that the server looks at again and again; without a timer it still waits
    // for ever.
    expect(world.task(id, 'w').callbackAfterSeconds).toBe(30);
    world.work('a', { x: 1 });
    world.work('b2');
    expect(world.task(id, 'j').status).toBe('IN_PROGRESS');
    world.report(id, 'w', 'COMPLETED');
    expect(world.task(id, 'j').status).toBe('COMPLETED');
    expect(world.outputOf(id, 'j')).toEqual({ a: { x: 1 } });
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('waits again at a JOIN that a permissive branch failed', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'z') });
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', {
          forkTasks: [[simple('a', { permissive: true })], [simple('b')]],
        }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'b'] }),
        simple('z'),
      ]),
    );
    world.work('a', {}, 'FAILED');
    world.work('b');
    expect(world.status(id)).toBe('FAILED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.status(id)).toBe('RUNNING');
    expect(world.task(id, 'j')).toMatchObject({ status: 'IN_PROGRESS', retryCount: 0 });
    world.work('a');
    expect(world.task(id, 'j').status).toBe('COMPLETED');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('of many branches keeps to the budget of a step', () => {
    const branches = 2_000;
    const world = new World({ reloads: false, taskDefs: noRetries('w') });
    const tasks = Array.from({ length: branches }, (_, i) => simple(`w${i}`, { name: 'w' }));
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN_DYNAMIC', 'f', {
          dynamicForkTasksParam: 'tasks',
          dynamicForkTasksInputParamName: 'inputs',
          inputParameters: { tasks: '${workflow.input.tasks}', inputs: {} },
        }),
        taskOf('JOIN', 'j'),
      ]),
      { tasks },
    );
    world.report(id, 'w7', 'FAILED');
    const before = world.steps;
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.steps - before).toBeGreaterThanOrEqual(branches / 500);
    expect(world.open(id).openTasks.size).toBe(branches + 1);
    for (let i = 0; i < branches; i++) world.report(id, `w${i}`, 'COMPLETED');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('a retry inside a loop', () => {
  it('goes on in the iteration that failed', () => {
    const world = new World({ taskDefs: noRetries('m', 'n') });
    const id = world.start(
      workflow([
        taskOf('DO_WHILE', 'l', {
          loopCondition: "$.l['iteration'] < 3",
          loopOver: [simple('m'), simple('n')],
        }),
      ]),
    );
    world.work('m');
    world.work('n');
    world.work('m');
    world.work('n', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.task(id, 'l')).toMatchObject({ status: 'IN_PROGRESS', iteration: 2 });
    world.work('n');
    world.work('m');
    world.work('n');
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.outputOf(id, 'l')).toMatchObject({ iteration: 3 });
  });
});

describe('a retry of a sub-workflow', () => {
  const grandchild = { name: 'grandchild', version: 1, tasks: [simple('g')] };
  const child = {
    name: 'child',
    version: 1,
    tasks: [taskOf('SUB_WORKFLOW', 'c', { subWorkflowParam: { name: 'grandchild', version: 1 } })],
  };
  const parent = workflow([
    taskOf('SUB_WORKFLOW', 'p', { subWorkflowParam: { name: 'child', version: 1 } }),
    simple('z'),
  ]);
  const build = (): World =>
    new World({ taskDefs: noRetries('g', 'z'), workflowDefs: [grandchild, child] });

  it('starts a new child in form A', () => {
    const world = build();
    const id = world.start(parent);
    const first = world.child(id, 'p');
    world.work('g', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.child(id, 'p')).not.toBe(first);
    expect(world.status(first)).toBe('FAILED');
    world.work('g');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('descends to the failed task in form B and reopens every parent', () => {
    const world = build();
    const id = world.start(parent);
    const middle = world.child(id, 'p');
    const deepest = world.child(middle, 'c');
    world.work('g', {}, 'FAILED');
    expect([id, middle, deepest].map((each) => world.status(each))).toEqual([
      'FAILED',
      'FAILED',
      'FAILED',
    ]);
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: true });
    expect([id, middle, deepest].map((each) => world.status(each))).toEqual([
      'RUNNING',
      'RUNNING',
      'RUNNING',
    ]);
    expect(world.child(id, 'p')).toBe(middle);
    expect(world.list(deepest)).toEqual(['1 g g FAILED retried', '2 g g SCHEDULED #1']);
    expect(world.list(middle)).toEqual(['1 c SUB_WORKFLOW IN_PROGRESS']);
    world.work('g');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('stops the descent at the parent when nothing failed in the child', () => {
    const timing = {
      name: 'timing', version: 1, timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF',
      tasks: [taskOf('DYNAMIC', 'd', { dynamicTaskNameParam: 'n', inputParameters: { n: '${workflow.input.n}' } })],
    }; // prettier-ignore
    const world = new World({ taskDefs: noRetries('z'), workflowDefs: [timing] });
    const id = world.start(
      workflow([
        simple('z'),
        taskOf('SUB_WORKFLOW', 'p', { subWorkflowParam: { name: 'timing', version: 1 } }),
      ]),
    );
    world.work('z');
    expect(world.status(id)).toBe('FAILED');
    const first = world.child(id, 'p');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: true });
    expect(world.child(id, 'p')).not.toBe(first);
    expect(world.list(id).slice(1, 3)).toEqual([
      '2 p SUB_WORKFLOW FAILED retried',
      '3 p SUB_WORKFLOW FAILED #1',
    ]);
  });

  it('of the child alone reopens the parents and repairs what was cancelled beside it', () => {
    const world = build();
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', {
          forkTasks: [
            [taskOf('SUB_WORKFLOW', 'p', { subWorkflowParam: { name: 'child', version: 1 } })],
            [taskOf('SUB_WORKFLOW', 'q', { subWorkflowParam: { name: 'grandchild', version: 1 } })],
            [simple('z')],
          ],
        }),
        taskOf('JOIN', 'j', { joinOn: ['p', 'q', 'z'] }),
      ]),
    );
    const middle = world.child(id, 'p');
    const deepest = world.child(middle, 'c');
    const sibling = world.child(id, 'q');
    world.report(deepest, 'g', 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.status(sibling)).toBe('TERMINATED');
    world.command(deepest, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.status(id)).toBe('RUNNING');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 p SUB_WORKFLOW IN_PROGRESS',
      '3 q SUB_WORKFLOW IN_PROGRESS',
      '4 z z SCHEDULED #1',
      '5 j JOIN IN_PROGRESS',
    ]);
    expect(world.status(sibling)).toBe('RUNNING');
    expect(world.list(sibling)).toEqual(['1 g g CANCELED retried', '2 g g SCHEDULED #1']);
    expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual([]);
    world.report(deepest, 'g', 'COMPLETED');
    world.report(sibling, 'g', 'COMPLETED');
    world.report(id, 'z', 'COMPLETED');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('does not touch a parent that passed over an optional child', () => {
    const world = build();
    const id = world.start(
      workflow([
        taskOf('SUB_WORKFLOW', 'p', {
          optional: true,
          subWorkflowParam: { name: 'grandchild', version: 1 },
        }),
        simple('z'),
      ]),
    );
    const child = world.child(id, 'p');
    world.work('g', {}, 'FAILED');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
    world.command(child, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.status(child)).toBe('RUNNING');
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.task(id, 'p').status).toBe('COMPLETED_WITH_ERRORS');
  });
});
