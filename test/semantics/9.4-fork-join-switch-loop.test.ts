// Semantics 9.4: edge cases of fork, join, switch and loop, line by line.
import { describe, expect, it } from 'vitest';
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
  picture,
  retries,
  retry,
  setVariable,
  simple,
  taskOf,
  terminate,
  terminateTask,
  World,
} from './support.js';

const failing = { reasonForIncompletion: 'bad' };

describe('9.4 fork and join', () => {
  it('9.4.79 a required branch fails: the workflow is FAILED at once, siblings and JOIN end CANCELED', () => {
    // The decider ends the workflow before the JOIN is evaluated (4.4.8, observed in 1.5.6).
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]), {
      taskDefs: noRetries('a'),
    });
    world.report(id, 'a', 'FAILED', {}, failing);
    expect(picture(world, id)).toEqual(['f COMPLETED', 'a FAILED', 'b CANCELED', 'fj CANCELED']);
    expect([world.status(id), world.reason(id)]).toEqual([
      'FAILED',
      "Task <a> failed with status: FAILED and reason: 'bad'",
    ]);
  });

  it('9.4.80 an optional branch fails: JOIN COMPLETED_WITH_ERRORS, workflow COMPLETED', () => {
    const { world, id } = begin(fork('f', [[simple('a', { optional: true })], [simple('b')]]), {
      taskDefs: noRetries('a'),
    });
    world.report(id, 'a', 'FAILED', { part: 1 }, failing);
    world.work('b', { n: 2 });
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a COMPLETED_WITH_ERRORS',
      'b COMPLETED',
      'fj COMPLETED_WITH_ERRORS',
    ]);
    expect(world.outputOf(id, 'fj')).toEqual({ a: { part: 1 }, b: { n: 2 } });
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.4.81 permissive branches, one failing: the JOIN waits for all, then FAILED', () => {
    const permissive = { permissive: true };
    const { world, id } = begin(fork('f', [[simple('a', permissive)], [simple('b', permissive)]]), {
      taskDefs: noRetries('a', 'b'),
    });
    world.report(id, 'a', 'FAILED', {}, failing);
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a FAILED',
      'b SCHEDULED',
      'fj IN_PROGRESS',
    ]);
    world.work('b');
    expect(picture(world, id)).toEqual(['f COMPLETED', 'a FAILED', 'b COMPLETED', 'fj FAILED']);
    expect(world.task(id, 'fj').reason).toBe('bad');
    expect(world.status(id)).toBe('FAILED');
  });

  it('9.4.82 sub-workflows of all branches terminated by hand: the parent is TERMINATED, not FAILED', () => {
    const options = { workflowDefs: [named('inner', [simple('a')])] };
    const { world, id } = begin(fork('f', [[child('c', 'inner')], [child('d', 'inner')]]), options);
    terminate(world, world.child(id, 'c'), 'by hand');
    expect(world.status(id)).toBe('TERMINATED');
    const permissive = begin(
      fork('f', [
        [child('c', 'inner', { permissive: true })],
        [child('d', 'inner', { permissive: true })],
      ]),
      options,
    );
    terminate(permissive.world, permissive.world.child(permissive.id, 'c'), 'by hand');
    terminate(permissive.world, permissive.world.child(permissive.id, 'd'), 'by hand');
    expect(picture(permissive.world, permissive.id)).toEqual([
      'f COMPLETED',
      'c CANCELED',
      'd CANCELED',
      'fj CANCELED',
    ]);
    expect(permissive.world.status(permissive.id)).toBe('TERMINATED');
  });

  it('9.4.83 an empty joinOn completes the JOIN at once', () => {
    const { world, id } = begin(fork('f', [[simple('a')]], { joinOn: [] }));
    expect(picture(world, id)).toEqual(['f COMPLETED', 'a SCHEDULED', 'fj COMPLETED']);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.4.84 empty outputs of branches leave no key in the output of the JOIN', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]));
    world.work('a');
    world.work('b', { n: 1 });
    expect(world.outputOf(id, 'fj')).toEqual({ b: { n: 1 } });
  });

  it('9.4.85 a JOIN on a reference of a case not taken waits', () => {
    const branch = [choose('s', 'x', { x: [simple('a')], y: [simple('b')] })];
    const { world, id } = begin(fork('f', [branch], { joinOn: ['b'] }));
    world.work('a');
    expect([world.status(id), picture(world, id).at(-1)]).toEqual(['RUNNING', 'fj IN_PROGRESS']);
  });

  it('9.4.86 a failed attempt with a retry left does not fail the JOIN', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]), {
      taskDefs: retries(1, 'a'),
    });
    world.work('b');
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a FAILED',
      'b COMPLETED',
      'fj IN_PROGRESS',
      'a #1 SCHEDULED',
    ]);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.4.87 the JOIN is noticed with the last branch task, in the same command', () => {
    const { world, id } = begin([...fork('f', [[simple('a')], [simple('b')]]), simple('z')]);
    world.work('a');
    world.work('b');
    expect(picture(world, id).slice(-2)).toEqual(['fj COMPLETED', 'z SCHEDULED']);
  });

  it('9.4.88 no completion of many children at the same moment is lost', () => {
    const list = Array.from({ length: 60 }, (_, i) => child(`c${i}`, 'inner'));
    const { world, id } = begin([...dynamicFork('f', list, {}), simple('z')], {
      workflowDefs: [named('inner', [simple('a')])],
    });
    for (let i = 0; i < 60; i++) world.work('a', { i });
    expect(picture(world, id).slice(-2)).toEqual(['fj COMPLETED', 'z SCHEDULED']);
    expect(Object.keys(world.outputOf(id, 'fj'))).toHaveLength(60);
  });

  it('9.4.89 a dynamic fork over no list: FAILED "Input … is invalid" without a record', () => {
    const { world, id } = begin(dynamicFork('f', 'text', {}));
    expect([world.status(id), picture(world, id)]).toEqual(['FAILED', []]);
    expect(world.reason(id)).toBe(
      "Input 'tasks' is invalid. Cannot deserialize a list of Workflow Tasks from 'text'",
    );
  });

  it('9.4.90 a dynamic fork over an empty list: FORK, JOIN COMPLETED with {}, the flow goes on', () => {
    const { world, id } = begin([...dynamicFork('f', [], {}), simple('z')]);
    expect(picture(world, id)).toEqual(['f COMPLETED', 'fj COMPLETED', 'z SCHEDULED']);
    expect(world.outputOf(id, 'fj')).toEqual({});
  });

  it('9.4.91 the second form-1 fork of the same task name puts its own reference before', () => {
    const form1 = (ref: string): ReturnType<typeof taskOf> =>
      taskOf('FORK_JOIN_DYNAMIC', ref, {
        inputParameters: { forkTaskName: 'w', forkTaskInputs: [{}, {}] },
      });
    const { world, id } = begin([
      form1('f'),
      taskOf('JOIN', 'fj'),
      form1('g'),
      taskOf('JOIN', 'gj'),
    ]);
    expect(picture(world, id).slice(1, 3)).toEqual(['_w_0 SCHEDULED', '_w_1 SCHEDULED']);
    world.work('w');
    world.work('w');
    expect(picture(world, id).slice(5, 7)).toEqual(['_g_w_0 SCHEDULED', '_g_w_1 SCHEDULED']);
  });

  it('9.4.92 a duplicate reference: FAILED, naming it', () => {
    const twice = begin(dynamicFork('f', [simple('x'), simple('x')], {}));
    expect(twice.world.reason(twice.id)).toContain('duplicate task reference name x');
    const existing = begin([simple('x'), ...dynamicFork('f', [simple('x')], {})]);
    existing.world.work('x');
    expect([existing.world.status(existing.id), picture(existing.world, existing.id)]).toEqual([
      'FAILED',
      ['x COMPLETED'],
    ]);
    expect(existing.world.reason(existing.id)).toContain('duplicate task reference name x');
  });

  it('9.4.93 a dynamic SUB_WORKFLOW element may have an empty name', () => {
    const { world, id } = begin(dynamicFork('f', [child('c', 'inner', { name: '' })], {}), {
      workflowDefs: [named('inner', [simple('a')])],
    });
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('9.4 switch', () => {
  it('9.4.94 an empty case means nothing to do for SWITCH, the default for DECISION', () => {
    const asSwitch = begin([choose('s', 'x', { x: [] }, [simple('d')]), simple('z')]);
    expect(picture(asSwitch.world, asSwitch.id)).toEqual(['s COMPLETED', 'z SCHEDULED']);
    const decision = taskOf('DECISION', 's', {
      caseValueParam: 'k', inputParameters: { k: 'x' }, decisionCases: { x: [] }, defaultCase: [simple('d')],
    }); // prettier-ignore
    const asDecision = begin([decision, simple('z')]);
    expect(picture(asDecision.world, asDecision.id)).toEqual(['s COMPLETED', 'd SCHEDULED']);
  });

  it('9.4.95 value-param on a missing input gives the case "null"', () => {
    const { world, id } = begin([
      choose('s', '${workflow.input.gone}', { x: [simple('a')] }, [simple('d')]),
    ]);
    expect(world.outputOf(id, 's')).toEqual({ evaluationResult: ['null'], selectedCase: 'null' });
    expect(picture(world, id)).toEqual(['s COMPLETED', 'd SCHEDULED']);
    const named = begin([choose('s', null, { null: [simple('a')] }, [simple('d')])]);
    expect(picture(named.world, named.id)).toEqual(['s COMPLETED', 'a SCHEDULED']);
  });

  it('9.4.96 a SWITCH in a loop is evaluated in each iteration, untaken references have no record there', () => {
    const body = [choose('s', '${l.output.iteration}', { 1: [simple('a')], 2: [simple('b')] })];
    const { world, id } = begin([loop('l', 3, [...body, simple('e')])]);
    world.work('a');
    world.work('e');
    world.work('b');
    world.work('e');
    world.work('e');
    expect(picture(world, id)).toEqual([
      'l COMPLETED', 's__1 COMPLETED', 'a__1 COMPLETED', 'e__1 COMPLETED', 's__2 COMPLETED', 'b__2 COMPLETED',
      'e__2 COMPLETED', 's__3 COMPLETED', 'e__3 COMPLETED',
    ]); // prettier-ignore
  });

  it('9.4.97 after a SWITCH that ends a branch of a SWITCH the next task is scheduled exactly once', () => {
    const { world, id } = begin([
      choose('o', 'x', { x: [simple('a'), choose('i', 'y', { y: [simple('b')] })] }),
      simple('z'),
    ]);
    world.work('a');
    world.work('b');
    expect(picture(world, id)).toEqual([
      'o COMPLETED',
      'a COMPLETED',
      'i COMPLETED',
      'b COMPLETED',
      'z SCHEDULED',
    ]);
  });
});

describe('9.4 loop', () => {
  it('9.4.98 500 iterations of INLINE do not grow the stack', () => {
    const { world, id } = begin([loop('l', 500, [inline('i', '1')])], { reloads: false });
    expect([world.status(id), world.outputOf(id, 'l')['iteration']]).toEqual(['COMPLETED', 500]);
  });

  it('9.4.99 keepLastN 2 at iteration 5: only 4 and 5 remain; inside a fork only the own loop is touched', () => {
    const kept = loop('l', 5, [simple('a')], { inputParameters: { keepLastN: 2 } });
    const { world, id } = begin(fork('f', [[kept], [loop('m', 5, [simple('b')])]]));
    for (let i = 0; i < 5; i++) {
      world.work('a', { i });
      world.work('b', { i });
    }
    const records = picture(world, id);
    expect(records.filter((line) => line.startsWith('a__'))).toEqual([
      'a__4 COMPLETED',
      'a__5 COMPLETED',
    ]);
    expect(records.filter((line) => line.startsWith('b__'))).toHaveLength(5);
    expect(Object.keys(world.outputOf(id, 'l')).sort()).toEqual(['4', '5', 'iteration']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.4.100 items []: COMPLETED with iteration 0, the next task runs', () => {
    const over = taskOf('DO_WHILE', 'l', {
      items: '${workflow.input.items}',
      loopOver: [simple('a')],
    });
    for (const items of [[], null]) {
      const { world, id } = begin([over, simple('z')], { input: { items, n: 1 } });
      expect(picture(world, id)).toEqual(['l COMPLETED', 'z SCHEDULED']);
      expect(world.outputOf(id, 'l')).toEqual({ iteration: 0 });
    }
  });

  it('9.4.101 items with a condition that turns false early stop before the end', () => {
    const over = taskOf('DO_WHILE', 'l', {
      items: ['a', 'b', 'c'], loopCondition: "$.loopItem != 'b'", loopOver: [setVariable('v', { last: '${l.output.loopItem}' })],
    }); // prettier-ignore
    const { world, id } = begin([over]);
    expect(world.open(id).execution.variables.value).toEqual({ last: 'b' });
    expect(world.outputOf(id, 'l')).toMatchObject({ iteration: 2, loopIndex: 1, loopItem: 'b' });
  });

  it('9.4.102 a condition that throws: DO_WHILE FAILED_WITH_TERMINAL_ERROR, workflow FAILED', () => {
    const { world, id } = begin([loop('l', 'nope.x', [setVariable('v', { a: 1 })])]);
    expect(picture(world, id)).toEqual(['l FAILED_WITH_TERMINAL_ERROR', 'v__1 COMPLETED']);
    expect(world.task(id, 'l').reason).toMatch(/^Unable to evaluate condition nope\.x, exception /);
    expect(world.status(id)).toBe('FAILED');
  });

  it('9.4.103 a retry after a member failed in iteration 3 continues in iteration 3', () => {
    const { world, id } = begin([loop('l', 3, [simple('a')]), simple('z')], {
      taskDefs: noRetries('a'),
    });
    world.work('a');
    world.work('a');
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'l CANCELED',
      'a__1 COMPLETED',
      'a__2 COMPLETED',
      'a__3 FAILED',
    ]);
    retry(world, id);
    expect(picture(world, id)).toEqual([
      'l IN_PROGRESS', 'a__1 COMPLETED', 'a__2 COMPLETED', 'a__3 FAILED', 'a__3 #1 SCHEDULED',
    ]); // prettier-ignore
    world.work('a');
    world.work('z');
    expect(world.outputOf(id, 'l')['iteration']).toBe(3);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.4.104 the condition is not evaluated before the successor of an in-line member behind a SWITCH is there', () => {
    const body = [
      choose('s', 'x', { x: [setVariable('v', { n: '${l.output.iteration}' })] }),
      simple('e'),
    ];
    const { world, id } = begin([loop('l', 2, body)]);
    expect(picture(world, id)).toEqual([
      'l IN_PROGRESS',
      's__1 COMPLETED',
      'v__1 COMPLETED',
      'e__1 SCHEDULED',
    ]);
    expect(world.task(id, 'l').iteration).toBe(1);
  });

  it('9.4.105 "a1" and "a" are different tasks in their tenth and first attempts', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('a1')]]), {
      taskDefs: retries(11, 'a', 'a1'),
    });
    for (let i = 0; i < 10; i++) world.work('a', {}, 'FAILED');
    world.work('a1', {}, 'FAILED');
    expect([world.task(id, 'a').retryCount, world.task(id, 'a1').retryCount]).toEqual([10, 1]);
    world.work('a');
    world.work('a1');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('9.4 terminate', () => {
  it("9.4.106 TERMINATE COMPLETED in one branch: others CANCELED, a running child TERMINATED, its output is the workflow's", () => {
    const { world, id } = begin(
      fork('f', [
        [
          simple('a'),
          terminateTask('t', 'COMPLETED', {
            workflowOutput: { o: 1 },
            terminationReason: 'enough',
          }),
        ],
        [simple('b')],
        [child('c', 'inner')],
      ]),
      { workflowDefs: [named('inner', [simple('x')])] },
    );
    const inner = world.child(id, 'c');
    world.work('a');
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'a COMPLETED', 'b CANCELED', 'c CANCELED', 'fj CANCELED', 't COMPLETED',
    ]); // prettier-ignore
    expect([world.status(id), world.output(id)]).toEqual(['COMPLETED', { o: 1 }]);
    expect([world.status(inner), world.reason(inner)]).toEqual([
      'TERMINATED',
      'Parent workflow has been terminated with reason: enough',
    ]);
  });

  it('9.4.107 TERMINATE FAILED with a failureWorkflow: it runs and gets the id of the TERMINATE task', () => {
    const world = new World({ workflowDefs: [named('clean', [simple('k')])] });
    const id = world.start(
      named('wf', [terminateTask('t', 'FAILED')], { failureWorkflow: 'clean' }),
    );
    const started = world.output(id)['conductor.failure_workflow'] as never;
    expect(world.open(started).execution.input.value['failureTaskId']).toMatch(/^[0-9a-f-]{36}$/);
    expect(world.open(id).execution.state.failedTaskNumber).toBe(world.task(id, 't').number);
  });
});
