// Rerun and restart of ended executions (semantics 1.5.5, 1.5.7, 1.6).
import { describe, expect, it } from 'vitest';
import type { ExecutionId } from '../../../src/std/ids.js';
import type { JsonMap } from '../../../src/model/json.js';
import { simple, taskOf, workflow, World } from '../support/world.js';

const noRetries = (...names: string[]): JsonMap[] => names.map((name) => ({ name, retryCount: 0 }));

function rerun(world: World, id: ExecutionId, ref: string, more: JsonMap = {}): void {
  const { number } = world.task(id, ref);
  expect(world.command(id, { kind: 'rerun', taskNumber: number, ...more }).kind).toBe('ok');
}

const chain = workflow([simple('a'), simple('b'), simple('c')]);

describe('a rerun from the beginning', () => {
  it('drops all records, takes new input and shows the old output meanwhile', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'c') });
    const id = world.start(chain, { n: 1 });
    world.work('a', { e: 1 }, 'FAILED');
    world.now += 500;
    world.command(id, { kind: 'rerun', workflowInput: { n: 2 }, correlationId: 'other' });
    expect(world.list(id)).toEqual(['1 a a SCHEDULED']);
    const { state, input, output, attributes } = world.open(id).execution;
    expect(state).toMatchObject({
      status: 'RUNNING',
      lastRetriedTime: world.now,
      reRunFromWorkflowId: id,
      generation: 2,
      taskCounter: 2,
      failedReferenceTaskNames: [],
      failedTaskNames: [],
    });
    expect(state.reasonForIncompletion).toBeUndefined();
    expect(input.value).toEqual({ n: 2 });
    expect(attributes.correlationId).toBe('other');
    expect(output.value).toEqual({ e: 1 });
  });
});

describe('a rerun from a task', () => {
  it('keeps id, seq and retryCount, raises the reopenCount number and drops what came later', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'c') });
    const id = world.start(chain);
    for (const name of ['a', 'b', 'c']) world.work(name);
    expect(world.status(id)).toBe('COMPLETED');
    const before = { ...world.task(id, 'b') };
    world.now += 100;
    rerun(world, id, 'b', { taskInput: { over: 1 } });
    expect(world.list(id)).toEqual(['1 a a COMPLETED', '2 b b SCHEDULED']);
    expect(world.task(id, 'b')).toMatchObject({
      number: before.number,
      seq: 2,
      retryCount: 0,
      reopenCount: before.reopenCount + 1,
      pollCount: 0,
      startAt: 0,
      endAt: 0,
      scheduledAt: world.now,
      executed: false,
    });
    expect(world.inputOf(id, 'b')).toEqual({ over: 1 });
    const stale = world.command(id, {
      kind: 'claim-task',
      taskNumber: before.number,
      reopenCount: before.reopenCount,
      workerId: 'w',
    });
    expect(stale.kind).toBe('not-wanted');
    expect(world.poll('b')?.pollCount).toBe(1);
    world.report(id, 'b', 'COMPLETED');
    expect(world.list(id).at(-1)).toBe('3 c c SCHEDULED');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('works with a skipped record in the execution', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'c') });
    const id = world.start(chain);
    world.command(id, { kind: 'skip-task', ref: 'b' });
    world.work('a');
    world.work('c');
    rerun(world, id, 'a');
    expect(world.list(id)).toEqual(['0 b b SKIPPED', '1 a a SCHEDULED']);
    world.work('a');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('refuses unknown and skipped tasks and running executions', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'c') });
    const id = world.start(chain);
    expect(world.command(id, { kind: 'rerun' })).toMatchObject({
      error: {
        kind: 'conflict',
        message: `Workflow: wf.1/${id}.RUNNING is not in terminal state, unable to rerun.`,
      },
    });
    world.command(id, { kind: 'skip-task', ref: 'b' });
    world.work('a', {}, 'FAILED');
    expect(world.command(id, { kind: 'rerun', taskNumber: 99 })).toMatchObject({
      error: { kind: 'bad-request' },
    });
    const skipped = world.task(id, 'b').number;
    expect(world.command(id, { kind: 'rerun', taskNumber: skipped })).toMatchObject({
      error: { kind: 'bad-request' },
    });
  });

  it('in one branch of a fork leaves earlier ones, repairs failed ones and waits at the JOIN', () => {
    const world = new World({ taskDefs: noRetries('a', 'a2', 'b', 'b2', 'z') });
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', {
          forkTasks: [
            [simple('a'), simple('a2')],
            [simple('b'), simple('b2')],
          ],
        }),
        taskOf('JOIN', 'j', { joinOn: ['a2', 'b2'] }),
        simple('z'),
      ]),
    );
    for (const name of ['a', 'b', 'a2', 'b2', 'z']) world.work(name);
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a COMPLETED',
      '3 b b COMPLETED',
      '4 j JOIN COMPLETED',
      '5 a2 a2 COMPLETED',
      '6 b2 b2 COMPLETED',
      '7 z z COMPLETED',
    ]);
    rerun(world, id, 'a2');
    // b2 came later: it goes, and its predecessor makes it again.
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a COMPLETED',
      '3 b b COMPLETED',
      '4 j JOIN IN_PROGRESS',
      '5 a2 a2 SCHEDULED',
      '6 b2 b2 SCHEDULED',
    ]);
    for (const name of ['a2', 'b2', 'z']) world.work(name);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('from the head of a branch makes the later heads and the JOIN again', () => {
    const world = new World({ taskDefs: noRetries('a', 'b', 'c') });
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [simple('b')], [simple('c')]] }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'b', 'c'] }),
      ]),
    );
    world.work('a');
    world.work('b', {}, 'FAILED');
    rerun(world, id, 'b');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a COMPLETED',
      '3 b b SCHEDULED',
      '4 c c SCHEDULED',
      '5 j JOIN IN_PROGRESS',
    ]);
    world.work('b');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('from a static FORK runs every branch again', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [simple('b')]] }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'b'] }),
      ]),
    );
    world.work('a');
    world.work('b');
    rerun(world, id, 'f');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a SCHEDULED',
      '3 b b SCHEDULED',
      '4 j JOIN IN_PROGRESS',
    ]);
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('from a dynamic FORK expands it again from current data', () => {
    const world = new World({ taskDefs: noRetries('a', 'x', 'y') });
    const id = world.start(
      workflow([
        simple('a'),
        taskOf('FORK_JOIN_DYNAMIC', 'f', {
          dynamicForkTasksParam: 'tasks',
          dynamicForkTasksInputParamName: 'inputs',
          inputParameters: { tasks: '${workflow.input.tasks}', inputs: {} },
        }),
        taskOf('JOIN', 'j'),
      ]),
      { tasks: [simple('x')] },
    );
    world.work('a');
    world.work('x');
    expect(world.status(id)).toBe('COMPLETED');
    const fork = world.task(id, 'f').number;
    rerun(world, id, 'f', { workflowInput: { tasks: [simple('x'), simple('y')] } });
    expect(world.task(id, 'f').number).not.toBe(fork);
    expect(world.list(id)).toEqual([
      '1 a a COMPLETED',
      '2 f FORK COMPLETED',
      '3 x x SCHEDULED',
      '4 y y SCHEDULED',
      '5 j JOIN IN_PROGRESS',
    ]);
    world.work('x');
    world.work('y');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('from a branch of a dynamic fork keeps the fork', () => {
    const world = new World({ taskDefs: noRetries('x', 'y') });
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN_DYNAMIC', 'f', {
          dynamicForkTasksParam: 'tasks',
          dynamicForkTasksInputParamName: 'inputs',
          inputParameters: { tasks: [simple('x'), simple('y')], inputs: {} },
        }),
        taskOf('JOIN', 'j'),
      ]),
    );
    world.work('x');
    world.work('y', {}, 'FAILED');
    rerun(world, id, 'y');
    world.work('y', { k: 1 });
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.outputOf(id, 'j')).toEqual({ y: { k: 1 } });
  });

  it('of a SWITCH chooses its branch again', () => {
    const world = new World({ taskDefs: noRetries('a', 'b') });
    const id = world.start(
      workflow([
        taskOf('SWITCH', 's', {
          evaluatorType: 'value-param',
          expression: 'k',
          inputParameters: { k: '${workflow.input.k}' },
          decisionCases: { x: [simple('a')], y: [simple('b')] },
        }),
      ]),
      { k: 'x' },
    );
    world.work('a');
    rerun(world, id, 's', { workflowInput: { k: 'y' } });
    expect(world.list(id)).toEqual(['1 s SWITCH COMPLETED', '2 b b SCHEDULED']);
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('of a DO_WHILE starts at iteration 1', () => {
    const world = new World({ taskDefs: noRetries('m') });
    const id = world.start(
      workflow([
        taskOf('DO_WHILE', 'l', { loopCondition: "$.l['iteration'] < 2", loopOver: [simple('m')] }),
      ]),
    );
    world.work('m');
    world.work('m');
    expect(world.status(id)).toBe('COMPLETED');
    rerun(world, id, 'l');
    expect(world.list(id)).toEqual(['1 l DO_WHILE IN_PROGRESS', '2 m__1 m SCHEDULED']);
    world.work('m');
    world.work('m');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('of a loop member goes on in its iteration, with its item', () => {
    const world = new World({ taskDefs: noRetries('m', 'n', 'z') });
    const id = world.start(
      workflow([
        taskOf('DO_WHILE', 'l', {
          items: ['one', 'two', 'three'],
          loopOver: [
            simple('m'),
            simple('n', { inputParameters: { item: '${l.output.loopItem}' } }),
          ],
        }),
        simple('z'),
      ]),
    );
    for (let i = 0; i < 3; i++) {
      world.work('m');
      world.work('n');
    }
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
    rerun(world, id, 'm__2');
    expect(world.task(id, 'l')).toMatchObject({ status: 'IN_PROGRESS', iteration: 2 });
    world.work('m');
    expect(world.inputOf(id, 'n__2')).toEqual({ item: 'two' });
    world.work('n');
    world.work('m');
    expect(world.list(id).at(-1)).toMatch(/ n__3 n SCHEDULED$/);
    world.work('n');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('of a JOIN in a loop, a WAIT and an INLINE evaluates them anew', () => {
    const world = new World();
    const id = world.start(
      workflow([
        taskOf('INLINE', 'i', {
          inputParameters: {
            expression: '$.n + 1',
            evaluatorType: 'javascript',
            n: '${workflow.input.n}',
          },
        }),
        taskOf('WAIT', 'w', { inputParameters: { duration: '10 seconds' } }),
      ]),
      { n: 1 },
    );
    world.pass(11_000);
    expect(world.status(id)).toBe('COMPLETED');
    rerun(world, id, 'i', { workflowInput: { n: 5 } });
    expect(world.outputOf(id, 'i')).toEqual({ result: 6 });
    world.pass(11_000);
    expect(world.status(id)).toBe('COMPLETED');
    const at = world.now;
    rerun(world, id, 'w');
    expect(world.task(id, 'w')).toMatchObject({
      status: 'IN_PROGRESS',
      pollCount: 0,
      callbackAfterSeconds: 10,
      waitUntilAt: at + 10_000,
    });
  });

  it('makes an older attempt the newest again', () => {
    const world = new World({
      taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }, ...noRetries('b')],
    });
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [simple('b'), simple('c')]] }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'c'] }),
      ]),
    );
    world.work('b');
    world.work('a', {}, 'FAILED');
    world.work('a', {}, 'FAILED');
    expect(world.list(id).slice(1)).toEqual([
      '2 a a FAILED retried',
      '3 b b COMPLETED',
      '4 j JOIN CANCELED',
      '5 c c CANCELED',
      '6 a a FAILED #1',
    ]);
    rerun(world, id, 'b');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a SCHEDULED',
      '3 b b SCHEDULED',
      '4 j JOIN IN_PROGRESS',
    ]);
    world.work('a');
    world.work('b');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('a rerun of sub-workflows', () => {
  const grandchild = { name: 'grandchild', version: 1, tasks: [simple('g'), simple('h')] };
  const child = {
    name: 'child',
    version: 1,
    tasks: [taskOf('SUB_WORKFLOW', 'c', { subWorkflowParam: { name: 'grandchild', version: 1 } })],
  };
  const parent = workflow([
    taskOf('FORK_JOIN', 'f', {
      forkTasks: [
        [taskOf('SUB_WORKFLOW', 'p', { subWorkflowParam: { name: 'child', version: 1 } })],
        [simple('s')],
      ],
    }),
    taskOf('JOIN', 'j', { joinOn: ['p', 's'] }),
  ]);

  it('starts a new child under the same record and leaves parallel branches', () => {
    const world = new World({
      taskDefs: noRetries('g', 'h', 's'),
      workflowDefs: [grandchild, child],
    });
    const id = world.start(parent);
    const first = world.child(id, 'p');
    for (const name of ['s', 'g', 'h']) world.work(name);
    expect(world.status(id)).toBe('COMPLETED');
    const record = world.task(id, 'p').number;
    rerun(world, id, 'p');
    expect(world.task(id, 'p')).toMatchObject({ number: record, status: 'IN_PROGRESS' });
    expect(world.child(id, 'p')).not.toBe(first);
    expect(world.task(id, 's').status).toBe('COMPLETED');
    world.work('g');
    world.work('h');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('from a task of a grandchild runs the whole chain again', () => {
    const world = new World({
      taskDefs: noRetries('g', 'h', 's'),
      workflowDefs: [grandchild, child],
    });
    const id = world.start(parent);
    const middle = world.child(id, 'p');
    const deepest = world.child(middle, 'c');
    for (const name of ['s', 'g', 'h']) world.work(name);
    rerun(world, deepest, 'g');
    expect([id, middle, deepest].map((each) => world.status(each))).toEqual([
      'RUNNING',
      'RUNNING',
      'RUNNING',
    ]);
    expect(world.list(deepest)).toEqual(['1 g g SCHEDULED']);
    expect(world.task(id, 's').status).toBe('COMPLETED');
    expect(world.task(id, 'p')).toMatchObject({
      status: 'IN_PROGRESS',
      startAt: world.now,
      endAt: 0,
    });
    world.work('g');
    world.work('h');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('leaves the new run alone when a child of the old one moves', () => {
    const world = new World({
      taskDefs: noRetries('g', 'h', 's'),
      workflowDefs: [grandchild, child],
    });
    const id = world.start(parent);
    const old = world.child(id, 'p');
    world.work('s', {}, 'FAILED');
    expect(world.status(old)).toBe('TERMINATED');
    world.command(id, { kind: 'restart' });
    const fresh = world.list(id);
    world.command(old, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.status(old)).toBe('RUNNING');
    expect(world.list(id)).toEqual(fresh);
  });
});

describe('a restart', () => {
  it('starts over under the same id with fresh times, names and variables', () => {
    const world = new World({ taskDefs: noRetries('a') });
    const id = world.start(
      workflow([taskOf('SET_VARIABLE', 'v', { inputParameters: { k: 2 } }), simple('a')], {
        variables: { k: 1 },
      }),
      { n: 1 },
    );
    world.work('a', { e: 1 }, 'FAILED');
    world.now += 1000;
    world.command(id, { kind: 'restart' });
    expect(world.list(id)).toEqual(['1 v SET_VARIABLE COMPLETED', '2 a a SCHEDULED']);
    const { state, output, input } = world.open(id).execution;
    expect(state).toMatchObject({
      status: 'RUNNING',
      createTime: world.now,
      endTime: 0,
      lastRetriedTime: 0,
      failedReferenceTaskNames: [],
      failedTaskNames: [],
      generation: 2,
      taskCounter: 4,
    });
    expect(output.value).toEqual({});
    expect(input.value).toEqual({ n: 1 });
  });

  it('resets variables to those of the definition', () => {
    const world = new World({ taskDefs: noRetries('a') });
    const id = world.start(
      workflow([simple('a'), taskOf('SET_VARIABLE', 'v', { inputParameters: { k: 2 } })], {
        variables: { k: 1 },
      }),
    );
    world.work('a');
    expect(world.open(id).execution.variables.value).toEqual({ k: 2 });
    world.command(id, { kind: 'restart' });
    expect(world.open(id).execution.variables.value).toEqual({ k: 1 });
  });

  it('is refused while running and for a completed one that is not restartable', () => {
    const world = new World({ taskDefs: noRetries('a') });
    const id = world.start(workflow([simple('a')], { restartable: false }));
    expect(world.command(id, { kind: 'restart' })).toMatchObject({
      error: {
        kind: 'conflict',
        message: `Workflow: wf.1/${id}.RUNNING is not in terminal state, unable to restart.`,
      },
    });
    world.work('a');
    expect(world.command(id, { kind: 'restart' })).toMatchObject({ error: { kind: 'not-found' } });
    const failed = world.start(workflow([simple('a')], { restartable: false }));
    world.work('a', {}, 'FAILED');
    expect(world.command(failed, { kind: 'restart' }).kind).toBe('ok');
  });
});
