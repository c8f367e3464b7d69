// Semantics 4.7 to 4.9: SWITCH, DECISION and DO_WHILE, rule by rule.
import { describe, expect, it } from 'vitest';
import type { Json, JsonMap } from '../../src/model/json.js';
import {
  begin,
  child,
  choose,
  fork,
  inline,
  loop,
  named,
  openRefs,
  picture,
  setVariable,
  simple,
  taskOf,
  tell,
  terminateTask,
  workAll,
} from './support.js';

const script = (expression: string, decisionCases: JsonMap, more: JsonMap = {}): JsonMap =>
  taskOf('SWITCH', 's', { evaluatorType: 'javascript', expression, decisionCases, ...more });

describe('4.7 SWITCH', () => {
  it('4.7.1 the branch is fixed when it is scheduled', () => {
    const { world, id } = begin(
      [
        choose('s', '${workflow.variables.v}', {
          x: [simple('a'), simple('a2')],
          y: [simple('b')],
        }),
      ],
      { def: { variables: { v: 'x' } } },
    );
    tell(world, id, { kind: 'update-variables', variables: { v: 'y' } });
    world.work('a');
    expect(openRefs(world, id)).toEqual(['a2']);
  });

  it('4.7.2 javascript reads the task input', () => {
    const { world, id } = begin(
      [
        script(
          "$.n > 3 ? 'big' : 'small'",
          { big: [simple('a')], small: [simple('b')] },
          { inputParameters: { n: '${workflow.input.n}' } },
        ),
      ],
      { input: { n: 5 } },
    );
    expect(openRefs(world, id)).toEqual(['a']);
  });

  it('4.7.2 an unknown evaluator fails the workflow', () => {
    const { world, id } = begin([
      taskOf('SWITCH', 's', {
        evaluatorType: 'ruby',
        expression: '1',
        decisionCases: { a: [simple('m')] },
      }),
    ]);
    expect([world.status(id), world.reason(id)]).toEqual([
      'FAILED',
      'No evaluator registered for type: ruby',
    ]);
  });

  it.each<[Json, string]>([[null, 'null'], [1, '1'], [1.5, '1.5'], [true, 'true'], ['x', 'x']])(
    '4.7.3 %j is the case %s', (value, text) => {
      const { world, id } = begin([choose('s', '${workflow.input.v}', { [text]: [simple('a')] }, [simple('d')])], { input: { v: value, n: 1 } });
      expect([world.outputOf(id, 's')['selectedCase'], openRefs(world, id)]).toEqual([text, ['a']]);
    },
  ); // prettier-ignore

  it('4.7.3 no key: the default; an empty default: nothing to do', () => {
    const other = begin([choose('s', 'q', { x: [simple('a')] }, [simple('d')]), simple('z')]);
    expect(openRefs(other.world, other.id)).toEqual(['d']);
    const none = begin([choose('s', 'q', { x: [simple('a')] }), simple('z')]);
    expect(openRefs(none.world, none.id)).toEqual(['z']);
  });

  it('4.7.4 a script that fails makes the SWITCH FAILED; optional, the flow goes on after it', () => {
    const required = begin([script("throw new Error('bang')", { a: [simple('a')] }), simple('z')]);
    expect([
      required.world.task(required.id, 's').status,
      required.world.status(required.id),
    ]).toEqual(['FAILED', 'FAILED']);
    expect(required.world.task(required.id, 's').reason).toContain('bang');
    const optional = begin([
      script('throw 1', { a: [simple('a')] }, { optional: true }),
      simple('z'),
    ]);
    expect(picture(optional.world, optional.id)).toEqual([
      's COMPLETED_WITH_ERRORS',
      'z SCHEDULED',
    ]);
  });

  it('4.7.4 in a fork, in-line tasks of other branches run before a script that fails ends the workflow', () => {
    const broken = script('$.n.x', { x: [simple('a')] });
    const { world, id } = begin(fork('f', [[broken], [setVariable('v', { y: 1 }), simple('b')]]));
    expect(picture(world, id)).toEqual(['f COMPLETED', 's FAILED', 'v COMPLETED', 'fj CANCELED']);
    const { variables } = world.open(id).execution;
    expect([world.status(id), variables.value]).toEqual(['FAILED', { y: 1 }]);
  });

  it('4.7.5 input has case and hasChildren, output evaluationResult and selectedCase', () => {
    const { world, id } = begin([choose('s', 'x', { x: [simple('a')] })]);
    expect(world.inputOf(id, 's')).toEqual({ choice: 'x', case: 'x', hasChildren: 'true' });
    expect(world.outputOf(id, 's')).toEqual({ evaluationResult: ['x'], selectedCase: 'x' });
    const none = begin([choose('s', 'q', { x: [simple('a')] }), simple('z')]);
    expect(none.world.inputOf(none.id, 's')).toEqual({ choice: 'q', case: 'q' });
  });

  it('4.7.5 without a branch, what follows in a fork comes behind the JOIN, like what follows any in-line task', () => {
    const empty = (ref: string): JsonMap => choose(ref, 'x', { y: [simple(`${ref}_y`)] });
    const { world, id } = begin(
      fork('f', [
        [empty('s1'), empty('s2'), simple('a')],
        [inline('i', '1'), simple('b')],
        [choose('s3', 'x', { x: [empty('s4'), simple('c')] })],
        [simple('d')],
      ]),
    );
    const heads = ['f', 's1', 'i', 's3', 's4', 'd', 'fj'];
    const refs = world.open(id).execution.tasks.map(({ ref }) => ref);
    expect(refs).toEqual([...heads, 's2', 'b', 'c', 'a']);
    for (const ref of ['d', 'b', 'c', 'a']) world.work(ref, { by: ref });
    expect([world.status(id), world.output(id)]).toEqual(['COMPLETED', { by: 'a' }]);
  });

  it('4.7.6 untaken branches have no records', () => {
    const { world, id } = begin([choose('s', 'x', { x: [simple('a')], y: [simple('b')] })]);
    workAll(world);
    expect(picture(world, id)).toEqual(['s COMPLETED', 'a COMPLETED']);
  });
});

describe('4.8 DECISION', () => {
  it('4.8 chooses by parameter or by script; the input is only case and hasChildren', () => {
    const byParam = begin([
      taskOf('DECISION', 'd', {
        caseValueParam: 'k',
        inputParameters: { k: 'x' },
        decisionCases: { x: [simple('a')] },
      }),
    ]);
    expect([
      byParam.world.inputOf(byParam.id, 'd'),
      byParam.world.outputOf(byParam.id, 'd'),
    ]).toEqual([{ case: 'x', hasChildren: 'true' }, { caseOutput: ['x'] }]);
    const byScript = begin([
      taskOf('DECISION', 'd', {
        caseExpression: '$.n + 1',
        inputParameters: { n: 1 },
        decisionCases: { 2: [simple('a')] },
      }),
    ]);
    expect(openRefs(byScript.world, byScript.id)).toEqual(['a']);
  });

  it('4.8 a script that fails ends the workflow', () => {
    const { world, id } = begin([
      taskOf('DECISION', 'd', { caseExpression: 'nope', decisionCases: { x: [simple('a')] } }),
    ]);
    expect([world.status(id), picture(world, id)]).toEqual(['FAILED', []]);
    expect(world.reason(id)).toMatch(/^Error while evaluating script: /);
  });
});

describe('4.9 DO_WHILE', () => {
  it('4.9.1 one record for the loop, members ref__N with their iteration', () => {
    const { world, id } = begin([loop('l', 2, [simple('a')])]);
    workAll(world);
    expect(picture(world, id)).toEqual(['l COMPLETED', 'a__1 COMPLETED', 'a__2 COMPLETED']);
    expect([world.task(id, 'l').iteration, world.task(id, 'a__2').iteration]).toEqual([2, 2]);
  });

  it('4.9.2 output["N"] has the plain references, also while the iteration runs', () => {
    const { world, id } = begin([loop('l', 2, [simple('a'), simple('b')])]);
    world.work('a', { n: 1 });
    expect(world.outputOf(id, 'l')).toEqual({ iteration: 1, 1: { a: { n: 1 }, b: {} } });
  });

  it('4.9.3 the condition sees the evaluated parameters, the output of the loop and of the members', () => {
    const condition = "$.stop == false && $.l['iteration'] < 5 && $.a.go == true";
    const { world, id } = begin(
      [
        loop('l', condition, [simple('a')], {
          inputParameters: { stop: '${workflow.variables.stop}' },
        }),
      ],
      { def: { variables: { stop: false } } },
    );
    world.work('a', { go: true });
    expect(world.task(id, 'l').iteration).toBe(2);
    tell(world, id, { kind: 'update-variables', variables: { stop: true } });
    world.work('a', { go: true });
    expect([world.status(id), world.task(id, 'l').iteration]).toEqual(['COMPLETED', 2]);
  });

  it.each<[string, boolean]>([['true', true], ['1', true], ['0', false], ["'true'", false], ['null', false], ['({})', false]])(
    '3.10 the condition %s goes on: %s', (condition, goesOn) => {
      const { world, id } = begin([loop('l', condition, [simple('a')])]);
      world.work('a');
      expect(world.task(id, 'l').iteration).toBe(goesOn ? 2 : 1);
    },
  ); // prettier-ignore

  it('4.9.3 an empty condition is one iteration; value-param names a boolean input', () => {
    const empty = begin([loop('l', '', [simple('a')])]);
    empty.world.work('a');
    expect(empty.world.status(empty.id)).toBe('COMPLETED');
    const named = begin([
      loop('l', 'go', [simple('a')], {
        evaluatorType: 'value-param',
        inputParameters: { go: '${a.output.go}' },
      }),
    ]);
    named.world.work('a', { go: true });
    named.world.work('a', { go: false });
    expect([named.world.status(named.id), named.world.task(named.id, 'l').iteration]).toEqual([
      'COMPLETED',
      2,
    ]);
  });

  it('4.9.4 items: members read loopItem and loopIndex; a single value is a list of one', () => {
    const over = (items: Json): JsonMap => taskOf('DO_WHILE', 'l', {
      items, loopOver: [simple('a', { inputParameters: { item: '${l.output.loopItem}', index: '${l.output.loopIndex}' } })],
    }); // prettier-ignore
    const { world, id } = begin([over('${workflow.input.xs}')], {
      input: { xs: [{ k: 1 }, 'two'] },
    });
    world.work('a');
    world.work('a');
    expect([world.inputOf(id, 'a__1'), world.inputOf(id, 'a__2')]).toEqual([
      { item: { k: 1 }, index: 0 },
      { item: 'two', index: 1 },
    ]);
    expect(world.outputOf(id, 'l')).toMatchObject({ iteration: 2, loopIndex: 1, loopItem: 'two' });
    const single = begin([over('${workflow.input.xs}')], { input: { xs: 'one' } });
    single.world.work('a');
    expect(single.world.status(single.id)).toBe('COMPLETED');
  });

  it('4.9.4 the parameter _items works like the field, which wins over it', () => {
    const { world, id } = begin([
      taskOf('DO_WHILE', 'l', {
        items: ['x'],
        inputParameters: { _items: ['p', 'q'] },
        loopOver: [simple('a')],
      }),
    ]);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
    const param = begin([
      taskOf('DO_WHILE', 'l', { inputParameters: { _items: ['p', 'q'] }, loopOver: [simple('a')] }),
    ]);
    workAll(param.world);
    expect(param.world.task(param.id, 'l').iteration).toBe(2);
  });

  it('4.9.4 the list is evaluated anew in each round', () => {
    const body = [setVariable('v', { list: '${workflow.input.${l.output.loopItem}}' })];
    const { world, id } = begin(
      [taskOf('DO_WHILE', 'l', { items: '${workflow.variables.list}', loopOver: body })],
      {
        def: { variables: { list: ['more'] } },
        input: { more: ['more', 'last'], last: ['more', 'last'] },
      },
    );
    expect([world.status(id), world.task(id, 'l').iteration]).toEqual(['COMPLETED', 2]);
  });

  it('4.9.5 captureOutput=false leaves the numbered keys out', () => {
    const { world, id } = begin([
      loop('l', 2, [simple('a')], { inputParameters: { captureOutput: false } }),
    ]);
    workAll(world);
    expect(world.outputOf(id, 'l')).toEqual({ iteration: 2 });
  });

  it('4.9.6 inside and outside the loop a reference means the newest iteration', () => {
    const { world, id } = begin([
      loop('l', 2, [simple('a', { inputParameters: { before: '${a.output.n}' } })]),
      simple('z', { inputParameters: { n: '${a.output.n}' } }),
    ]);
    world.work('a', { n: 1 });
    world.work('a', { n: 2 });
    expect([
      world.inputOf(id, 'a__1'),
      world.inputOf(id, 'a__2'),
      world.inputOf(id, 'z'),
    ]).toMatchObject([{ before: null }, {}, { n: 2 }]);
  });

  it('4.9.7 after a manual retry of the loop the members of new iterations begin with retryCount 0', () => {
    const { world, id } = begin(
      [loop('l', "$.a.bad ? nope.x : $.l['iteration'] < 3", [simple('a')])],
      { taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }] },
    );
    world.work('a', { bad: true });
    expect(picture(world, id)).toEqual(['l FAILED_WITH_TERMINAL_ERROR', 'a__1 COMPLETED']);
    tell(world, id, { kind: 'rerun', taskNumber: world.task(id, 'a__1').number });
    world.work('a', { bad: false });
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'a__1 COMPLETED', 'a__2 SCHEDULED']);
  });

  it('4.9.10 a loop inside a loop ends the workflow with a clear reason (registration refuses it before)', () => {
    const { world, id } = begin([loop('l', 2, [loop('m', 2, [simple('a')])])]);
    expect([world.status(id), world.reason(id)]).toEqual([
      'FAILED',
      'A loop inside a loop is not supported: put m into a sub-workflow',
    ]);
  });

  it('4.9.10 a loop in a sub-workflow in a loop is the way', () => {
    const { world, id } = begin([loop('l', 2, [child('c', 'inner')])], {
      workflowDefs: [named('inner', [loop('m', 2, [simple('a')])])],
    });
    expect(workAll(world)).toEqual(['a__1', 'a__2', 'a__1', 'a__2']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('4.9.11 a TERMINATE inside ends everything', () => {
    const { world, id } = begin([
      loop('l', 9, [simple('a'), terminateTask('t', 'COMPLETED', { workflowOutput: { o: 1 } })]),
      simple('z'),
    ]);
    world.work('a');
    expect([world.status(id), world.output(id), picture(world, id)]).toEqual([
      'COMPLETED',
      { o: 1 },
      ['l CANCELED', 'a__1 COMPLETED', 't__1 COMPLETED'],
    ]);
  });
});
