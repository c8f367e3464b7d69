// Forks, joins, switches and loops with workers inside (semantics 4.3 to 4.9), their cost, and what
// stops an execution that grows without end.
import { describe, expect, it } from 'vitest';
import type { Json, JsonMap } from '../../src/model/json.js';
import { toWorkflowJson } from '../../src/model/workflow-json.js';
import { simple, taskOf, workflow, World } from './support/world.js';

const noRetry = (name: string): JsonMap => ({ name, retryCount: 0 });
const fork = (...branches: JsonMap[][]): JsonMap =>
  taskOf('FORK_JOIN', 'f', { forkTasks: branches });
const join = (...joinOn: string[]): JsonMap => taskOf('JOIN', 'j', { joinOn });

describe('a fork', () => {
  it('joins when the last branch is through, with the outputs that are not empty', () => {
    const world = new World();
    const id = world.start(
      workflow([fork([simple('a'), simple('a2')], [simple('b')]), join('a2', 'b'), simple('c')]),
    );
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a SCHEDULED',
      '3 b b SCHEDULED',
      '4 j JOIN IN_PROGRESS',
    ]);
    world.work('b', { x: 1 });
    expect(world.outputOf(id, 'j')).toEqual({ b: { x: 1 } });
    world.work('a');
    world.work('a2');
    expect(world.list(id).slice(3)).toEqual([
      '4 j JOIN COMPLETED',
      '5 a2 a2 COMPLETED',
      '6 c c SCHEDULED',
    ]);
    expect(world.outputOf(id, 'j')).toEqual({ b: { x: 1 } });
  });

  it('cancels its siblings when a required branch fails', () => {
    const world = new World({ taskDefs: [noRetry('a')] });
    const id = world.start(workflow([fork([simple('a')], [simple('b')]), join('a', 'b')]));
    world.report(id, 'a', 'FAILED');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a FAILED',
      '3 b b CANCELED',
      '4 j JOIN CANCELED',
    ]);
  });

  it('joins with errors over an optional failure', () => {
    const world = new World({ taskDefs: [noRetry('a')] });
    const id = world.start(
      workflow([fork([simple('a', { optional: true })], [simple('b')]), join('a', 'b')]),
    );
    world.report(id, 'a', 'FAILED', { k: 1 });
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
    const { status, reason } = world.task(id, 'j');
    expect([status, reason?.replace(/\/.*? /, '/<id> ')]).toEqual([
      'COMPLETED_WITH_ERRORS',
      'a/<id> completed with errors',
    ]);
    expect(world.outputOf(id, 'j')).toEqual({ a: { k: 1 } });
  });

  it('waits for all permissive branches before it fails', () => {
    const world = new World({ taskDefs: [noRetry('a'), noRetry('b')] });
    const id = world.start(
      workflow([
        fork([simple('a', { permissive: true })], [simple('b', { permissive: true })]),
        join('a', 'b'),
        simple('c'),
      ]),
    );
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'why' });
    expect(world.status(id)).toBe('RUNNING');
    world.work('b');
    expect([world.status(id), world.task(id, 'j').status, world.task(id, 'j').reason]).toEqual([
      'FAILED',
      'FAILED',
      'why',
    ]);
  });

  it('does not fail its join over an attempt that is retried', () => {
    const world = new World({ taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }] });
    const id = world.start(workflow([fork([simple('a')], [simple('b')]), join('a', 'b')]));
    world.work('b');
    world.report(id, 'a', 'FAILED');
    expect(world.task(id, 'j').status).toBe('IN_PROGRESS');
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('lets the script of a join decide', () => {
    const world = new World();
    const script = taskOf('JOIN', 'j', {
      joinOn: ['a', 'b'],
      evaluatorType: 'js',
      expression:
        "$.a && $.a.status === 'COMPLETED' ? {status: 'COMPLETED', outputData: {first: $.a.outputData.x}} : false",
    });
    const id = world.start(workflow([fork([simple('a')], [simple('b')]), script, simple('c')]));
    world.work('b');
    expect(world.task(id, 'j').status).toBe('IN_PROGRESS');
    world.work('a', { x: 3 });
    expect(world.outputOf(id, 'j')).toEqual({ first: 3, joinOn: ['a', 'b'] });
    expect(world.task(id, 'c').status).toBe('SCHEDULED');
  });

  it('joins an exclusive one on the branch that was taken', () => {
    const world = new World();
    const choice = taskOf('SWITCH', 's', {
      evaluatorType: 'value-param',
      expression: 'k',
      inputParameters: { k: '${workflow.input.k}' },
      decisionCases: { x: [simple('x1')], y: [simple('y1')] },
    });
    const exclusive = taskOf('EXCLUSIVE_JOIN', 'e', { joinOn: ['x1', 'y1'] });
    const id = world.start(workflow([choice, exclusive]), { k: 'y' });
    world.work('y1', { v: 1 });
    expect([world.status(id), world.outputOf(id, 'e')]).toEqual(['COMPLETED', { v: 1 }]);
  });

  it('without a join after it ends the execution', () => {
    const world = new World();
    const id = world.start(workflow([fork([simple('a')]), simple('c')]));
    expect([world.status(id), world.list(id)]).toEqual(['FAILED', []]);
  });
});

describe('a dynamic fork', () => {
  const dynamic = taskOf('FORK_JOIN_DYNAMIC', 'f', {
    inputParameters: { t: '${workflow.input.t}', i: '${workflow.input.i}' },
    dynamicForkTasksParam: 't',
    dynamicForkTasksInputParamName: 'i',
  });

  it('keeps the task definitions it found and gives each branch its input', () => {
    const world = new World({ taskDefs: [{ name: 'x', retryCount: 1, retryDelaySeconds: 0 }] });
    const id = world.start(workflow([dynamic, taskOf('JOIN', 'j')]), {
      t: [
        simple('x'),
        taskOf('SUB_WORKFLOW', 'y', { name: 'y', subWorkflowParam: { name: 'nope' } }),
      ].slice(0, 1),
      i: { x: { q: '${workflow.input.later}', p: 1 } },
      later: 5,
    });
    world.register({ name: 'x', retryCount: 0 });
    expect(world.inputOf(id, 'x')).toEqual({ q: 5, p: 1 });
    world.report(id, 'x', 'FAILED');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 x x FAILED retried',
      '3 j JOIN IN_PROGRESS',
      '4 x x SCHEDULED #1',
    ]);
    world.work('x', { done: true });
    expect([world.status(id), world.outputOf(id, 'j')]).toEqual([
      'COMPLETED',
      { x: { done: true } },
    ]);
    expect(world.inputOf(id, 'f')).toMatchObject({
      forkedTasks: ['x'],
      forkedTaskDefs: [{ name: 'x' }],
    });
  });

  it('waits for the branch that a SWITCH among its tasks chose', () => {
    const world = new World();
    const choice = taskOf('SWITCH', 's', {
      evaluatorType: 'value-param',
      expression: 'k',
      inputParameters: { k: 'one' },
      decisionCases: { one: [simple('inner')] },
    });
    const id = world.start(workflow([dynamic, taskOf('JOIN', 'j')]), {
      t: [choice, simple('x')],
      i: {},
    });
    expect(world.list(id).slice(1)).toEqual([
      '2 s SWITCH COMPLETED',
      '3 inner inner SCHEDULED',
      '4 x x SCHEDULED',
      '5 j JOIN IN_PROGRESS',
    ]);
    expect(world.inputOf(id, 'j')).toEqual({ joinOn: ['inner', 'x'] });
    world.work('x');
    world.work('inner');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it.each([
    [{ t: [simple('x'), simple('x')], i: {} }, 'duplicate task reference name x'],
    [{ t: [{ name: 'x' }], i: {} }, "Input 't' is invalid"],
    [{ t: [simple('x')], i: 'no map' }, 'Input to the dynamically forked tasks is not a map'],
  ])('refuses %o', (input, reason) => {
    const world = new World();
    const id = world.start(workflow([dynamic, taskOf('JOIN', 'j')]), input);
    expect([world.status(id), world.list(id)]).toEqual(['FAILED', []]);
    expect(world.reason(id)).toContain(reason);
  });

  it('understands the old form, and names a second fork of the same task after itself', () => {
    const world = new World();
    const old = taskOf('FORK_JOIN_DYNAMIC', 'o', {
      inputParameters: {
        d: {
          dynamicTasks: [{ taskName: 'x', referenceName: 'x9', type: 'SIMPLE', input: { k: 1 } }],
        },
      },
      dynamicForkJoinTasksParam: 'd',
    });
    const same = taskOf('FORK_JOIN_DYNAMIC', 'g', {
      inputParameters: { forkTaskInputs: [{ a: 1 }, 7], forkTaskName: 'w' },
    });
    const id = world.start(workflow([old, taskOf('JOIN', 'j1'), same, taskOf('JOIN', 'j2')]));
    expect(world.inputOf(id, 'x9')).toEqual({ k: 1 });
    world.work('x');
    expect(world.list(id).slice(4, 6)).toEqual(['5 _g_w_0 w SCHEDULED', '6 _g_w_1 w SCHEDULED']);
    expect([world.inputOf(id, '_g_w_0'), world.inputOf(id, '_g_w_1')]).toEqual([
      { a: 1, __index: 0 },
      { input: 7, __index: 1 },
    ]);
  });

  it('repeats in a loop with the suffix of the iteration', () => {
    const world = new World();
    const loop = taskOf('DO_WHILE', 'l', {
      loopCondition: "$.l['iteration'] < 2",
      loopOver: [dynamic, taskOf('JOIN', 'j')],
    });
    const id = world.start(workflow([loop]), {
      t: [simple('x'), taskOf('SET_VARIABLE', 'v')],
      i: {},
    });
    world.work('x', { n: 1 });
    world.work('x', { n: 2 });
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.outputOf(id, 'l')).toMatchObject({
      iteration: 2,
      2: { j: { x__2: { n: 2 } }, x: { n: 2 } },
    });
  });
});

describe('a loop', () => {
  it('retries a member inside its iteration and goes on', () => {
    const world = new World({ taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }] });
    const loop = taskOf('DO_WHILE', 'l', { loopCondition: '$.a.go', loopOver: [simple('a')] });
    const id = world.start(workflow([loop, simple('z')]));
    world.report(id, 'a__1', 'FAILED');
    world.work('a', { go: true });
    world.work('a', { go: false });
    expect(world.list(id)).toEqual([
      '1 l DO_WHILE COMPLETED',
      '2 a__1 a FAILED retried',
      '3 a__1 a COMPLETED #1',
      '4 a__2 a COMPLETED',
      '5 z z SCHEDULED',
    ]);
  });

  it('goes through items, which members read without the whole output', () => {
    const world = new World();
    const loop = taskOf('DO_WHILE', 'l', {
      items: '${workflow.input.xs}',
      loopOver: [
        simple('a', { inputParameters: { x: '${l.output.loopItem}', n: '${l.output.iteration}' } }),
      ],
    });
    const id = world.start(workflow([loop]), { xs: ['p', null] });
    expect(world.inputOf(id, 'a__1')).toEqual({ x: 'p', n: 1 });
    world.work('a');
    expect(world.inputOf(id, 'a__2')).toEqual({ x: null, n: 2 });
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('over no items completes at once', () => {
    const world = new World();
    const loop = taskOf('DO_WHILE', 'l', {
      items: '${workflow.input.xs}',
      loopOver: [simple('a')],
    });
    const id = world.start(workflow([loop, simple('z')]), { xs: [] });
    expect([world.list(id), world.outputOf(id, 'l')]).toEqual([
      ['1 l DO_WHILE COMPLETED', '2 z z SCHEDULED'],
      { iteration: 0 },
    ]);
  });

  it('inside a loop is refused', () => {
    const world = new World();
    const inner = taskOf('DO_WHILE', 'in', { loopCondition: 'false', loopOver: [simple('a')] });
    const id = world.start(
      workflow([taskOf('DO_WHILE', 'l', { loopCondition: 'false', loopOver: [inner] })]),
    );
    expect([world.status(id), world.reason(id)]).toEqual([
      'FAILED',
      'A loop inside a loop is not supported: put in into a sub-workflow',
    ]);
  });

  it('inside a dynamic branch finds its members', () => {
    const world = new World();
    const dynamic = taskOf('FORK_JOIN_DYNAMIC', 'f', {
      inputParameters: { t: '${workflow.input.t}', i: {} },
      dynamicForkTasksParam: 't',
      dynamicForkTasksInputParamName: 'i',
    });
    const loop = taskOf('DO_WHILE', 'l', {
      loopCondition: "$.l['iteration'] < 2",
      loopOver: [simple('a'), simple('b')],
    });
    const id = world.start(workflow([dynamic, taskOf('JOIN', 'j')]), { t: [loop] });
    for (const type of ['a', 'b', 'a', 'b']) world.work(type);
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.list(id).at(-1)).toBe('7 b__2 b COMPLETED');
  });
});

describe('the definition that an execution shows', () => {
  const set = (ref: string): JsonMap =>
    taskOf('SET_VARIABLE', ref, { inputParameters: { [ref]: 1 } });
  const shown = (world: World, id: ReturnType<World['start']>): Json => {
    const text = toWorkflowJson(world.open(id).execution);
    return (JSON.parse(text) as { workflowDefinition: { variables: Json } }).workflowDefinition
      .variables;
  };

  it('has the variables set by the start itself, and none that come after a JOIN', () => {
    const world = new World({ reloads: false });
    const id = world.start(workflow([set('a'), fork([set('b')]), join('b'), set('c')]));
    expect(world.open(id).execution.variables.value).toEqual({ a: 1, b: 1, c: 1 });
    expect(shown(world, id)).toEqual({ a: 1, b: 1 });
  });

  it('has none that come after a worker', () => {
    const world = new World({ reloads: false });
    const id = world.start(workflow([set('a'), simple('w'), set('b')]));
    world.work('w');
    expect(shown(world, id)).toEqual({ a: 1 });
  });
});

describe('large executions', () => {
  const inline = (ref: string): JsonMap =>
    taskOf('SET_VARIABLE', ref, { inputParameters: { n: 1 } });

  it('end FAILED at the limit of tasks, by name', () => {
    const world = new World({ limits: { tasksPerExecutionMax: 20 }, reloads: false });
    const loop = taskOf('DO_WHILE', 'l', { loopCondition: 'true', loopOver: [inline('a')] });
    const id = world.start(workflow([loop]));
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toBe(
      'The execution has reached the limit of 20 tasks (tasksPerExecutionMax)',
    );
  });

  it('go on in steps of bounded size and lose nothing when opened again between them', () => {
    const world = new World({ limits: { itemsPerStepMax: 7 } });
    const loop = taskOf('DO_WHILE', 'l', {
      loopCondition: "$.l['iteration'] < 50",
      loopOver: [inline('a'), inline('b')],
    });
    const id = world.start(workflow([loop, simple('z')]));
    expect(world.steps).toBeGreaterThan(50);
    expect([world.task(id, 'l').iteration, world.task(id, 'z').status]).toEqual([50, 'SCHEDULED']);
    expect(world.open(id).execution.state.unsettled).toBe(false);
  });

  it('fork and cancel ten thousand branches without a step that does it all', () => {
    const world = new World({ limits: { itemsPerStepMax: 1000 }, reloads: false });
    const same = taskOf('FORK_JOIN_DYNAMIC', 'g', {
      inputParameters: { forkTaskInputs: '${workflow.input.xs}', forkTaskName: 'w' },
    });
    const id = world.start(workflow([same, taskOf('JOIN', 'j')]), {
      xs: Array.from({ length: 10_000 }, (_, n) => n),
    });
    expect(world.steps).toBeGreaterThanOrEqual(10);
    expect(world.open(id).openTasks.size).toBe(10_001);
    world.command(id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    expect([world.open(id).openTasks.size, world.status(id)]).toEqual([0, 'TERMINATED']);
  });

  it('give others a turn between what looks at all branches: the JOIN and the end', () => {
    const stepsOfLastReport = (branches: number): number => {
      const world = new World({ limits: { itemsPerStepMax: 10 }, reloads: false });
      const same = taskOf('FORK_JOIN_DYNAMIC', 'g', {
        inputParameters: { forkTaskInputs: '${workflow.input.xs}', forkTaskName: 'w' },
      });
      const id = world.start(workflow([same, taskOf('JOIN', 'j')]), {
        xs: Array.from({ length: branches }, (_, n) => n),
      });
      for (let n = 1; n < branches; n++) world.work('w');
      const before = world.steps;
      world.work('w');
      expect(world.status(id)).toBe('COMPLETED');
      return world.steps - before;
    };
    expect(stepsOfLastReport(300)).toBe(stepsOfLastReport(10) + 1);
  });

  it('cost the same per task whether large or small', () => {
    const perTaskMs = (size: number): number => {
      const world = new World({ reloads: false });
      const same = taskOf('FORK_JOIN_DYNAMIC', 'g', {
        inputParameters: { forkTaskInputs: '${workflow.input.xs}', forkTaskName: 'w' },
      });
      const id = world.start(workflow([same, taskOf('JOIN', 'j')]), {
        xs: Array.from({ length: size }, (_, n) => n),
      });
      const { tasks } = world.open(id).execution;
      const begin = performance.now();
      for (let n = 1; n <= size; n++) {
        world.settle(id, {
          kind: 'update-task',
          task: { taskNumber: tasks[n]?.number ?? 0 },
          result: {
            status: 'COMPLETED',
            output: world.open(id).execution.output,
            callbackAfterSeconds: 0,
            extendLease: false,
          },
          mergeOutput: false,
        });
      }
      expect(world.status(id)).toBe('COMPLETED');
      return (performance.now() - begin) / size;
    };
    perTaskMs(1000);
    const small = perTaskMs(1000);
    expect(perTaskMs(20_000)).toBeLessThan(Math.max(small, 0.005) * 6);
  });
});
