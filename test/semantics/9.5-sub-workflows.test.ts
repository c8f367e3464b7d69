// Semantics 9.5: edge cases of sub-workflows, line by line.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import {
  begin,
  child,
  fork,
  named,
  noRetries,
  picture,
  rerun,
  result,
  retries,
  retry,
  simple,
  taskOf,
  tell,
  terminate,
  World,
} from './support.js';

const inner = named('inner', [simple('a')]);

describe('9.5 sub-workflows', () => {
  it('9.5.108 a child fails: the task is FAILED with its reason; output has subWorkflowId and the output of the child', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [inner],
      taskDefs: noRetries('a'),
    });
    const childId = world.child(id, 'c');
    world.report(childId, 'a', 'FAILED', { part: 1 }, { reasonForIncompletion: 'bad' });
    const task = world.task(id, 'c');
    expect([task.status, world.outputOf(id, 'c')]).toEqual([
      'FAILED',
      { subWorkflowId: childId, part: 1 },
    ]);
    expect(task.reason).toMatch(
      new RegExp(
        `^Sub workflow inner.1/${childId} failure reason: Task .* failed with status: FAILED and reason: 'bad'$`,
      ),
    );
    expect(world.status(id)).toBe('FAILED');
  });

  it('9.5.109 a child is terminated by hand: the task is CANCELED, the parent TERMINATED with that reason', () => {
    const { world, id } = begin([child('c', 'inner')], { workflowDefs: [inner] });
    terminate(world, world.child(id, 'c'), 'by hand');
    expect([world.task(id, 'c').status, world.status(id)]).toEqual(['CANCELED', 'TERMINATED']);
    expect(world.reason(id)).toMatch(
      /^Task <c> failed with status: TERMINATED and reason: 'Sub workflow inner\.1\/<execution> failure reason: by hand'$/,
    );
    expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual([]);
  });

  it('9.5.110 a SUB_WORKFLOW task with retryCount 1 starts a second child, the first stays FAILED', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [inner],
      taskDefs: [...noRetries('a'), ...retries(1, 'c')],
    });
    const first = world.child(id, 'c');
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['c FAILED', 'c #1 IN_PROGRESS']);
    const second = world.child(id, 'c');
    expect(second).not.toBe(first);
    world.work('a');
    expect([world.status(id), world.status(first), world.status(second)]).toEqual([
      'COMPLETED',
      'FAILED',
      'COMPLETED',
    ]);
  });

  it('9.5.111 a failed child of a failed parent is retried: parents run again, JOINs too, siblings in place, same record', () => {
    const { world, id } = begin([child('g', 'middle')], {
      workflowDefs: [inner, named('middle', fork('f', [[child('c', 'inner')], [simple('b')]]))],
      taskDefs: noRetries('a'),
    });
    const middle = world.child(id, 'g');
    const leaf = world.child(middle, 'c');
    const { number } = world.task(middle, 'c');
    world.work('a', {}, 'FAILED');
    expect(picture(world, middle)).toEqual([
      'f COMPLETED',
      'c FAILED',
      'b CANCELED',
      'fj CANCELED',
    ]);
    retry(world, leaf);
    expect([id, middle, leaf].map((each) => world.status(each))).toEqual([
      'RUNNING',
      'RUNNING',
      'RUNNING',
    ]);
    expect(picture(world, middle)).toEqual([
      'f COMPLETED',
      'c IN_PROGRESS',
      'b #1 SCHEDULED',
      'fj IN_PROGRESS',
    ]);
    expect(world.task(middle, 'c').number).toBe(number);
    world.work('a');
    world.work('b');
    expect([id, middle, leaf].map((each) => world.status(each))).toEqual([
      'COMPLETED',
      'COMPLETED',
      'COMPLETED',
    ]);
  });

  it('9.5.112 with an optional SUB_WORKFLOW task the parent is not touched', () => {
    const { world, id } = begin([child('c', 'inner', { optional: true }), simple('b')], {
      workflowDefs: [inner],
      taskDefs: noRetries('a'),
    });
    const leaf = world.child(id, 'c');
    world.work('a', {}, 'FAILED');
    world.work('b');
    retry(world, leaf);
    expect([world.status(leaf), world.status(id)]).toEqual(['RUNNING', 'COMPLETED']);
    expect(picture(world, id)).toEqual(['c COMPLETED_WITH_ERRORS', 'b COMPLETED']);
  });

  it('9.5.113 an orphan of the old run is retried and completes: the new run of the parent is unaffected', () => {
    const { world, id } = begin([child('c', 'inner'), simple('z')], {
      workflowDefs: [inner],
      taskDefs: noRetries('a'),
    });
    const orphan = world.child(id, 'c');
    world.work('a', {}, 'FAILED');
    tell(world, id, { kind: 'restart' });
    const fresh = picture(world, id);
    retry(world, orphan);
    world.report(orphan, 'a', 'COMPLETED');
    expect([world.status(orphan), picture(world, id)]).toEqual(['COMPLETED', fresh]);
  });

  it('9.5.114 a child of a generation that a rerun replaced ends: its result is dropped', () => {
    const { world, id } = begin(
      [simple('s'), ...fork('f', [[child('c', 'inner')], [simple('b')]])],
      {
        workflowDefs: [inner],
        taskDefs: noRetries('b'),
      },
    );
    world.work('s');
    const old = world.child(id, 'c');
    world.work('b', {}, 'FAILED');
    rerun(world, id, 'f');
    expect(world.child(id, 'c')).not.toBe(old);
    retry(world, old);
    world.report(old, 'a', 'COMPLETED');
    expect(picture(world, id)).toEqual([
      's COMPLETED',
      'f COMPLETED',
      'c IN_PROGRESS',
      'b SCHEDULED',
      'fj IN_PROGRESS',
    ]);
  });

  it('9.5.115 retry with resumeSubworkflowTasks goes on in the existing children, without it there is a new child', () => {
    for (const resume of [true, false]) {
      const { world, id } = begin([child('g', 'middle')], {
        workflowDefs: [inner, named('middle', fork('f', [[child('c', 'inner')], [simple('b')]]))],
        taskDefs: noRetries('a'),
      });
      const middle = world.child(id, 'g');
      const leaf = world.child(middle, 'c');
      world.work('a', {}, 'FAILED');
      retry(world, id, resume);
      expect(world.child(id, 'g') === middle).toBe(resume);
      expect(world.status(leaf)).toBe(resume ? 'RUNNING' : 'FAILED');
      world.work('a');
      world.work('b');
      expect(world.status(id)).toBe('COMPLETED');
    }
  });

  it('9.5.116 a start that is repeated after a crash meets the same child', () => {
    const world = new World({ workflowDefs: [inner] });
    const started: string[] = [];
    const deliver = world.deliver.bind(world);
    world.deliver = (from: ExecutionId, message): void => {
      if (message.kind === 'start-child') {
        started.push(message.childId);
        deliver(from, message);
        // The answer was lost: the next owner finds the outbox message and delivers it again.
        deliver(from, message);
      } else deliver(from, message);
    };
    const id = world.start(named('wf', [child('c', 'inner')]));
    expect([started.length, world.opens.size, world.child(id, 'c')]).toEqual([1, 2, started[0]]);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.5.117 a parent times out: the child is TERMINATED; a retry of the child alone reopens the chain', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [inner],
      def: { timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' },
    });
    const leaf = world.child(id, 'c');
    world.pass(10_000);
    expect([world.status(id), world.status(leaf)]).toEqual(['TIMED_OUT', 'TERMINATED']);
    retry(world, leaf);
    expect([world.status(id), world.status(leaf)]).toEqual(['RUNNING', 'RUNNING']);
    expect(picture(world, id)).toEqual(['c IN_PROGRESS']);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.5.118 version null is the one resolved at the start of the parent, 0 the newest when the task starts', () => {
    const versions: number[] = [];
    for (const version of [1, 0]) {
      const world = new World({ workflowDefs: [inner] });
      const id = world.start(
        named('wf', [
          simple('s'),
          taskOf('SUB_WORKFLOW', 'c', { subWorkflowParam: { name: 'inner', version } }),
        ]),
      );
      world.workflowDefs.set(
        'inner.2',
        world.snapshot({ ...world.open(id).execution.snapshot.def, name: 'inner', version: 2 }).def,
      );
      world.work('s');
      versions.push(world.open(world.child(id, 'c')).execution.snapshot.def.version);
    }
    expect(versions).toEqual([1, 2]);
  });

  it('9.5.119 without inputParameters the input of the child holds the technical keys', () => {
    const { world, id } = begin([child('c', 'inner')], { workflowDefs: [inner] });
    const input = world.open(world.child(id, 'c')).execution.input.value;
    expect(Object.keys(input).sort()).toEqual([
      'idempotencyKey', 'idempotencyStrategy', 'priority', 'subWorkflowDefinition', 'subWorkflowName',
      'subWorkflowTaskToDomain', 'subWorkflowVersion', 'workflowInput',
    ]); // prettier-ignore
  });

  it('9.5.120 a child without a priority of its own inherits that of its parent', () => {
    const priorityOf = (own: JsonMap): number => {
      const world = new World({ workflowDefs: [inner] });
      const task = taskOf('SUB_WORKFLOW', 'c', {
        subWorkflowParam: { name: 'inner', version: 1, ...own },
      });
      const id = world.start(named('wf', [task]), {}, { priority: 7 });
      return world.open(world.child(id, 'c')).execution.attributes.priority;
    };
    expect([priorityOf({}), priorityOf({ priority: 3 }), priorityOf({ priority: 'x' })]).toEqual([
      7, 3, 7,
    ]);
  });
});

describe('9.6 lines about tasks that need no server', () => {
  it('9.6.151 an update of a SUB_WORKFLOW or JOIN task by a caller counts, a later result of the child is ignored', () => {
    const { world, id } = begin([child('c', 'inner'), simple('z')], { workflowDefs: [inner] });
    const leaf = world.child(id, 'c');
    world.report(id, 'c', 'COMPLETED', { by: 'hand' });
    expect(picture(world, id)).toEqual(['c COMPLETED', 'z SCHEDULED']);
    world.report(leaf, 'a', 'COMPLETED', { late: 1 });
    expect(world.outputOf(id, 'c')).toEqual({ by: 'hand' });
    const joined = begin([...fork('f', [[simple('a')]]), simple('z')]);
    tell(joined.world, joined.id, {
      kind: 'update-task',
      task: { ref: 'fj' },
      result: result('COMPLETED', { j: 1 }),
      mergeOutput: false,
    });
    expect(picture(joined.world, joined.id)).toEqual([
      'f COMPLETED',
      'a SCHEDULED',
      'fj COMPLETED',
      'z SCHEDULED',
    ]);
    expect(joined.world.outputOf(joined.id, 'fj')).toEqual({ j: 1 });
  });

  it('9.6.138 a failure workflow that is not registered leaves an error text in the output', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: noRetries('a'),
      def: { failureWorkflow: 'gone' },
    });
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.output(id)['conductor.failure_workflow']).toContain(
      'No such workflow defined. name=gone',
    );
  });

  it('9.6.139 a user terminate does not start the failure workflow', () => {
    const { world, id } = begin([simple('a')], {
      workflowDefs: [inner],
      def: { failureWorkflow: 'inner' },
    });
    terminate(world, id);
    expect([world.opens.size, world.output(id)]).toEqual([1, {}]);
  });

  it('9.6.143 FAILED by a mapping error without a failed task: retry 409, restart and rerun help', () => {
    const broken = taskOf('FORK_JOIN_DYNAMIC', 'f', {
      dynamicForkTasksParam: 't', dynamicForkTasksInputParamName: 'i', inputParameters: { t: '${workflow.input.t}', i: {} },
    }); // prettier-ignore
    const { world, id } = begin([simple('a'), broken, taskOf('JOIN', 'j')], { input: { t: 1 } });
    world.work('a');
    expect(world.status(id)).toBe('FAILED');
    expect(world.command(id, { kind: 'retry', resumeSubworkflowTasks: false })).toMatchObject({
      error: { kind: 'conflict' },
    });
    rerun(world, id, 'a', { workflowInput: { t: [simple('x')] } });
    world.work('a');
    world.work('x');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.6.145 a rerun from the start long after timeoutSeconds does not time out at once', () => {
    const { world, id } = begin([simple('a')], {
      def: { timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' },
    });
    world.work('a');
    world.now += 100_000;
    rerun(world, id);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(10_000);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.6.146 a HUMAN task in state does not hold up the workflow timeout', () => {
    const { world, id } = begin([taskOf('HUMAN', 'h')], {
      def: { timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' },
    });
    world.pass(10_000);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.6.152 a WAIT until a moment in the past or for 0 seconds completes after the current millisecond', () => {
    for (const inputParameters of [{ until: '2020-01-01' }, { duration: '0 seconds' }]) {
      const { world, id } = begin([taskOf('WAIT', 'w', { inputParameters })]);
      world.pass(1);
      expect(world.status(id)).toBe('COMPLETED');
    }
  });

  it('9.6.153 duration and until both given by expressions: FAILED_WITH_TERMINAL_ERROR, workflow FAILED', () => {
    const inputParameters = { duration: '${workflow.input.d}', until: '${workflow.input.u}' };
    const { world, id } = begin([taskOf('WAIT', 'w', { inputParameters })], {
      input: { d: '1s', u: '2030-01-01' },
    });
    expect([picture(world, id), world.status(id)]).toEqual([
      ['w FAILED_WITH_TERMINAL_ERROR'],
      'FAILED',
    ]);
  });

  it('9.6.154 DYNAMIC with a null name: FAILED without a record', () => {
    const { world, id } = begin([taskOf('DYNAMIC', 'd', { dynamicTaskNameParam: 'which' })]);
    expect([picture(world, id), world.status(id)]).toEqual([[], 'FAILED']);
    expect(world.reason(id)).toBe(
      'Cannot map a dynamic task based on the parameter and input. Parameter= which, input= {}',
    );
  });
});
