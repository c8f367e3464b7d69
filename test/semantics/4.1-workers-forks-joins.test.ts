// Semantics 4.0 to 4.6: worker tasks, DYNAMIC, forks and joins, rule by rule.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { taskIdOf } from '../../src/std/ids.js';
import {
  begin,
  child,
  choose,
  dynamicFork,
  fork,
  inline,
  loop,
  named,
  noRetries,
  openRefs,
  picture,
  setVariable,
  simple,
  startOfTime,
  taskOf,
  World,
} from './support.js';

describe('4.0 all types', () => {
  it('4.0.3 asyncComplete leaves a system task in the hands of the outside', () => {
    const { world, id } = begin([taskOf('EVENT', 'e', { sink: 'conductor', asyncComplete: true })]);
    expect(world.inputOf(id, 'e')).toMatchObject({ sink: 'conductor', asyncComplete: true });
  });

  it.each(['SIMPLE', 'HTTP', 'SUB_WORKFLOW', 'START_WORKFLOW'])(
    '4.0.4 startDelay works for %s',
    (type) => {
      const more = {
        startDelay: 5,
        inputParameters: { uri: 'http://x', method: 'GET', startWorkflow: { name: 'inner' } },
        subWorkflowParam: { name: 'inner', version: 1 },
      };
      const { world, id } = begin([taskOf(type, 'x', more)], {
        workflowDefs: [named('inner', [])],
      });
      const task = world.task(id, 'x');
      expect([task.status, task.startDelaySeconds, task.callbackAfterSeconds]).toEqual([
        'SCHEDULED',
        5,
        5,
      ]);
      world.pass(5000);
      if (type === 'SUB_WORKFLOW' || type === 'START_WORKFLOW')
        expect(world.status(id)).toBe('COMPLETED');
      else if (type === 'SIMPLE') expect(world.poll('x')).toBeDefined();
      else
        expect(
          world.outputs.filter(({ output }) => output.kind === 'run-system-task'),
        ).toHaveLength(1);
    },
  );

  it.each(['INLINE', 'NOOP', 'SET_VARIABLE'])('4.0.4 startDelay is ignored by %s', (type) => {
    const { world, id } = begin([
      taskOf(type, 'x', {
        startDelay: 5,
        inputParameters: { evaluatorType: 'javascript', expression: '1' },
      }),
    ]);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('4.0.5 a system task is retried by the definition registered under its name, or by its own retryCount', () => {
    const failing = (more: JsonMap): JsonMap =>
      taskOf('LAMBDA', 'x', { inputParameters: { scriptExpression: 'throw 1' }, ...more });
    const without = begin([failing({})]);
    expect(picture(without.world, without.id)).toEqual(['x FAILED']);
    const registered = begin([failing({})], {
      taskDefs: [{ name: 'x', retryCount: 1, retryDelaySeconds: 0 }],
    });
    expect(picture(registered.world, registered.id)).toEqual(['x FAILED', 'x #1 FAILED']);
    const own = begin([failing({ retryCount: 1 })]);
    expect(own.world.task(own.id, 'x')).toMatchObject({ retryCount: 1, callbackAfterSeconds: 60 });
  });
});

describe('4.1 SIMPLE and user-defined', () => {
  it('4.1 SIMPLE is polled by its name, with limits of its definition', () => {
    const { world, id } = begin([simple('ref', { name: 'work' })], {
      taskDefs: [
        {
          name: 'work',
          responseTimeoutSeconds: 7,
          rateLimitPerFrequency: 2,
          rateLimitFrequencyInSeconds: 3,
        },
      ],
    });
    expect(world.task(id, 'ref')).toMatchObject({
      taskType: 'work', defName: 'work', responseTimeoutSeconds: 7, rateLimitPerFrequency: 2, rateLimitFrequencyInSeconds: 3,
    }); // prettier-ignore
  });

  it('4.1 an unknown type is polled by the text of the type', () => {
    const { world, id } = begin([taskOf('MY_TYPE', 'ref', { name: 'zz' })]);
    expect(world.task(id, 'ref')).toMatchObject({
      taskType: 'MY_TYPE',
      defName: 'zz',
      status: 'SCHEDULED',
    });
    expect(world.poll('MY_TYPE')?.ref).toBe('ref');
  });
});

describe('4.2 DYNAMIC', () => {
  const dynamic = taskOf('DYNAMIC', 'd', {
    dynamicTaskNameParam: 'which',
    inputParameters: { which: '${workflow.input.which}', n: 1 },
  });

  it('4.2 becomes a worker task of the given name, its input includes the name', () => {
    const { world, id } = begin([dynamic], { input: { which: 'work' } });
    expect(world.task(id, 'd')).toMatchObject({
      taskType: 'work',
      defName: 'work',
      status: 'SCHEDULED',
    });
    expect(world.inputOf(id, 'd')).toEqual({ which: 'work', n: 1 });
    world.work('work');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('4.2 null: FAILED without a record', () => {
    const { world, id } = begin([dynamic]);
    expect([picture(world, id), world.status(id)]).toEqual([[], 'FAILED']);
  });

  it('4.2 the name of a system type makes it that type', () => {
    const { world, id } = begin([dynamic, simple('z')], { input: { which: 'SET_VARIABLE' } });
    expect(world.task(id, 'd')).toMatchObject({ taskType: 'SET_VARIABLE', status: 'COMPLETED' });
    expect(world.open(id).execution.variables.value).toEqual({ which: 'SET_VARIABLE', n: 1 });
  });

  it('4.2 in a loop each iteration resolves its name anew; the definition is that of the configuration', () => {
    const task = taskOf('DYNAMIC', 'd', {
      dynamicTaskNameParam: 'which',
      inputParameters: { which: '${workflow.input.names[${l.output.iteration}]}' },
    });
    const { world, id } = begin([loop('l', 2, [task])], {
      input: { names: ['-', 'p', 'q'] },
      taskDefs: [
        { name: 'd', responseTimeoutSeconds: 11 },
        { name: 'q', responseTimeoutSeconds: 22 },
      ],
    });
    world.work('p');
    expect(world.task(id, 'd__2')).toMatchObject({ taskType: 'q', responseTimeoutSeconds: 11 });
    world.work('q');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('4.3 FORK_JOIN', () => {
  it('4.3 where a branch cannot be mapped, nothing is started by the branches before it', () => {
    const inner = named('inner', [simple('x')]);
    const startWorkflow = { name: 'inner', input: {} };
    const unnamed = { dynamicTaskNameParam: 'n', inputParameters: { n: '${workflow.input.n}' } };
    const { world, id } = begin(
      fork('f', [
        [child('c', 'inner')],
        [taskOf('START_WORKFLOW', 's', { inputParameters: { startWorkflow } })],
        [simple('a')],
        [taskOf('DYNAMIC', 'd', unnamed)],
      ]),
      { workflowDefs: [inner] },
    );
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toMatch(/^Cannot map a dynamic task/);
    expect([...world.opens.keys()]).toEqual([id]);
    expect(openRefs(world, id)).toEqual([]);
    expect(world.open(id).execution.outbox.size).toBe(0);
  });

  it('4.3 makes FORK, the first task of each branch, JOIN; later branch tasks as they come', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b'), simple('b2')]]));
    world.work('a');
    world.work('b');
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED', '2 a a COMPLETED', '3 b b COMPLETED', '4 fj JOIN IN_PROGRESS', '5 b2 b2 SCHEDULED',
    ]); // prettier-ignore
  });

  it('4.3 the record has the evaluated parameters, no output, start and end at once', () => {
    const [forkTask, join] = fork('f', [[simple('a')]]) as [JsonMap, JsonMap];
    const { world, id } = begin(
      [{ ...forkTask, inputParameters: { n: '${workflow.input.n}' } }, join],
      { input: { n: 3 } },
    );
    expect([world.inputOf(id, 'f'), world.outputOf(id, 'f')]).toEqual([{ n: 3 }, {}]);
    expect(world.task(id, 'f')).toMatchObject({
      startAt: startOfTime,
      endAt: startOfTime,
      defName: 'FORK',
    });
  });

  it('4.3 without a JOIN behind it the workflow ends FAILED', () => {
    const { world, id } = begin([
      taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')]] }),
      simple('z'),
    ]);
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toMatch(/^Fork task definition is not followed by a join task/);
  });

  it('4.3 an empty branch counts as joined', () => {
    const { world, id } = begin([
      ...fork('f', [[simple('a')], []], { joinOn: ['a'] }),
      simple('z'),
    ]);
    world.work('a');
    expect(openRefs(world, id)).toEqual(['z']);
  });

  it('4.3 a branch that starts with a SWITCH has its chosen task at once', () => {
    const { world, id } = begin(
      fork('f', [[choose('s', 'x', { x: [simple('a')] }), simple('e')], [simple('b')]]),
    );
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      's COMPLETED',
      'a SCHEDULED',
      'b SCHEDULED',
      'fj IN_PROGRESS',
    ]);
  });
});

describe('4.4 JOIN', () => {
  it('4.4.1 its input is joinOn only, in a loop without suffix', () => {
    const { world, id } = begin([loop('l', 1, fork('f', [[simple('a')]]))]);
    expect(world.inputOf(id, 'fj__1')).toEqual({ joinOn: ['a'] });
  });

  it('4.4.3 partial outputs of running tasks are visible, empty ones leave no key', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]));
    world.report(id, 'a', 'IN_PROGRESS', { part: 1 });
    expect(world.outputOf(id, 'fj')).toEqual({ a: { part: 1 } });
  });

  it('4.4.4 with an optional failure: COMPLETED_WITH_ERRORS and the reason of the reference', () => {
    const { world, id } = begin(
      [...fork('f', [[simple('a', { optional: true })], [simple('b')]]), simple('z')],
      { taskDefs: noRetries('a') },
    );
    world.work('a', {}, 'FAILED');
    world.work('b');
    const { status, reason } = world.task(id, 'fj');
    expect([status, reason]).toEqual([
      'COMPLETED_WITH_ERRORS',
      `a/${taskIdOf(id, world.task(id, 'a').number)} completed with errors`,
    ]);
  });

  it('4.4.5 of a dynamic fork ignores a configured joinOn', () => {
    const [forkTask, join] = dynamicFork('f', [simple('a'), simple('b')], {}) as [JsonMap, JsonMap];
    const { world, id } = begin([forkTask, { ...join, joinOn: ['a'] }]);
    world.work('a');
    expect(world.task(id, 'fj').status).toBe('IN_PROGRESS');
  });

  it('4.4.7 on a task in the middle of a branch the flow goes on while the rest of the branch runs', () => {
    const { world, id } = begin([
      ...fork('f', [[simple('a'), simple('a2')], [simple('b')]], { joinOn: ['a', 'b'] }),
      simple('z'),
    ]);
    world.work('a');
    world.work('b');
    expect(openRefs(world, id)).toEqual(['a2', 'z']);
    world.work('z');
    expect(world.status(id)).toBe('RUNNING');
    world.work('a2');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('4.4 on a reference that a caller skipped counts it as done', () => {
    const { world, id } = begin(fork('f', [[simple('a'), simple('a2')], [simple('b')]]));
    world.command(id, { kind: 'skip-task', ref: 'a2' });
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  describe('4.4.9 with a script', () => {
    const branches = [[simple('a', { optional: true })], [simple('b', { optional: true })]];
    const scripted = (expression: string): JsonMap[] => [
      ...fork('f', branches, { join: { evaluatorType: 'js', expression } }),
      simple('z'),
    ];

    it('true completes it, anything else waits for the next change', () => {
      const { world, id } = begin(
        scripted("$.a && $.a.status == 'COMPLETED' && $.a.outputData.ok == true"),
      );
      expect(world.task(id, 'fj').status).toBe('IN_PROGRESS');
      world.work('a', { ok: true });
      expect(world.task(id, 'fj').status).toBe('COMPLETED');
      expect(world.outputOf(id, 'fj')).toMatchObject({ a: { ok: true }, joinOn: ['a', 'b'] });
      expect(openRefs(world, id)).toEqual(['b', 'z']);
    });

    it('an object gives status, reason and output', () => {
      const script =
        "$.a.status == 'COMPLETED' ? ({status: 'FAILED', reasonForIncompletion: 'no', outputData: {x: 1}}) : false";
      const { world, id } = begin(scripted(script));
      world.work('a');
      expect(world.task(id, 'fj')).toMatchObject({ status: 'FAILED', reason: 'no' });
      expect(world.outputOf(id, 'fj')).toEqual({ x: 1, joinOn: ['a', 'b'] });
      expect(world.status(id)).toBe('FAILED');
    });

    it('without joinOn it sees the end of each branch', () => {
      const last = "$.joinOn.every((ref) => $[ref] && $[ref].status == 'COMPLETED')";
      const { world, id } = begin([
        ...fork('f', [[simple('a'), simple('a2')], [simple('b')]], {
          joinOn: [],
          join: { evaluatorType: 'js', expression: last },
        }),
      ]);
      world.work('a');
      world.work('b', { n: 2 });
      expect(world.task(id, 'fj').status).toBe('IN_PROGRESS');
      world.work('a2', { n: 1 });
      expect(world.outputOf(id, 'fj')).toEqual({ a2: { n: 1 }, b: { n: 2 }, joinOn: ['a2', 'b'] });
      expect(world.status(id)).toBe('COMPLETED');
    });

    it('a script that fails fails the JOIN', () => {
      const { world, id } = begin(scripted('nope.x'));
      world.work('a');
      expect([world.task(id, 'fj').status, world.status(id)]).toEqual(['FAILED', 'FAILED']);
    });
  });
});

describe('4.5 FORK_JOIN_DYNAMIC', () => {
  const form1 = (input: JsonMap, more: JsonMap = {}): JsonMap[] => [
    taskOf('FORK_JOIN_DYNAMIC', 'f', { inputParameters: input, ...more }),
    taskOf('JOIN', 'fj'),
  ];

  it('4.5.2 form 1 names branches _<forkTaskName>_<i>, default the reference of the fork', () => {
    const { world, id } = begin(form1({ forkTaskInputs: [{}, {}] }));
    expect(picture(world, id).slice(1, 3)).toEqual(['_f_0 SCHEDULED', '_f_1 SCHEDULED']);
    expect(world.task(id, '_f_0').taskType).toBe('f');
  });

  it('4.5.2 a branch that nobody has defined shows the limits of a default definition, and none itself', () => {
    const { world, id } = begin(form1({ forkTaskName: 'undefined_one', forkTaskInputs: [{}] }));
    const branch = world.task(id, '_undefined_one_0');
    expect(branch).toMatchObject({
      responseTimeoutSeconds: 3600,
      rateLimitPerFrequency: 0,
      rateLimitFrequencyInSeconds: 1,
    });
    expect(branch.config.taskDefinition).toBeUndefined();
  });

  it('4.5.2 form 1 with a system type names them after the type', () => {
    const { world, id } = begin(
      form1({ forkTaskType: 'SET_VARIABLE', forkTaskInputs: [{ a: 1 }, { b: 2 }] }),
    );
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      '_SET_VARIABLE_0 COMPLETED',
      '_SET_VARIABLE_1 COMPLETED',
      'fj COMPLETED',
    ]);
    expect(world.open(id).execution.variables.value).toMatchObject({ a: 1, b: 2 });
  });

  it('4.5.2 form 1 names its branches after the fork when another dynamic fork came before', () => {
    const { world, id } = begin([
      ...dynamicFork('g', [], {}),
      ...form1({ forkTaskName: 'w', forkTaskInputs: [{}] }),
    ]);
    expect(picture(world, id)).toContain('_f_w_0 SCHEDULED');
  });

  it('4.5.2 the input of a branch is the element, or {input: element}, with __index', () => {
    const { world, id } = begin(
      form1({ forkTaskName: 'w', forkTaskInputs: [{ a: 1 }, 'text', [1], null] }),
    );
    expect([0, 1, 2, 3].map((i) => world.inputOf(id, `_w_${i}`))).toEqual([
      { a: 1, __index: 0 }, { input: 'text', __index: 1 }, { input: [1], __index: 2 }, { input: null, __index: 3 },
    ]); // prettier-ignore
  });

  it('4.5.2 keys of an element that are configuration fields set them, optional of the fork is copied', () => {
    const { world, id } = begin(
      form1({ forkTaskName: 'w', forkTaskInputs: [{ retryCount: 0 }] }, { optional: true }),
    );
    expect(world.task(id, '_w_0').config).toMatchObject({ retryCount: 0, optional: true });
  });

  it.each([1, '1', 'x', undefined])(
    '4.5.2 forkTaskWorkflow with version %s makes sub-workflows',
    (version) => {
      const inner = { name: 'inner', version: 1, tasks: [simple('a')] };
      const input: JsonMap = {
        forkTaskName: 'w',
        forkTaskWorkflow: 'inner',
        forkTaskInputs: [{ n: 1, taskToDomain: { a: 'east' } }],
      };
      if (version !== undefined) input['forkTaskWorkflowVersion'] = version;
      const { world, id } = begin(form1(input), { workflowDefs: [inner] });
      expect(world.task(id, '_w_0')).toMatchObject({
        taskType: 'SUB_WORKFLOW',
        status: 'IN_PROGRESS',
      });
      const { execution } = world.open(world.child(id, '_w_0'));
      expect(execution.input.value).toMatchObject({ n: 1, __index: 0 });
      expect(execution.attributes.taskToDomain).toEqual({ a: 'east' });
    },
  );

  it('4.5.2 with forkTaskWorkflow the branches are named, and retried, as the workflow', () => {
    const inner = { name: 'inner', version: 1, tasks: [simple('a')] };
    const form = { forkTaskName: 'w', forkTaskWorkflow: 'inner', forkTaskInputs: [{}] };
    const { world, id } = begin(form1(form), {
      workflowDefs: [inner],
      taskDefs: [{ name: 'w', retryCount: 2, retryDelaySeconds: 0 }, ...noRetries('a')],
    });
    expect(world.task(id, '_w_0')).toMatchObject({ defName: 'inner', config: { name: 'inner' } });
    expect(world.task(id, '_w_0').config.taskDefinition).toBeUndefined();
    world.report(world.child(id, '_w_0'), 'a', 'FAILED');
    expect(picture(world, id)).toEqual(['f COMPLETED', '_w_0 FAILED', 'fj CANCELED']);
  });

  it('4.5 form 2 merges the input of a reference over the parameters of its element', () => {
    const list = [simple('a', { inputParameters: { p: 1, q: 1 } }), simple('b')];
    const { world, id } = begin(dynamicFork('f', list, { a: { q: 2 } }));
    expect([world.inputOf(id, 'a'), world.inputOf(id, 'b')]).toEqual([{ p: 1, q: 2 }, {}]);
  });

  it('4.5 form 3 reads dynamicTasks', () => {
    const task = taskOf('FORK_JOIN_DYNAMIC', 'f', {
      dynamicForkJoinTasksParam: 'd',
      inputParameters: {
        d: {
          dynamicTasks: [{ taskName: 'w', referenceName: 'r', type: 'SIMPLE', input: { n: 1 } }],
        },
      },
    });
    const { world, id } = begin([task, taskOf('JOIN', 'fj')]);
    expect([world.task(id, 'r').taskType, world.inputOf(id, 'r')]).toEqual(['w', { n: 1 }]);
    world.work('w', { o: 1 });
    expect(world.output(id)).toEqual({ r: { o: 1 } });
  });

  const form2 = { dynamicForkTasksParam: 't', dynamicForkTasksInputParamName: 'i' };
  it.each<[string, JsonMap, RegExp]>([
    ['form 2 without a list', { ...form2, inputParameters: { i: {} } }, /^Input 't' is invalid\. Cannot deserialize a list of Workflow Tasks from 'null'$/],
    ['form 2 with an element without reference', { ...form2, inputParameters: { t: [{ name: 'x' }], i: {} } }, /^Input 't' is invalid/],
    ['form 2 with inputs that are no map', { ...form2, inputParameters: { t: [], i: 'x' } }, /^Input to the dynamically forked tasks is not a map/],
    ['form 3 with null', { dynamicForkJoinTasksParam: 'd', inputParameters: { d: null } }, /^Dynamic tasks could not be created/],
    ['form 2 without inputs', { ...form2, inputParameters: { t: [simple('x')] } }, /not a map -> expecting a map of K,V {2}but found null$/],
    ['form 2 with an input that is no map', { ...form2, inputParameters: { t: [simple('x')], i: { x: 'text' } } }, /invalid input: that of x is not a map/],
    ['a branch named like the fork', { ...form2, inputParameters: { t: [simple('f')], i: {} } }, /duplicate task reference name f/],
    ['a reference twice', { ...form2, inputParameters: { t: [simple('x'), simple('x')], i: {} } }, /duplicate task reference name/],
  ])('4.5.3 %s ends the workflow without a record', (_name, more, reason) => {
    const { world, id } = begin([taskOf('FORK_JOIN_DYNAMIC', 'f', more), taskOf('JOIN', 'fj')]);
    expect([world.status(id), picture(world, id)]).toEqual(['FAILED', []]);
    expect(world.reason(id)).toMatch(reason);
  }); // prettier-ignore

  it('4.5.3 without a JOIN behind it', () => {
    const { world, id } = begin([
      taskOf('FORK_JOIN_DYNAMIC', 'f', { ...form2, inputParameters: { t: [], i: {} } }),
      simple('z'),
    ]);
    expect(world.reason(id)).toMatch(/^Dynamic join definition is not followed by a join task/);
  });

  it('4.5.4 the FORK shows forkedTasks and forkedTaskDefs, the JOIN the last record of each branch', () => {
    const list = [simple('a'), choose('s', 'x', { x: [simple('b')] }), inline('i', '1')];
    const { world, id } = begin(dynamicFork('f', list, { a: { n: 1 } }));
    expect(world.inputOf(id, 'f')['forkedTasks']).toEqual(['a', 's', 'i']);
    expect(world.inputOf(id, 'f')['forkedTaskDefs']).toMatchObject([
      { taskReferenceName: 'a', inputParameters: { n: 1 }, optional: false },
      {},
      {},
    ]);
    expect(world.inputOf(id, 'fj')['joinOn']).toEqual(['a', 'b', 'i']);
  });

  it('4.5.4 the JOIN keeps its own parameters, unevaluated', () => {
    const [forkTask, join] = dynamicFork('f', [simple('a')], {}) as [JsonMap, JsonMap];
    const { world, id } = begin(
      [forkTask, { ...join, inputParameters: { k: '${workflow.input.n}' } }],
      { input: { n: 1 } },
    );
    expect(world.inputOf(id, 'fj')).toEqual({ k: '${workflow.input.n}', joinOn: ['a'] });
  });

  it('4.5.5 branch inputs are evaluated again, unless escaped', () => {
    const { world, id } = begin(dynamicFork('f', [simple('a')], '${workflow.input.i}'), {
      input: { i: { a: { again: '${workflow.input.n}', kept: '$${workflow.input.n}' } }, n: 5 },
    });
    expect(world.inputOf(id, 'a')).toEqual({ again: 5, kept: '${workflow.input.n}' });
  });

  it('4.5.6 definitions are found when the fork is made', () => {
    const world = new World();
    const id = world.start(named('wf', [simple('s'), ...dynamicFork('f', [simple('a')], {})]));
    world.register({ name: 'a', retryCount: 1, retryDelaySeconds: 0 });
    world.work('s');
    world.register({ name: 'a', retryCount: 0, retryDelaySeconds: 0 });
    world.work('a', {}, 'FAILED');
    expect(picture(world, id).at(-1)).toBe('a #1 SCHEDULED');
  });

  it('4.5 a SET_VARIABLE branch and a failing branch: the rest is cancelled', () => {
    const { world, id } = begin(
      dynamicFork('f', [setVariable('v', { n: 1 }), simple('a'), simple('b')], {}),
      { taskDefs: noRetries('a') },
    );
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'v COMPLETED',
      'a FAILED',
      'b CANCELED',
      'fj CANCELED',
    ]);
  });
});

describe('4.6 EXCLUSIVE_JOIN', () => {
  const exclusive = (more: JsonMap = {}): JsonMap =>
    taskOf('EXCLUSIVE_JOIN', 'x', { joinOn: ['a', 'b'], defaultExclusiveJoinTask: ['s'], ...more });

  it('4.6 takes the output of the alternative that ran', () => {
    const { world, id } = begin([
      choose('s', 'b', { a: [simple('a')], b: [simple('b')] }),
      exclusive(),
      simple('z'),
    ]);
    world.work('b', { n: 1 });
    expect(world.inputOf(id, 'x')).toEqual({ joinOn: ['a', 'b'], defaultExclusiveJoinTask: ['s'] });
    expect([world.task(id, 'x').status, world.outputOf(id, 'x')]).toEqual(['COMPLETED', { n: 1 }]);
  });

  it('4.6 falls back to the first existing default', () => {
    const { world, id } = begin([
      choose('s', 'none', { a: [simple('a')], b: [simple('b')] }),
      exclusive(),
      simple('z'),
    ]);
    expect(world.outputOf(id, 'x')).toMatchObject({ selectedCase: 'none' });
  });

  it('4.6 with nothing to take it waits', () => {
    const { world, id } = begin([
      choose('s', 'none', {}),
      exclusive({ defaultExclusiveJoinTask: [] }),
    ]);
    expect([openRefs(world, id), world.status(id)]).toEqual([['x'], 'RUNNING']);
  });

  it('4.6 fails with a permissive candidate that failed', () => {
    const { world, id } = begin(
      [
        choose('s', 'a', { a: [simple('a', { permissive: true })] }),
        exclusive({ joinOn: ['a'] }),
        simple('z'),
      ],
      { taskDefs: noRetries('a') },
    );
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'bad' });
    expect(world.task(id, 'x')).toMatchObject({ status: 'FAILED', reason: 'bad' });
    expect(world.status(id)).toBe('FAILED');
  });

  it('4.6 does not take a skipped one', () => {
    const { world, id } = begin([
      simple('s'),
      choose('t', 'k', { k: [simple('b')] }),
      exclusive({ defaultExclusiveJoinTask: [] }),
    ]);
    world.command(id, { kind: 'skip-task', ref: 'a' });
    world.work('s');
    world.work('b', { n: 2 });
    expect(world.outputOf(id, 'x')).toEqual({ n: 2 });
  });
});
