// Semantics 4.10 to 4.22: children, waits and the other tasks of the engine, rule by rule. HTTP and
// EVENT themselves are shown in test/system-task and test/server.
import { describe, expect, it } from 'vitest';
import type { Json, JsonMap } from '../../src/model/json.js';
import {
  begin,
  child,
  inline,
  named,
  noRetries,
  openRefs,
  picture,
  result,
  setVariable,
  simple,
  startOfTime,
  taskOf,
  tell,
  terminateTask,
  World,
} from './support.js';

describe('4.10 SUB_WORKFLOW', () => {
  const inner = named('inner', [simple('a')]);

  it('4.10.1 the record input has eight keys, null when not given', () => {
    const { world, id } = begin([child('c', 'inner', { inputParameters: { n: 1 } })], {
      workflowDefs: [inner],
    });
    expect(world.inputOf(id, 'c')).toEqual({
      subWorkflowName: 'inner', subWorkflowVersion: 1, priority: null, subWorkflowTaskToDomain: null, subWorkflowDefinition: null,
      idempotencyKey: null, idempotencyStrategy: null, workflowInput: { n: 1 },
    }); // prettier-ignore
  });

  it('4.10.1 the version that a dynamic fork leaves open is the latest', () => {
    const branch = { name: 'b', taskReferenceName: 'b', type: 'SUB_WORKFLOW' };
    const { world, id } = begin(
      [
        taskOf('FORK_JOIN_DYNAMIC', 'f', {
          dynamicForkTasksParam: 'tasks',
          dynamicForkTasksInputParamName: 'inputs',
          inputParameters: {
            tasks: [{ ...branch, subWorkflowParam: { name: 'inner' } }],
            inputs: {},
          },
        }),
        taskOf('JOIN', 'j'),
      ],
      { workflowDefs: [inner, { ...inner, version: 3 }] },
    );
    expect(world.inputOf(id, 'b')).toMatchObject({ subWorkflowVersion: 3 });
  });

  it('4.10.1 without subWorkflowParam the workflow ends FAILED', () => {
    const { world, id } = begin([taskOf('SUB_WORKFLOW', 'c')]);
    expect([world.status(id), picture(world, id)]).toEqual(['FAILED', []]);
  });

  it('4.10.2 correlationId, domains and parent references reach the child', () => {
    const world = new World({ workflowDefs: [inner] });
    const id = world.start(
      named('wf', [child('c', 'inner')]),
      {},
      { correlationId: 'c7', taskToDomain: { a: 'east' } },
    );
    expect(world.open(world.child(id, 'c')).execution.attributes).toMatchObject({
      correlationId: 'c7',
      taskToDomain: { a: 'east' },
      parentWorkflowId: id,
      parentTaskNumber: 1,
    });
  });

  it('4.10.3 subWorkflowId stands on the record and in its output', () => {
    const { world, id } = begin([child('c', 'inner')], { workflowDefs: [inner] });
    expect(world.outputOf(id, 'c')).toEqual({ subWorkflowId: world.child(id, 'c') });
  });

  it('4.10.5 an external update ends it', () => {
    const { world, id } = begin([child('c', 'inner'), simple('z')], { workflowDefs: [inner] });
    world.report(id, 'c', 'COMPLETED');
    expect(openRefs(world, id)).toEqual(['z']);
  });

  it('4.10.9 variables are not shared', () => {
    const { world, id } = begin([setVariable('v', { k: 1 }), child('c', 'inner')], {
      workflowDefs: [inner],
    });
    expect(world.open(world.child(id, 'c')).execution.variables.value).toEqual({});
  });
});

describe('4.11 START_WORKFLOW', () => {
  const inner = named('inner', [simple('a')]);
  const starting = (startWorkflow: JsonMap): JsonMap[] => [
    taskOf('START_WORKFLOW', 's', { inputParameters: { startWorkflow } }),
  ];

  it('4.11 completes with the id of what it started, without a parent link', () => {
    const { world, id } = begin(
      starting({ name: 'inner', version: 1, input: { n: '${workflow.input.n}' } }),
      { workflowDefs: [inner], input: { n: 2 } },
    );
    const started = world.outputOf(id, 's')['workflowId'] as typeof id;
    expect([world.status(id), world.status(started)]).toEqual(['COMPLETED', 'RUNNING']);
    expect(world.open(started).execution.input.value).toEqual({ n: 2 });
    expect(world.open(started).execution.attributes.parentWorkflowId).toBeUndefined();
  });

  it.each<[string, JsonMap]>([['missing', {}], ['without a name', { input: {} }], ['unknown', { name: 'gone' }]])(
    '4.11 %s: FAILED', (_name, startWorkflow) => {
      const { world, id } = begin(starting(startWorkflow), { workflowDefs: [inner] });
      expect([world.task(id, 's').status, world.status(id)]).toEqual(['FAILED', 'FAILED']);
    },
  ); // prettier-ignore
});

describe('4.13 WAIT', () => {
  const wait = (inputParameters: JsonMap): JsonMap[] => [taskOf('WAIT', 'w', { inputParameters })];

  it.each<[string, number]>([
    ['2 days 3 hours 4 minutes 5 seconds', 183845], ['1d2h', 93600], ['90 seconds', 90], ['5S', 5], ['1 hr 30 mins', 5400], ['0 seconds', 0],
  ])('4.13 duration %s is %d s', (duration, seconds) => {
    const { world, id } = begin(wait({ duration }));
    expect(world.task(id, 'w')).toMatchObject({ status: 'IN_PROGRESS', waitUntilAt: startOfTime + seconds * 1000, callbackAfterSeconds: seconds });
  }); // prettier-ignore

  it('4.13 completes strictly after its time, with empty output and pollCount 1', () => {
    const { world, id } = begin(wait({ duration: '5 seconds' }));
    world.pass(5000);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.task(id, 'w')).toMatchObject({
      status: 'COMPLETED',
      pollCount: 1,
      callbackAfterSeconds: 5,
    });
    expect(world.outputOf(id, 'w')).toEqual({});
  });

  it.each(['2027-01-15 08:00', '2027-01-15 08:00 GMT+00:00', '2027-01-15 08:00 UTC', '2027-01-16'])(
    '4.13 until %s',
    (until) => {
      const { world, id } = begin(wait({ until }));
      expect([world.task(id, 'w').status, world.task(id, 'w').waitUntilAt > 0]).toEqual([
        'IN_PROGRESS',
        true,
      ]);
    },
  );

  it('4.13 without input it waits for an update, callbackAfterSeconds 2147483647', () => {
    const { world, id } = begin(wait({}));
    expect(world.task(id, 'w')).toMatchObject({ waitUntilAt: 0, callbackAfterSeconds: 2147483647 });
    tell(world, id, {
      kind: 'update-task',
      task: { ref: 'w' },
      result: result('COMPLETED', { n: 1 }),
      mergeOutput: true,
    });
    expect([
      world.status(id),
      world.outputOf(id, 'w'),
      world.task(id, 'w').callbackAfterSeconds,
    ]).toEqual(['COMPLETED', { n: 1 }, 2147483647]);
  });

  it.each<JsonMap>([{ duration: 'soon' }, { until: 'tomorrow' }, { duration: '1s', until: '2030-01-01' }])(
    '4.13 %j is FAILED_WITH_TERMINAL_ERROR', (input) => {
      const { world, id } = begin(wait(input));
      expect([picture(world, id), world.status(id)]).toEqual([['w FAILED_WITH_TERMINAL_ERROR'], 'FAILED']);
    },
  ); // prettier-ignore

  it('4.13 an update ends it early, an IN_PROGRESS one postpones the look at it', () => {
    const early = begin(wait({ duration: '1 hour' }));
    early.world.report(early.id, 'w', 'COMPLETED', { early: true });
    expect(early.world.output(early.id)).toEqual({ early: true });
    const { world, id } = begin(wait({ duration: '5 seconds' }));
    world.report(id, 'w', 'IN_PROGRESS', {}, { callbackAfterSeconds: 60 });
    world.pass(59_999);
    expect([world.status(id), world.task(id, 'w').waitUntilAt]).toEqual([
      'RUNNING',
      startOfTime + 5000,
    ]);
    world.pass(1);
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('4.14 SET_VARIABLE and 4.15 HUMAN', () => {
  it('4.14 every key replaces a variable, null too, and the next task of the same decide sees it', () => {
    const { world, id } = begin(
      [
        setVariable('v', { a: { new: 1 }, n: null }),
        inline('i', '$.a.new', { a: '${workflow.variables.a}' }),
      ],
      { def: { variables: { a: { old: 1 }, kept: 1 } } },
    );
    expect(world.open(id).execution.variables.value).toEqual({ a: { new: 1 }, n: null, kept: 1 });
    expect([world.outputOf(id, 'v'), world.outputOf(id, 'i')]).toEqual([{}, { result: 1 }]);
  });

  it('4.15 HUMAN waits for whoever updates it', () => {
    const { world, id } = begin(
      [taskOf('HUMAN', 'h', { inputParameters: { form: '${workflow.input.n}' } }), simple('z')],
      { input: { n: 1 } },
    );
    expect(world.inputOf(id, 'h')).toEqual({ form: 1 });
    world.pass(1_000_000_000);
    expect(openRefs(world, id)).toEqual(['h']);
    world.report(id, 'h', 'FAILED');
    expect(world.status(id)).toBe('FAILED');
  });
});

describe('4.17 INLINE and LAMBDA', () => {
  const run = (
    type: string,
    inputParameters: JsonMap,
  ): { status: string; reason: string | undefined; output: JsonMap } => {
    const { world, id } = begin([taskOf(type, 'x', { inputParameters })]);
    const { status, reason } = world.task(id, 'x');
    return { status, reason, output: world.outputOf(id, 'x') };
  };

  it.each<[JsonMap, Json]>([
    [{ evaluatorType: 'javascript', expression: '$.n * 2', n: 21 }, 42],
    [{ expression: '(function(){ return {a: [$.n]}; })()', n: 1 }, { a: [1] }],
    [{ evaluatorType: 'graaljs', expression: 'null' }, null],
    [{ evaluatorType: 'value-param', expression: 'k', k: [1] }, [1]],
  ])('4.17 INLINE %j gives %j', (input, value) => {
    expect(run('INLINE', input)).toMatchObject({ status: 'COMPLETED', output: { result: value } });
  }); // prettier-ignore

  it.each<JsonMap>([
    { evaluatorType: 'javascript', expression: "throw new Error('bang')" },
    { evaluatorType: 'ruby', expression: '1' },
    { evaluatorType: 'javascript', expression: ' ' },
    { evaluatorType: 'javascript' },
  ])('4.17 INLINE %j is FAILED_WITH_TERMINAL_ERROR with reason and output.error', (input) => {
    const { status, reason, output } = run('INLINE', input);
    expect([status, output['error']]).toEqual(['FAILED_WITH_TERMINAL_ERROR', reason]);
    expect(reason).toBeTruthy();
  }); // prettier-ignore

  it('4.17 the text of an error is that of the reference', () => {
    expect(
      run('INLINE', { evaluatorType: 'javascript', expression: "throw new Error('bang')" }).reason,
    ).toBe('Error evaluating the script `Error: bang`');
    expect(run('INLINE', { evaluatorType: 'javascript', expression: 'nope' }).reason).toMatch(
      /^Error evaluating the script `ReferenceError: .*` at line 1$/,
    );
  });

  it('4.17 LAMBDA uses return, and every error is FAILED', () => {
    expect(run('LAMBDA', { scriptExpression: 'return $.n + 1', n: 1 })).toMatchObject({
      status: 'COMPLETED',
      output: { result: 2 },
    });
    expect(run('LAMBDA', { scriptExpression: 'nope' }).status).toBe('FAILED');
    expect(run('LAMBDA', {}).status).toBe('FAILED');
  });
});

describe('4.18 to 4.22', () => {
  it('4.18 JSON_JQ_TRANSFORM: result and resultList; a bad or missing query is FAILED', () => {
    const good = begin([
      taskOf('JSON_JQ_TRANSFORM', 'q', {
        inputParameters: { queryExpression: '.a.b', a: { b: 7 } },
      }),
    ]);
    expect(good.world.outputOf(good.id, 'q')).toEqual({ result: 7, resultList: [7] });
    for (const inputParameters of [{ queryExpression: '.[' }, {}] as JsonMap[]) {
      const bad = begin([taskOf('JSON_JQ_TRANSFORM', 'q', { inputParameters })]);
      expect([
        bad.world.task(bad.id, 'q').status,
        bad.world.outputOf(bad.id, 'q')['error'],
      ]).toEqual(['FAILED', bad.world.task(bad.id, 'q').reason]);
    }
  });

  it.each<[Json, JsonMap]>([[{ a: 1 }, { a: 1 }], ['text', { output: 'text' }], [[1], { output: [1] }], [null, {}]])(
    '4.19 TERMINATE with workflowOutput %j gives %j', (workflowOutput, output) => {
      const { world, id } = begin([terminateTask('t', 'COMPLETED', { workflowOutput })]);
      expect(world.output(id)).toEqual(output);
    },
  ); // prettier-ignore

  it('4.19 another terminationStatus fails the task', () => {
    const { world, id } = begin([terminateTask('t', '${workflow.input.s}')], {
      input: { s: 'PAUSED' },
    });
    expect(world.task(id, 't')).toMatchObject({
      status: 'FAILED',
      reason: 'given termination status is not valid',
    });
    expect(world.status(id)).toBe('FAILED');
  });

  it('4.20 NOOP has no input and no output', () => {
    const { world, id } = begin([taskOf('NOOP', 'n', { inputParameters: { a: 1 } })]);
    expect([world.inputOf(id, 'n'), world.outputOf(id, 'n'), world.status(id)]).toEqual([
      {},
      {},
      'COMPLETED',
    ]);
  });

  it('4.22 PULL_WORKFLOW_MESSAGES waits for a message, takes at most batchSize in push order', () => {
    const pull = (ref: string, inputParameters: JsonMap = {}): JsonMap =>
      taskOf('PULL_WORKFLOW_MESSAGES', ref, { inputParameters });
    const { world, id } = begin([
      pull('one'),
      pull('two', { batchSize: 2 }),
      pull('rest', { blocking: false, batchSize: 5 }),
    ]);
    const push = (n: number): void =>
      tell(world, id, { kind: 'push-message', id: `m${n}`, payload: { n } });
    expect(openRefs(world, id)).toEqual(['one']);
    push(1);
    expect(world.outputOf(id, 'one')).toMatchObject({
      count: 1,
      messages: [{ id: 'm1', workflowId: id, payload: { n: 1 } }],
    });
    push(2);
    expect(world.outputOf(id, 'two')).toMatchObject({ count: 1 });
    expect(world.outputOf(id, 'rest')).toEqual({ count: 0, messages: [] });
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('4.22 a message that came before is taken at once', () => {
    const { world, id } = begin(
      [simple('a'), taskOf('PULL_WORKFLOW_MESSAGES', 'p', { inputParameters: { batchSize: 2 } })],
      { taskDefs: noRetries('a') },
    );
    for (const n of [1, 2, 3])
      tell(world, id, { kind: 'push-message', id: `m${n}`, payload: { n } });
    world.work('a');
    expect(world.outputOf(id, 'p')).toMatchObject({
      count: 2,
      messages: [{ payload: { n: 1 } }, { payload: { n: 2 } }],
    });
  });
});
