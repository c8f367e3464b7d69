// Semantics 2.8 to 2.14: completion, failure, successors, children and notices, rule by rule.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import {
  begin,
  child,
  choose,
  dynamicFork,
  fork,
  loop,
  named,
  noRetries,
  openRefs,
  retries,
  simple,
  tell,
  terminateTask,
  World,
} from './support.js';

describe('2.8 completion', () => {
  it('2.8.2 outputParameters, missing data is null', () => {
    const { world, id } = begin([simple('a')], {
      def: { outputParameters: { n: '${a.output.n}', gone: '${a.output.gone}' } },
    });
    world.work('a', { n: 1 });
    expect(world.output(id)).toEqual({ n: 1, gone: null });
  });

  it('2.8.2 without outputParameters the last record in list order, never a skipped one', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    tell(world, id, { kind: 'skip-task', ref: 'b', taskOutput: { b: 1 } });
    world.work('a', { n: 1 });
    expect(world.output(id)).toEqual({ n: 1 });
  });

  it('2.8.2 a JOIN that was made last gives its output', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]));
    world.work('a', { n: 1 });
    world.work('b', { n: 2 });
    expect(world.output(id)).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  it('2.8.2 a retried attempt behind the JOIN gives the output', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]), {
      taskDefs: retries(1, 'a'),
    });
    world.work('a', {}, 'FAILED');
    world.work('b');
    world.work('a', { last: 1 });
    expect(world.output(id)).toEqual({ last: 1 });
  });

  it('2.8.3 a failed workflow shows the output of its last task', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b'), simple('c')]]), {
      taskDefs: noRetries('a'),
    });
    world.work('b');
    world.report(id, 'c', 'IN_PROGRESS', { part: 1 });
    world.report(id, 'a', 'FAILED', { bad: 1 });
    expect(world.output(id)).toEqual({ part: 1 });
  });

  it('2.8.4 a workflow that succeeded after retries lists the reference, loop members with their suffix', () => {
    const { world, id } = begin([loop('l', 2, [simple('a')])], { taskDefs: retries(1, 'a') });
    world.work('a');
    world.work('a', {}, 'FAILED');
    world.work('a');
    expect(world.open(id).execution.state).toMatchObject({
      status: 'COMPLETED',
      failedReferenceTaskNames: ['a__2'],
      failedTaskNames: ['a'],
    });
  });

  it('2.8.6 TERMINATE: reasons and output of the three variants', () => {
    for (const [status, more, reason] of [
      ['COMPLETED', {}, 'Workflow is COMPLETED by TERMINATE task: <t>'],
      ['FAILED', {}, 'Workflow is FAILED by TERMINATE task: <t>'],
      ['TERMINATED', {}, 'Workflow is TERMINATED by TERMINATE task: <t>'],
      ['COMPLETED', { terminationReason: 'mine' }, 'mine'],
    ] as const) {
      const { world, id } = begin(
        [terminateTask('t', status, { ...more, workflowOutput: { o: 1 } })],
        { def: { outputParameters: { x: 1 } } },
      );
      expect([world.status(id), world.reason(id), world.output(id)]).toEqual([
        status,
        reason,
        { o: 1 },
      ]);
      expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual([]);
      expect(world.task(id, 't').status).toBe('COMPLETED');
    }
  });

  it('2.8.2 a TERMINATE without workflowOutput gives an empty output', () => {
    const { world, id } = begin([simple('a'), terminateTask('t', 'COMPLETED')], {
      def: { outputParameters: { x: 1 } },
    });
    world.work('a', { n: 1 });
    expect(world.output(id)).toEqual({});
  });
});

describe('2.9 ending by failure', () => {
  const clean = named('clean', [simple('k')]);

  it('2.9 the failure workflow gets input, workflowId, reason, failureStatus, failureTaskId and failedWorkflow', () => {
    const world = new World({ workflowDefs: [clean], taskDefs: noRetries('a') });
    const id = world.start(
      named('wf', [simple('a')], { failureWorkflow: 'clean' }),
      { n: 1 },
      { correlationId: 'c', taskToDomain: { k: 'east' } },
    );
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'bad' });
    const started = world.output(id)['conductor.failure_workflow'] as typeof id;
    const { execution } = world.open(started);
    expect(execution.input.value).toMatchObject({
      n: 1,
      workflowId: id,
      failureStatus: 'FAILED',
      failedWorkflow: { workflowId: id },
    });
    expect(execution.input.value['reason']).toContain("'bad'");
    expect(execution.attributes).toMatchObject({
      correlationId: 'c',
      taskToDomain: { k: 'east' },
      priority: 0,
      triggeredBy: id,
    });
    expect(execution.attributes.parentWorkflowId).toBeUndefined();
  });

  it.each(['${workflow.input.name}', '$workflow.input.name'])(
    '2.9 its name may be the expression %s',
    (failureWorkflow) => {
      const world = new World({ workflowDefs: [clean], taskDefs: noRetries('a') });
      const id = world.start(named('wf', [simple('a')], { failureWorkflow }), { name: 'clean' });
      world.work('a', {}, 'FAILED');
      expect(world.opens.has(world.output(id)['conductor.failure_workflow'] as typeof id)).toBe(
        true,
      );
    },
  );

  it.each([
    ['TIMED_OUT', (world: World) => world.pass(5000)],
    ['TERMINATED by a cancelled child', (world: World) => {
      for (const id of world.opens.keys()) {
        if (world.open(id).execution.snapshot.def.name === 'inner') {
          tell(world, id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
        }
      }
    }],
  ])('2.9 it runs for %s', (_name, end) => {
    const world = new World({ workflowDefs: [clean, named('inner', [simple('x')])] });
    const id = world.start(named('wf', [child('c', 'inner')], { failureWorkflow: 'clean', timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' }));
    end(world);
    expect(world.output(id)['conductor.failure_workflow']).toBeDefined();
  }); // prettier-ignore

  it('2.9 it does not run for a child that its parent terminates', () => {
    const world = new World({
      workflowDefs: [clean, named('inner', [simple('x')], { failureWorkflow: 'clean' })],
    });
    const id = world.start(named('wf', [child('c', 'inner')]));
    tell(world, id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    expect(world.opens.size).toBe(2);
  });

  it('2.9 a failure workflow that fails can have its own', () => {
    const second = named('second', [simple('k')], { failureWorkflow: 'clean' });
    const world = new World({ workflowDefs: [clean, second], taskDefs: noRetries('a', 'k') });
    world.start(named('wf', [simple('a')], { failureWorkflow: 'second' }));
    world.work('a', {}, 'FAILED');
    world.work('k', {}, 'FAILED');
    expect(world.opens.size).toBe(3);
  });
});

describe('2.10 successors', () => {
  const after = (tasks: JsonMap[], done: string[]): string[] => {
    const { world, id } = begin(tasks);
    for (const name of done) world.work(name);
    return openRefs(world, id);
  };

  it.each<[string, JsonMap[], string[], string[]]>([
    ['top level: the following task', [simple('a'), simple('b')], ['a'], ['b']],
    ['inside a case, not last: the following task of the case', [choose('s', 'x', { x: [simple('a'), simple('b')] }), simple('z')], ['a'], ['b']],
    ['last in a case: the successor of the SWITCH', [choose('s', 'x', { x: [simple('a')] }), simple('z')], ['a'], ['z']],
    ['inside a branch, not last: the following task of the branch', fork('f', [[simple('a'), simple('b')]]), ['a'], ['fj', 'b']],
    ['last in a branch: its JOIN', [...fork('f', [[simple('a')]]), simple('z')], ['a'], ['z']],
    ['inside a loop, not last: the following member', [loop('l', 1, [simple('a'), simple('b')])], ['a'], ['l', 'b__1']],
    ['last in a loop: the DO_WHILE decides', [loop('l', 1, [simple('a')]), simple('z')], ['a'], ['z']],
    ['a branch of a dynamic fork: none but the JOIN', [...dynamicFork('f', [simple('a'), simple('b')], {}), simple('z')], ['a'], ['b', 'fj']],
    ['an empty selection: the task after the SWITCH', [choose('s', 'x', {}), simple('z')], [], ['z']],
  ])('2.10 %s', (_name, tasks, done, expected) => {
    expect(after(tasks, done)).toEqual(expected);
  }); // prettier-ignore

  it('2.10 a skipped successor is stepped over, also at the end of a case', () => {
    const { world, id } = begin([choose('s', 'x', { x: [simple('a'), simple('b')] }), simple('z')]);
    tell(world, id, { kind: 'skip-task', ref: 'b' });
    world.work('a');
    expect(openRefs(world, id)).toEqual(['z']);
  });
});

describe('2.11 child to parent', () => {
  it.each([
    ['COMPLETED', 'COMPLETED', 'COMPLETED'],
    ['FAILED', 'FAILED', 'FAILED'],
    ['FAILED_WITH_TERMINAL_ERROR', 'FAILED', 'FAILED'],
    ['CANCELED', 'CANCELED', 'TERMINATED'],
  ] as const)(
    '2.11.1 a child whose task ends %s makes its parent task %s and the parent %s',
    (report, task, parent) => {
      const { world, id } = begin([child('c', 'inner')], {
        workflowDefs: [named('inner', [simple('a')])],
        taskDefs: noRetries('a'),
      });
      world.report(world.child(id, 'c'), 'a', report);
      expect([world.task(id, 'c').status, world.status(id)]).toEqual([task, parent]);
    },
  );

  it('2.11.2 the JOIN of the parent goes on with the end of the child', () => {
    const { world, id } = begin(
      [...fork('f', [[child('c', 'inner')], [child('d', 'inner')]]), simple('z')],
      {
        workflowDefs: [named('inner', [simple('a')])],
      },
    );
    world.work('a', { n: 1 });
    world.work('a', { n: 2 });
    expect(openRefs(world, id)).toEqual(['z']);
    expect(world.outputOf(id, 'fj')).toMatchObject({ c: { n: 1 }, d: { n: 2 } });
  });
});

describe('2.14 notifications', () => {
  const events = (
    workflowStatusListenerEnabled: boolean,
    act: (world: World, id: ReturnType<World['start']>) => void,
  ): string[] => {
    const { world, id } = begin([simple('a')], {
      def: { workflowStatusListenerEnabled, workflowStatusListenerSink: 'conductor:status' },
      taskDefs: noRetries('a'),
    });
    act(world, id);
    return world.published.map(({ payload }) =>
      String(payload['eventType']).replace('WORKFLOW_', ''),
    );
  };

  it('2.14.1 STARTED, then COMPLETED before FINALIZED', () => {
    expect(events(true, (world) => world.work('a'))).toEqual(['STARTED', 'COMPLETED', 'FINALIZED']);
  });

  it('2.14.1 FINALIZED before TERMINATED on failure; then RETRIED, RESTARTED, RERAN, PAUSED, RESUMED', () => {
    const seen = events(true, (world, id) => {
      world.work('a', {}, 'FAILED');
      tell(world, id, { kind: 'retry', resumeSubworkflowTasks: false });
      tell(world, id, { kind: 'pause' });
      tell(world, id, { kind: 'resume' });
      world.work('a');
      tell(world, id, { kind: 'restart' });
      world.work('a');
      tell(world, id, { kind: 'rerun' });
    });
    expect(seen).toEqual([
      'STARTED', 'FINALIZED', 'TERMINATED', 'RETRIED', 'PAUSED', 'RESUMED', 'COMPLETED', 'FINALIZED', 'RESTARTED', 'COMPLETED',
      'FINALIZED', 'RERAN',
    ]); // prettier-ignore
  });

  it('2.14.1 nothing unless the definition has workflowStatusListenerEnabled', () => {
    expect(events(false, (world) => world.work('a'))).toEqual([]);
  });
});
