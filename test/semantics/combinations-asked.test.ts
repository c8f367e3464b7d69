// Combinations that the reference (3.32.3) was asked about: what its records show where two rules
// meet (semantics 1.5, 1.6, 2.5, 4).
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
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
  rerun,
  retry,
  setVariable,
  simple,
  startOfTime,
  taskOf,
  tell,
  World,
} from './support.js';

const inner = named('inner', [simple('x')]);

describe('a record that goes on in place', () => {
  it('shows its last end until it ends again: JOIN and DO_WHILE after a retry, SUB_WORKFLOW after one of its child', () => {
    const { world, id } = begin(
      [...fork('f', [[child('c', 'inner')], [loop('l', 2, [simple('a')])]]), simple('z')],
      { taskDefs: noRetries('x'), workflowDefs: [inner] },
    );
    world.pass(1000);
    world.work('x', { k: 1 }, 'FAILED');
    const endedAt = world.now;
    world.pass(1000);
    tell(world, world.child(id, 'c'), { kind: 'retry', resumeSubworkflowTasks: false });
    for (const ref of ['c', 'l', 'fj']) {
      expect(world.task(id, ref)).toMatchObject({ status: 'IN_PROGRESS', endAt: endedAt });
    }
    expect(world.task(id, 'c').reason).toBeUndefined();
    expect(world.outputOf(id, 'c')).toMatchObject({ k: 1 });
    world.work('x', { m: 2 });
    expect(world.task(id, 'c').endAt).toBe(world.now);
    expect(world.outputOf(id, 'c')).toMatchObject({ k: 1, m: 2 });
  });

  it('a JOIN that permissive branches failed keeps the reason; a rerun forgets end and reason', () => {
    const permissive = [[simple('a', { permissive: true })], [simple('b')]];
    const { world, id } = begin([...fork('f', permissive), simple('z')], {
      taskDefs: noRetries('a'),
    });
    world.work('b');
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'a bad' });
    retry(world, id);
    expect(world.task(id, 'fj')).toMatchObject({ status: 'IN_PROGRESS', reason: 'a bad' });
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'worse' });
    expect(world.task(id, 'fj')).toMatchObject({ status: 'FAILED', reason: 'worse' });
    rerun(world, id, 'f');
    expect(world.task(id, 'fj')).toMatchObject({ status: 'IN_PROGRESS', endAt: 0 });
    expect(world.task(id, 'fj').reason).toBeUndefined();
  });
});

describe('a JOIN', () => {
  it('names every optional branch that failed, and has an empty reason when no branch gave one', () => {
    const optional = ['a', 'b'].map((ref) => [simple(ref, { optional: true })]);
    const { world, id } = begin([...fork('f', optional), simple('z')], {
      taskDefs: noRetries('a', 'b'),
    });
    world.work('a', {}, 'FAILED');
    world.work('b', {}, 'FAILED');
    expect(world.task(id, 'fj').reason).toMatch(/^a\/\S+ b\/\S+ completed with errors$/);

    const canceled = begin([...fork('f', [[simple('a', { permissive: true })]]), simple('z')]);
    canceled.world.work('a', {}, 'CANCELED');
    expect(canceled.world.task(canceled.id, 'fj')).toMatchObject({
      status: 'CANCELED',
      reason: '',
    });
  });

  it('comes after all branches when the first ones end while the fork is made', () => {
    const empty = (ref: string): JsonMap => choose(ref, 'q', { k: [setVariable(`${ref}k`, {})] });
    const branches = [[empty('s')], [empty('t')], [simple('b')]];
    const { world, id } = begin([...fork('f', branches), simple('z')]);
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 's COMPLETED', 't COMPLETED', 'b SCHEDULED', 'fj IN_PROGRESS',
    ]); // prettier-ignore
    const looped = begin([loop('l', 2, fork('f', branches))]);
    looped.world.work('b');
    expect(picture(looped.world, looped.id).slice(-5)).toEqual([
      'f__2 COMPLETED', 's__2 COMPLETED', 't__2 COMPLETED', 'b__2 SCHEDULED', 'fj__2 IN_PROGRESS',
    ]); // prettier-ignore
  });

  it('of a dynamic fork in a loop shows its references without suffix, its output with it', () => {
    const { world, id } = begin([loop('l', 1, dynamicFork('f', [simple('a')], {}))]);
    world.work('a', { n: 1 });
    expect(world.inputOf(id, 'fj__1')).toEqual({ joinOn: ['a'] });
    expect(world.outputOf(id, 'fj__1')).toEqual({ a__1: { n: 1 } });
  });
});

describe('a branch of a dynamic fork', () => {
  it.each<[string, JsonMap, string]>([
    ['of a user-defined type without definition', taskOf('MY_TYPE', 'm'), 'Invalid task specified. Cannot find task by name m in the task definitions'],
    ['that is a sub-workflow nobody knows', taskOf('SUB_WORKFLOW', 'm', { subWorkflowParam: { name: 'no' } }), 'The Task no defined as a sub-workflow has no workflow definition available '],
  ])('%s ends the execution without a record', (_name, task, reason) => {
    const { world, id } = begin(dynamicFork('f', [simple('a'), task], {}));
    expect([world.status(id), picture(world, id), world.reason(id)]).toEqual(['FAILED', [], reason]);
  }); // prettier-ignore

  it('that is a sub-workflow without version shows the latest one, with 0 it shows 0', () => {
    const kid = (ref: string, version?: number): JsonMap =>
      taskOf('SUB_WORKFLOW', ref, {
        subWorkflowParam: { name: 'inner', ...(version === undefined ? {} : { version }) },
      });
    const { world, id } = begin(dynamicFork('f', [kid('p'), kid('q', 0)], {}), {
      workflowDefs: [inner, { ...inner, version: 4 }],
    });
    expect(['p', 'q'].map((ref) => world.inputOf(id, ref)['subWorkflowVersion'])).toEqual([4, 0]);
  });

  it('without a name is named like its type; form 3 without tasks is an empty fork', () => {
    const nameless = { taskReferenceName: 'v', type: 'SET_VARIABLE' };
    const { world, id } = begin(dynamicFork('f', [nameless], {}));
    expect([world.task(id, 'v').defName, world.status(id)]).toEqual(['SET_VARIABLE', 'COMPLETED']);
    const form3 = taskOf('FORK_JOIN_DYNAMIC', 'f', {
      dynamicForkJoinTasksParam: 'd',
      inputParameters: { d: {} },
    });
    const empty = begin([form3, taskOf('JOIN', 'j')]);
    expect(picture(empty.world, empty.id)).toEqual(['f COMPLETED', 'j COMPLETED']);
  });

  it('that is DYNAMIC takes the definition registered under the resolved name', () => {
    const task = taskOf('DYNAMIC', 'd', {
      dynamicTaskNameParam: 'which',
      inputParameters: { which: 'w' },
    });
    const taskDefs = [{ name: 'w', retryCount: 0, responseTimeoutSeconds: 7 }];
    const { world, id } = begin(dynamicFork('f', [task], {}), { taskDefs });
    expect(world.task(id, 'd')).toMatchObject({ taskType: 'w', responseTimeoutSeconds: 7 });
    const plain = begin([task], { taskDefs });
    expect(plain.world.task(plain.id, 'd')).toMatchObject({ responseTimeoutSeconds: 0 });
  });
});

describe('a pause', () => {
  it('does not hold back the end of a WAIT, but what follows it', () => {
    const wait = taskOf('WAIT', 'w', { inputParameters: { duration: '1s' } });
    const { world, id } = begin([wait, simple('z')]);
    tell(world, id, { kind: 'pause' });
    world.pass(1500);
    expect(picture(world, id)).toEqual(['w COMPLETED']);
    expect(world.task(id, 'w').endAt).toBe(startOfTime + 1000);
    tell(world, id, { kind: 'resume' });
    expect(picture(world, id)).toEqual(['w COMPLETED', 'z SCHEDULED']);
  });

  it('does not hold back a JOIN whose branches have succeeded, in a loop and with a child as well', () => {
    const branches = [[simple('a')], [child('c', 'inner')]];
    const { world, id } = begin([loop('l', 1, fork('f', branches)), simple('z')], {
      workflowDefs: [inner],
    });
    tell(world, id, { kind: 'pause' });
    world.work('a');
    expect(world.task(id, 'fj__1').status).toBe('IN_PROGRESS');
    world.work('x', { n: 1 });
    expect(world.task(id, 'fj__1').status).toBe('COMPLETED');
    expect([world.status(id), world.task(id, 'l').status]).toEqual(['PAUSED', 'IN_PROGRESS']);
    tell(world, id, { kind: 'resume' });
    expect(picture(world, id)).toEqual([
      'l COMPLETED', 'f__1 COMPLETED', 'a__1 COMPLETED', 'c__1 COMPLETED', 'fj__1 COMPLETED', 'z SCHEDULED',
    ]); // prettier-ignore
  });

  it('leaves a branch that failed to the resume, which retries it', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]), {
      taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }],
    });
    tell(world, id, { kind: 'pause' });
    world.work('b');
    world.work('a', {}, 'FAILED');
    expect(world.task(id, 'fj').status).toBe('IN_PROGRESS');
    tell(world, id, { kind: 'resume' });
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'a FAILED', 'b COMPLETED', 'fj IN_PROGRESS', 'a #1 SCHEDULED',
    ]); // prettier-ignore
  });
});

describe('texts', () => {
  it('a total timeout names task, seconds and policy', () => {
    const taskDefs = [{ name: 'a', totalTimeoutSeconds: 2, timeoutPolicy: 'TIME_OUT_WF' }];
    const { world, id } = begin([simple('a')], { taskDefs });
    world.pass(2000);
    expect([world.status(id), world.reason(id)]).toEqual([
      'TIMED_OUT',
      'Task a/<a> exceeded total timeout of 2 seconds (elapsed 2 seconds across all attempts including retry delays). Timeout policy: TIME_OUT_WF',
    ]);
  });

  it.each<[string, JsonMap, string]>([
    ['an INLINE without expression', taskOf('INLINE', 't', { inputParameters: { n: 1 } }), "Empty 'expression' in Inline task's input parameters. A non-empty String value must be provided."],
    ['an INLINE with an evaluator nobody knows', taskOf('INLINE', 't', { inputParameters: { evaluatorType: 'no', expression: '1' } }), "Unknown evaluator 'no' in INLINE task."],
    ['a START_WORKFLOW without request', taskOf('START_WORKFLOW', 't', { inputParameters: { x: 1 } }), "Missing 'startWorkflow' in input data."],
    ['a START_WORKFLOW without name', taskOf('START_WORKFLOW', 't', { inputParameters: { startWorkflow: { version: 1 } } }), "startWorkflow validation failed. 'name' -> Workflow name cannot be null or empty. "],
    ['a START_WORKFLOW with a priority out of bounds', taskOf('START_WORKFLOW', 't', { inputParameters: { startWorkflow: { name: 'x', priority: -1 } } }), "startWorkflow validation failed. 'priority' -> priority: -1 should be minimum 0. "],
    ['a WAIT until some text', taskOf('WAIT', 't', { inputParameters: { until: '${workflow.input.u}' } }), 'Invalid/Unsupported Wait Until format.  Provided: tomorrow'],
  ])('%s', (_name, task, reason) => {
    const { world, id } = begin([task], { input: { u: 'tomorrow' } });
    expect(world.task(id, 't')).toMatchObject({ reason, startAt: world.now });
  }); // prettier-ignore

  it('a DECISION whose script fails names the script alone', () => {
    const decision = taskOf('DECISION', 'd', {
      caseExpression: '$.x.y',
      decisionCases: { k: [inline('i', '1')] },
    });
    const world = new World();
    const id = world.start(named('wf', [decision]));
    expect(world.reason(id)).toBe('Error while evaluating script: $.x.y');
  });
});
