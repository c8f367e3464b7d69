// Semantics 1.5.1 to 1.5.13 and 1.6, 1.8, rule by rule, as far as the tables (1.5-controls-table)
// and the edge cases (9.2, 9.5) do not show them.
import { describe, expect, it } from 'vitest';
import { Payload } from '../../src/model/payload.js';
import {
  begin,
  child,
  dynamicFork,
  fork,
  loop,
  named,
  noRetries,
  openRefs,
  picture,
  refusal,
  rerun,
  retries,
  retry,
  setVariable,
  simple,
  taskOf,
  tell,
  terminate,
  terminateTask,
  workAll,
  World,
} from './support.js';

describe('1.5.1 start', () => {
  it('1.5.1.4 status, times, priority, correlationId, domains and variables of the definition', () => {
    const world = new World();
    const id = world.start(
      named('wf', [simple('a')], { variables: { v: 1 } }),
      { n: 1 },
      { priority: 5, correlationId: 'c', taskToDomain: { a: 'east' } },
    );
    const { state, attributes, variables } = world.open(id).execution;
    expect(state).toMatchObject({
      status: 'RUNNING',
      createTime: world.now,
      endTime: 0,
      lastRetriedTime: 0,
    });
    expect([attributes, variables.value]).toMatchObject([
      { priority: 5, correlationId: 'c', taskToDomain: { a: 'east' } },
      { v: 1 },
    ]);
  });

  it('1.5.1.5 the caller gets its answer after the first decide: in-line tasks have run', () => {
    const { world, id } = begin([setVariable('v', { n: 1 }), terminateTask('t', 'COMPLETED')]);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('1.5.1 a repeated start of the same id changes nothing, one for another parent is refused', () => {
    const { world, id } = begin([simple('a')]);
    const { snapshot } = world.open(id).execution;
    const again = {
      kind: 'start',
      snapshot,
      attributes: { priority: 9, taskToDomain: {} },
      input: Payload.of({ other: 1 }),
    } as const;
    tell(world, id, again);
    expect(world.open(id).execution.attributes.priority).toBe(0);
    expect(
      refusal(world, id, {
        ...again,
        attributes: { priority: 0, taskToDomain: {}, parentWorkflowId: id, parentTaskNumber: 3 },
      }),
    ).toMatch(/^conflict/);
  });
});

describe('1.5.2 to 1.5.4', () => {
  it('1.5.2 a decide while paused checks the workflow timeout only', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [{ name: 'a', pollTimeoutSeconds: 1 }],
    });
    tell(world, id, { kind: 'pause' });
    world.pass(5000);
    tell(world, id, { kind: 'decide' });
    expect([world.status(id), picture(world, id)]).toEqual(['PAUSED', ['a SCHEDULED']]);
  });

  it('1.5.3 resume sets lastRetriedTime', () => {
    const { world, id } = begin([simple('a')]);
    tell(world, id, { kind: 'pause' });
    world.now += 3000;
    tell(world, id, { kind: 'resume' });
    expect(world.open(id).execution.state.lastRetriedTime).toBe(world.now);
  });

  it('1.5.4 reset callbacks touches SCHEDULED worker tasks with a delay only', () => {
    const { world, id } = begin(
      fork('f', [
        [simple('a', { startDelay: 60 })],
        [taskOf('WAIT', 'w', { inputParameters: { duration: '1 hour' } })],
        [simple('b')],
      ]),
    );
    world.poll('b');
    tell(world, id, { kind: 'reset-callbacks' });
    expect([
      world.task(id, 'a').callbackAfterSeconds,
      world.task(id, 'w').callbackAfterSeconds,
    ]).toEqual([0, 3600]);
    expect([world.poll('a')?.ref, world.task(id, 'b').status]).toEqual(['a', 'IN_PROGRESS']);
  });
});

describe('1.5.6 retry, form A', () => {
  it('a new attempt is a copy with a new id; the old one is retried and executed', () => {
    const { world, id } = begin(
      [simple('a', { inputParameters: { v: '${workflow.variables.v}', own: '${CPEWF_TASK_ID}' } })],
      { taskDefs: noRetries('a'), def: { variables: { v: 1 } } },
    );
    world.report(id, 'a', 'FAILED', { o: 1 }, { reasonForIncompletion: 'bad' });
    world.now += 1000;
    retry(world, id);
    const [old, attempt] = world.open(id).execution.tasks;
    expect(old).toMatchObject({ retried: true, executed: true, reason: 'bad' });
    expect(attempt).toMatchObject({
      status: 'SCHEDULED', retryCount: 1, retriedTaskNumber: 1, retried: false, executed: false, pollCount: 0, seq: 2, startAt: 0, endAt: 0,
      scheduledAt: world.now, updateAt: world.now, startDelaySeconds: 0, callbackAfterSeconds: 0,
    }); // prettier-ignore
    expect([attempt?.reason, world.outputOf(id, 'a')]).toEqual([undefined, {}]);
    expect(world.inputOf(id, 'a')['own']).not.toBe(old?.input.value['own']);
  });

  it('failedTaskId, the name sets and endTime are not cleared', () => {
    const { world, id } = begin([simple('a')], { taskDefs: noRetries('a') });
    world.work('a', {}, 'FAILED');
    retry(world, id);
    const { state } = world.open(id).execution;
    expect(state).toMatchObject({ failedTaskNumber: 1, failedReferenceTaskNames: ['a'] });
    expect([state.endTime > 0, state.reasonForIncompletion]).toEqual([true, undefined]);
  });

  it('in-line tasks are copied and run again', () => {
    const task = taskOf('INLINE', 'i', {
      inputParameters: {
        evaluatorType: 'javascript',
        expression: '$.v.ok',
        v: '${workflow.variables.v}',
      },
    });
    const { world, id } = begin([
      taskOf('SWITCH', 's', {
        evaluatorType: 'javascript',
        expression: '$.x.y',
        decisionCases: { a: [simple('m')] },
      }),
      task,
    ]);
    expect(world.status(id)).toBe('FAILED');
    retry(world, id);
    expect(picture(world, id)).toEqual(['s FAILED', 's #1 FAILED']);
  });

  it('a TERMINATED workflow without a failed or cancelled task is refused', () => {
    const { world, id } = begin([terminateTask('t', 'TERMINATED')]);
    expect(refusal(world, id, { kind: 'retry', resumeSubworkflowTasks: false })).toMatch(
      /^conflict/,
    );
  });

  it('a domain is kept', () => {
    const world = new World({ taskDefs: noRetries('a'), activeDomains: ['east'] });
    const id = world.start(named('wf', [simple('a')]), {}, { taskToDomain: { '*': 'east,west' } });
    expect(world.task(id, 'a').domain).toBe('east');
    world.report(id, 'a', 'FAILED');
    retry(world, id);
    expect(world.task(id, 'a').domain).toBe('east');
  });
});

describe('1.5.7 rerun', () => {
  it('from the beginning replaces input and correlationId when given; the template is not applied', () => {
    const { world, id } = begin([simple('a', { inputParameters: { n: '${workflow.input.n}' } })], {
      input: { n: 1 },
      def: { inputTemplate: { t: 1 } },
    });
    world.work('a');
    rerun(world, id, undefined, { workflowInput: { n: 2 }, correlationId: 'new' });
    expect([
      world.open(id).execution.input.value,
      world.open(id).execution.attributes.correlationId,
    ]).toEqual([{ n: 2 }, 'new']);
    expect(world.inputOf(id, 'a')).toEqual({ n: 2 });
    expect(world.open(id).execution.state.reRunFromWorkflowId).toBe(id);
  });

  it('case C: the given input replaces that of the task', () => {
    const { world, id } = begin([simple('a', { inputParameters: { n: 1 } }), simple('b')]);
    world.work('a');
    world.work('b');
    rerun(world, id, 'a', { taskInput: { other: 2 } });
    expect([picture(world, id), world.inputOf(id, 'a')]).toEqual([['a SCHEDULED'], { other: 2 }]);
  });

  it('case D: a dynamic fork is expanded again from current data', () => {
    const { world, id } = begin(
      [
        ...dynamicFork('f', '${workflow.variables.list}', {}),
        setVariable('v', { list: [simple('x'), simple('y')] }),
      ],
      { def: { variables: { list: [simple('x')] } } },
    );
    world.work('x');
    rerun(world, id, 'f');
    expect(openRefs(world, id)).toEqual(['x', 'y', 'fj']);
  });

  it('of an in-line task evaluates it as if newly scheduled', () => {
    const { world, id } = begin([setVariable('v', { n: '${workflow.input.n}' }), simple('z')], {
      input: { n: 1 },
    });
    world.work('z');
    rerun(world, id, 'v', { workflowInput: { n: 2 } });
    expect(world.open(id).execution.variables.value).toEqual({ n: 2 });
    expect(picture(world, id)).toEqual(['v COMPLETED', 'z SCHEDULED']);
  });

  it('of a TERMINATE ends the execution again', () => {
    const { world, id } = begin([simple('a'), terminateTask('t', 'FAILED')]);
    world.work('a');
    rerun(world, id, 't');
    expect([world.status(id), picture(world, id)]).toEqual([
      'FAILED',
      ['a COMPLETED', 't COMPLETED'],
    ]);
  });

  it('of a task before a TERMINATE reaches the TERMINATE again', () => {
    const { world, id } = begin([simple('a'), terminateTask('t', 'FAILED')]);
    world.work('a');
    rerun(world, id, 'a');
    expect(picture(world, id)).toEqual(['a SCHEDULED']);
    world.work('a');
    expect(world.status(id)).toBe('FAILED');
  });
});

describe('1.5.8 terminate', () => {
  it('cancels tasks, evaluates the output, keeps the given reason, lists failed names', () => {
    const { world, id } = begin(
      [simple('a', { optional: true }), simple('b', { permissive: true }), simple('c')],
      {
        taskDefs: noRetries('a', 'b'),
        def: { outputParameters: { n: '${b.output.n}' } },
      },
    );
    world.work('a', {}, 'FAILED');
    world.work('b', { n: 1 }, 'FAILED');
    terminate(world, id, 'enough');
    expect([world.status(id), world.reason(id), world.output(id)]).toEqual([
      'TERMINATED',
      'enough',
      { n: 1 },
    ]);
    expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual(['b']);
    expect(picture(world, id).at(-1)).toBe('c CANCELED');
  });

  it('without a reason the children are told the status', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [named('inner', [simple('a')])],
    });
    const inner = world.child(id, 'c');
    tell(world, id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    expect([world.reason(id), world.reason(inner)]).toEqual([
      undefined,
      'Parent workflow has been terminated with status TERMINATED',
    ]);
  });

  it('starts the failure workflow when asked to', () => {
    const { world, id } = begin([simple('a')], {
      workflowDefs: [named('clean', [simple('k')])],
      def: { failureWorkflow: 'clean' },
    });
    tell(world, id, { kind: 'terminate', triggerFailureWorkflow: true, byParent: false });
    expect(world.opens.size).toBe(2);
  });
});

describe('1.5.10 skip', () => {
  it('keeps the given input and output, which expressions see', () => {
    const { world, id } = begin([
      simple('a'),
      simple('b'),
      simple('c', { inputParameters: { o: '${b.output.o}' } }),
    ]);
    tell(world, id, { kind: 'skip-task', ref: 'b', taskInput: { i: 1 }, taskOutput: { o: 2 } });
    world.work('a');
    expect([world.inputOf(id, 'b'), world.inputOf(id, 'c')]).toEqual([{ i: 1 }, { o: 2 }]);
  });

  it('refuses an unknown reference', () => {
    const { world, id } = begin([simple('a')]);
    expect(refusal(world, id, { kind: 'skip-task', ref: 'zz' })).toBe(
      'bad-request: The task referenced by zz does not exist in the WorkflowDefinition wf',
    );
  });

  it('finds nested references', () => {
    const { world, id } = begin([simple('s'), ...fork('f', [[simple('a')], [simple('b')]])]);
    tell(world, id, { kind: 'skip-task', ref: 'a' });
    world.work('s');
    expect(openRefs(world, id)).toEqual(['b', 'fj']);
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('1.5.11 upgrade', () => {
  const upgradeTo = (tasks: ReturnType<typeof simple>[]): ReturnType<World['snapshot']> => {
    const world = new World();
    return world.open(world.start({ name: 'wf', version: 2, tasks })).execution.snapshot;
  };

  it('skips what is new before the position, with the given output, and goes on by the new definition', () => {
    const { world, id } = begin([simple('a'), simple('b')], { input: { n: 1 } });
    world.work('a');
    const snapshot = upgradeTo([
      simple('a'),
      simple('new'),
      simple('b'),
      simple('c', { inputParameters: { o: '${new.output.o}', m: '${workflow.input.m}' } }),
    ]);
    tell(world, id, {
      kind: 'upgrade',
      snapshot,
      taskOutput: { new: { o: 7 } },
      workflowInput: { m: 2 },
    });
    expect(picture(world, id)).toEqual(['new SKIPPED', 'a COMPLETED', 'b SCHEDULED']);
    world.work('b');
    expect([world.inputOf(id, 'c'), world.open(id).execution.snapshot.def.version]).toEqual([
      { o: 7, m: 2 },
      2,
    ]);
  });

  it('refuses when a pending task does not exist any more', () => {
    const { world, id } = begin([simple('a')]);
    expect(
      refusal(world, id, { kind: 'upgrade', snapshot: upgradeTo([simple('x')]), taskOutput: {} }),
    ).toMatch(/^bad-request: Task a is SCHEDULED/);
  });
});

describe('1.5.13 update variables', () => {
  it('merges top-level keys', () => {
    const { world, id } = begin([simple('a')], { def: { variables: { a: { x: 1 }, b: 1 } } });
    tell(world, id, { kind: 'update-variables', variables: { a: { y: 2 }, c: 3 } });
    expect(world.open(id).execution.variables.value).toEqual({ a: { y: 2 }, b: 1, c: 3 });
  });
});

describe('1.6 walking up the parents', () => {
  const inner = named('inner', [simple('x')]);

  it('1.6.1 stops at a superseded attempt, at an optional task and at an orphan', () => {
    const superseded = begin([child('c', 'inner')], {
      workflowDefs: [inner],
      taskDefs: [...noRetries('x'), ...retries(1, 'c')],
    });
    const old = superseded.world.child(superseded.id, 'c');
    superseded.world.work('x', {}, 'FAILED');
    superseded.world.work('x', {}, 'FAILED');
    expect(superseded.world.status(superseded.id)).toBe('FAILED');
    retry(superseded.world, old);
    expect([superseded.world.status(old), superseded.world.status(superseded.id)]).toEqual([
      'RUNNING',
      'FAILED',
    ]);
  });

  it('1.6.3 the parent is RUNNING without reason and failed names, its timeout clock restarted', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [inner],
      taskDefs: noRetries('x'),
    });
    const leaf = world.child(id, 'c');
    world.work('x', {}, 'FAILED');
    world.now += 5000;
    retry(world, leaf);
    const { state } = world.open(id).execution;
    expect(state).toMatchObject({
      status: 'RUNNING',
      failedReferenceTaskNames: [],
      failedTaskNames: [],
      lastRetriedTime: world.now,
    });
    expect([state.reasonForIncompletion, state.failedTaskNumber]).toEqual([undefined, undefined]);
  });

  it('1.6.4 siblings: failed children go on in place, cancelled JOIN and DO_WHILE go on, other cancelled tasks start again in place', () => {
    const { world, id } = begin(
      fork('f', [
        [child('c', 'inner')],
        [child('d', 'inner')],
        [loop('l', 2, [simple('m')])],
        [simple('b')],
        [taskOf('HUMAN', 'h')],
      ]),
      { workflowDefs: [inner], taskDefs: noRetries('x') },
    );
    const [c, d] = [world.child(id, 'c'), world.child(id, 'd')];
    world.report(c, 'x', 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'c FAILED',
      'd CANCELED',
      'l CANCELED',
      'b CANCELED',
      'h CANCELED',
      'fj CANCELED',
      'm__1 CANCELED',
    ]);
    retry(world, c);
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'c IN_PROGRESS', 'd IN_PROGRESS', 'l IN_PROGRESS', 'b #1 SCHEDULED', 'h #1 IN_PROGRESS', 'fj IN_PROGRESS', 'm__1 #1 SCHEDULED',
    ]); // prettier-ignore
    expect([world.status(d), world.child(id, 'd')]).toEqual(['RUNNING', d]);
    world.report(id, 'h', 'COMPLETED');
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('1.6 a completed parent runs again when its child is restarted, and completes again', () => {
    const { world, id } = begin([child('c', 'inner'), simple('z')], { workflowDefs: [inner] });
    const leaf = world.child(id, 'c');
    workAll(world);
    tell(world, leaf, { kind: 'restart' });
    expect([world.status(id), picture(world, id)[0]]).toEqual(['RUNNING', 'c IN_PROGRESS']);
    workAll(world);
    expect([world.status(leaf), world.status(id)]).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('1.6 a running parent is not disturbed when a child of a permissive task is retried', () => {
    const { world, id } = begin([child('c', 'inner', { permissive: true }), simple('z')], {
      workflowDefs: [inner],
      taskDefs: noRetries('x'),
    });
    const leaf = world.child(id, 'c');
    world.work('x', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['c FAILED', 'z SCHEDULED']);
    retry(world, leaf);
    expect(picture(world, id)).toEqual(['c IN_PROGRESS', 'z SCHEDULED']);
    workAll(world);
    expect([world.status(id), picture(world, id)]).toEqual([
      'COMPLETED',
      ['c COMPLETED', 'z COMPLETED'],
    ]);
  });
});

describe('1.7 and 1.8', () => {
  it('1.7 a signal ends the first WAIT, HUMAN or YIELD, with or without timer, and merges the body', () => {
    const { world, id } = begin([
      taskOf('WAIT', 'w', { inputParameters: { duration: '1 hour' } }),
      taskOf('HUMAN', 'h'),
      taskOf('YIELD', 'y'),
    ]);
    for (const ref of ['w', 'h', 'y']) {
      expect(openRefs(world, id)).toEqual([ref]);
      tell(world, id, { kind: 'signal', status: 'COMPLETED', output: Payload.of({ by: ref }) });
      expect(world.outputOf(id, ref)).toEqual({ by: ref });
    }
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('1.7 without a blocked task the children to search are named', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [named('inner', [taskOf('WAIT', 'w')])],
    });
    const signal = { kind: 'signal', status: 'COMPLETED', output: Payload.empty } as const;
    expect(world.command(id, signal)).toEqual({
      kind: 'no-blocked-task',
      children: [world.child(id, 'c')],
    });
  });

  it('1.8 messages: refused when not RUNNING (409) and when the queue is full (429), gone with the end', () => {
    const { world, id } = begin([simple('a')], { limits: { messagesMax: 2 } });
    const push = (n: number) => ({ kind: 'push-message', id: `m${n}`, payload: { n } }) as const;
    tell(world, id, push(1));
    tell(world, id, push(2));
    expect(refusal(world, id, push(3))).toMatch(/^too-many/);
    tell(world, id, { kind: 'pause' });
    expect(refusal(world, id, push(4))).toMatch(/^conflict/);
    expect(world.open(id).execution.messages).toHaveLength(2);
    tell(world, id, { kind: 'resume' });
    world.work('a');
    expect(world.open(id).execution.messages).toEqual([]);
  });
});
