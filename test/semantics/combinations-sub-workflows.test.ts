// Sub-workflows that fail, time out, are terminated, retried, restarted and rerun in every place of
// their parents (semantics 1.5, 1.6, 2.11, 4.10).
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import type { World } from './support.js';
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
  picture,
  rerun,
  retries,
  retry,
  simple,
  taskOf,
  tell,
  terminate,
  terminateTask,
  workAll,
} from './support.js';

const inner = named('inner', [simple('x'), simple('y')]);
const deep = named('deep', [simple('p'), child('i', 'inner'), simple('q')]);
const workflowDefs = [inner, deep];
const never = noRetries('x', 'y', 'p', 'q', 'b');

/** Every place where a parent may hold a child, with what the child's reference is there. */
const places: [string, JsonMap[], string][] = [
  ['alone', [child('c', 'inner'), simple('z')], 'c'],
  ['in a branch', [...fork('f', [[child('c', 'inner')], [simple('b')]]), simple('z')], 'c'],
  [
    'in the middle of a branch',
    [...fork('f', [[simple('s'), child('c', 'inner'), simple('e')], [simple('b')]]), simple('z')],
    'c',
  ],
  ['in a loop', [loop('l', 2, [child('c', 'inner')]), simple('z')], 'c__1'],
  [
    'in a fork in a loop',
    [loop('l', 2, fork('f', [[child('c', 'inner')], [simple('b')]])), simple('z')],
    'c__1',
  ],
  [
    'in a loop in a fork',
    [...fork('f', [[loop('l', 2, [child('c', 'inner')])], [simple('b')]]), simple('z')],
    'c__1',
  ],
  ['in a case', [choose('s', 'k', { k: [child('c', 'inner')] }), simple('z')], 'c'],
  [
    'in a case in a loop',
    [loop('l', 2, [choose('s', 'k', { k: [child('c', 'inner')] })]), simple('z')],
    'c__1',
  ],
  [
    'in a dynamic fork',
    [...dynamicFork('f', [child('c', 'inner'), simple('b')], {}), simple('z')],
    'c',
  ],
  [
    'in a dynamic fork in a loop',
    [loop('l', 2, dynamicFork('f', [child('c', 'inner'), simple('b')], {})), simple('z')],
    'c__1',
  ],
];

/** Works until the child's task `x` is there, fails it, and gives parent and child. */
function failed(
  tasks: JsonMap[],
  ref: string,
): { world: World; id: ExecutionId; childId: ExecutionId } {
  const { world, id } = begin(tasks, { workflowDefs, taskDefs: never });
  if (world.poll('s') !== undefined) world.report(id, 's', 'COMPLETED');
  const childId = world.child(id, ref);
  world.report(childId, 'x', 'FAILED', {}, { reasonForIncompletion: 'bad' });
  expect([world.status(childId), world.status(id)]).toEqual(['FAILED', 'FAILED']);
  expect(world.open(id).openTasks.size).toBe(0);
  return { world, id, childId };
}

function finishes(world: World, id: ExecutionId): void {
  workAll(world);
  expect([world.status(id), openRefs(world, id)]).toEqual(['COMPLETED', []]);
  const newest = new Map(world.open(id).execution.tasks.map((task) => [task.ref, task.status]));
  expect(new Set(newest.values())).toEqual(new Set(['COMPLETED']));
}

describe.each(places)('a child %s that failed', (_place, tasks, ref) => {
  it('goes on with a new child after a retry of the parent', () => {
    const { world, id, childId } = failed(tasks, ref);
    retry(world, id);
    expect(world.status(id)).toBe('RUNNING');
    expect(world.child(id, ref)).not.toBe(childId);
    expect(world.task(id, ref).retryCount).toBe(1);
    finishes(world, id);
    expect(world.status(childId)).toBe('FAILED');
  });

  it('goes on in place after a retry of the parent with resumeSubworkflowTasks', () => {
    const { world, id, childId } = failed(tasks, ref);
    const first = picture(world, id).find((line) => /FAILED|CANCELED/.test(line));
    retry(world, id, true);
    if (!/^[cl]/.test(first ?? '')) {
      // The first unsuccessful record of the list decides: here a worker task that was cancelled
      // along (form B).
      expect([world.status(childId), world.task(id, ref).retryCount]).toEqual(['FAILED', 1]);
      return finishes(world, id);
    }
    expect([world.status(id), world.status(childId), world.child(id, ref)]).toEqual([
      'RUNNING',
      'RUNNING',
      childId,
    ]);
    expect(picture(world, childId)).toEqual(['x FAILED', 'x #1 SCHEDULED']);
    finishes(world, id);
  });

  it.each(['retry', 'restart', 'rerun', 'rerun from its task'])(
    'reopens the parent when the child gets a %s',
    (operation) => {
      const { world, id, childId } = failed(tasks, ref);
      const { number } = world.task(id, ref);
      if (operation === 'retry') retry(world, childId);
      if (operation === 'restart') tell(world, childId, { kind: 'restart' });
      if (operation === 'rerun') rerun(world, childId);
      if (operation === 'rerun from its task') rerun(world, childId, 'x');
      expect([world.status(id), world.status(childId)]).toEqual(['RUNNING', 'RUNNING']);
      expect(world.task(id, ref)).toMatchObject({
        number,
        status: 'IN_PROGRESS',
        subWorkflowId: childId,
        retried: false,
      });
      expect(world.task(id, ref).reason).toBeUndefined();
      finishes(world, id);
      expect(world.status(childId)).toBe('COMPLETED');
    },
  );

  it('goes on with a new child under the same record after a rerun from its task in the parent', () => {
    const { world, id, childId } = failed(tasks, ref);
    const { number } = world.task(id, ref);
    rerun(world, id, ref);
    expect(world.task(id, ref)).toMatchObject({ number, retryCount: 0 });
    expect(world.child(id, ref)).not.toBe(childId);
    finishes(world, id);
    expect(world.status(childId)).toBe('FAILED');
  });

  it('is left alone by a restart and by a rerun of the parent', () => {
    for (const operation of ['restart', 'rerun'] as const) {
      const { world, id, childId } = failed(tasks, ref);
      tell(world, id, { kind: operation });
      finishes(world, id);
      retry(world, childId);
      workAll(world);
      expect([world.status(childId), world.status(id)]).toEqual(['COMPLETED', 'COMPLETED']);
    }
  });
});

describe.each(places)('a child %s', (_place, tasks, ref) => {
  it('that is terminated by hand takes the parent along, and a retry of the parent starts a new one', () => {
    const { world, id } = begin(tasks, { workflowDefs, taskDefs: never });
    if (world.poll('s') !== undefined) world.report(id, 's', 'COMPLETED');
    terminate(world, world.child(id, ref), 'by hand');
    expect([world.task(id, ref).status, world.status(id)]).toEqual(['CANCELED', 'TERMINATED']);
    retry(world, id);
    finishes(world, id);
  });

  it('is terminated with its parent, and both run again after a retry of the child', () => {
    const { world, id } = begin(tasks, { workflowDefs, taskDefs: never });
    if (world.poll('s') !== undefined) world.report(id, 's', 'COMPLETED');
    const childId = world.child(id, ref);
    terminate(world, id, 'enough');
    expect([world.status(childId), world.reason(childId)]).toEqual([
      'TERMINATED',
      'Parent workflow has been terminated with reason: enough',
    ]);
    expect(world.task(id, ref).reason).toBeUndefined();
    retry(world, childId);
    expect([world.status(id), world.status(childId)]).toEqual(['RUNNING', 'RUNNING']);
    finishes(world, id);
  });

  it('is terminated when its parent times out', () => {
    const { world, id } = begin(tasks, {
      workflowDefs,
      taskDefs: never,
      def: { timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' },
    });
    if (world.poll('s') !== undefined) world.report(id, 's', 'COMPLETED');
    const childId = world.child(id, ref);
    world.pass(5000);
    expect([world.status(id), world.status(childId)]).toEqual(['TIMED_OUT', 'TERMINATED']);
    retry(world, id);
    finishes(world, id);
  });
});

describe('a family of three generations', () => {
  const start = (): { world: World; ids: [ExecutionId, ExecutionId, ExecutionId] } => {
    const { world, id } = begin(
      [...fork('f', [[child('d', 'deep')], [simple('b')]]), simple('z')],
      { workflowDefs, taskDefs: never },
    );
    world.work('p');
    const middle = world.child(id, 'd');
    return { world, ids: [id, middle, world.child(middle, 'i')] };
  };
  const statuses = (world: World, ids: readonly ExecutionId[]): string[] =>
    ids.map((id) => world.status(id));

  it('fails from the bottom up, with each reason in that of the parent', () => {
    const { world, ids } = start();
    world.report(ids[2], 'x', 'FAILED', {}, { reasonForIncompletion: 'bad' });
    expect(statuses(world, ids)).toEqual(['FAILED', 'FAILED', 'FAILED']);
    expect(world.reason(ids[0])).toMatch(
      /^Task <d> .*Sub workflow deep\.1\/<execution>.*Sub workflow inner\.1\/.*'bad'/,
    );
    expect(picture(world, ids[0])).toEqual([
      'f COMPLETED',
      'd FAILED',
      'b CANCELED',
      'fj CANCELED',
    ]);
  });

  it('is terminated from the top down', () => {
    const { world, ids } = start();
    terminate(world, ids[0], 'enough');
    expect(statuses(world, ids)).toEqual(['TERMINATED', 'TERMINATED', 'TERMINATED']);
    expect(world.reason(ids[2])).toBe(
      'Parent workflow has been terminated with reason: Parent workflow has been terminated with reason: enough',
    );
  });

  it('is terminated from the middle in both directions', () => {
    const { world, ids } = start();
    terminate(world, ids[1], 'enough');
    expect(statuses(world, ids)).toEqual(['TERMINATED', 'TERMINATED', 'TERMINATED']);
    expect(world.task(ids[0], 'd').status).toBe('CANCELED');
  });

  it('pause of the top does not pause the rest; an end below is stored and goes on after resume', () => {
    const { world, ids } = start();
    tell(world, ids[0], { kind: 'pause' });
    expect(statuses(world, ids)).toEqual(['PAUSED', 'RUNNING', 'RUNNING']);
    for (const type of ['x', 'y', 'q']) world.work(type);
    world.work('b');
    expect(picture(world, ids[0])).toEqual([
      'f COMPLETED',
      'd COMPLETED',
      'b COMPLETED',
      'fj COMPLETED',
    ]);
    tell(world, ids[0], { kind: 'resume' });
    expect(picture(world, ids[0]).slice(-2)).toEqual(['fj COMPLETED', 'z SCHEDULED']);
  });

  it('pause of the middle holds the end of the bottom there', () => {
    const { world, ids } = start();
    tell(world, ids[1], { kind: 'pause' });
    world.work('x');
    world.work('y');
    expect(picture(world, ids[1])).toEqual(['p COMPLETED', 'i COMPLETED']);
    tell(world, ids[1], { kind: 'resume' });
    expect(openRefs(world, ids[1])).toEqual(['q']);
  });

  it.each([
    ['retry of the bottom', 2, { kind: 'retry', resumeSubworkflowTasks: false }],
    ['restart of the bottom', 2, { kind: 'restart' }],
    ['rerun of the bottom', 2, { kind: 'rerun' }],
    ['retry of the middle', 1, { kind: 'retry', resumeSubworkflowTasks: false }],
    ['deep retry of the middle', 1, { kind: 'retry', resumeSubworkflowTasks: true }],
    ['restart of the middle', 1, { kind: 'restart' }],
    ['rerun of the middle', 1, { kind: 'rerun' }],
    ['deep retry of the top', 0, { kind: 'retry', resumeSubworkflowTasks: true }],
  ] as const)('%s reopens everything above it', (_name, level, command) => {
    const { world, ids } = start();
    world.report(ids[2], 'x', 'FAILED');
    expect(statuses(world, ids)).toEqual(['FAILED', 'FAILED', 'FAILED']);
    tell(world, ids[level], command);
    expect(statuses(world, ids.slice(0, level + 1))).toEqual(Array(level + 1).fill('RUNNING'));
    expect(picture(world, ids[0])).toEqual([
      'f COMPLETED',
      'd IN_PROGRESS',
      'b #1 SCHEDULED',
      'fj IN_PROGRESS',
    ]);
    workAll(world);
    expect(statuses(world, ids.slice(0, level + 1))).toEqual(Array(level + 1).fill('COMPLETED'));
  });

  it('retry of the top alone starts new children and leaves the old ones', () => {
    const { world, ids } = start();
    world.report(ids[2], 'x', 'FAILED');
    retry(world, ids[0]);
    workAll(world);
    expect(statuses(world, ids)).toEqual(['COMPLETED', 'FAILED', 'FAILED']);
    expect(world.opens.size).toBe(5);
  });

  it('two children that failed together go on together when one is retried', () => {
    const { world, id } = begin(
      [...fork('f', [[child('c', 'inner')], [child('d', 'inner')]]), simple('z')],
      {
        workflowDefs,
        taskDefs: never,
      },
    );
    const [c, d] = [world.child(id, 'c'), world.child(id, 'd')];
    world.report(c, 'x', 'FAILED');
    expect([world.status(id), world.status(d)]).toEqual(['FAILED', 'TERMINATED']);
    retry(world, c);
    expect([world.status(id), world.status(c), world.status(d)]).toEqual([
      'RUNNING',
      'RUNNING',
      'RUNNING',
    ]);
    expect([world.child(id, 'c'), world.child(id, 'd')]).toEqual([c, d]);
    finishes(world, id);
  });
});

describe('children and their parents otherwise', () => {
  it('a TERMINATE in a child ends the child only', () => {
    const stops = named('stops', [
      terminateTask('t', 'COMPLETED', { workflowOutput: { o: 1 } }),
      simple('never'),
    ]);
    const { world, id } = begin([child('c', 'stops'), simple('z')], { workflowDefs: [stops] });
    expect(picture(world, id)).toEqual(['c COMPLETED', 'z SCHEDULED']);
    expect(world.outputOf(id, 'c')).toMatchObject({ o: 1 });
  });

  it.each([
    ['FAILED', 'FAILED', 'FAILED'],
    ['TERMINATED', 'CANCELED', 'TERMINATED'],
  ])('a TERMINATE %s in a child makes its task %s and the parent %s', (status, task, parent) => {
    const stops = named('stops', [terminateTask('t', status, { terminationReason: 'asked' })]);
    const { world, id } = begin([child('c', 'stops'), simple('z')], { workflowDefs: [stops] });
    expect([world.task(id, 'c').status, world.status(id)]).toEqual([task, parent]);
    expect(world.task(id, 'c').reason).toMatch(/failure reason: asked$/);
  });

  it('a child that times out makes its task and the parent TIMED_OUT', () => {
    const slow = named('slow', [simple('x')], { timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' });
    const { world, id } = begin([child('c', 'slow')], { workflowDefs: [slow] });
    world.pass(5000);
    expect([world.task(id, 'c').status, world.status(id)]).toEqual(['TIMED_OUT', 'TIMED_OUT']);
  });

  it('an optional child that fails, in a branch and in a loop', () => {
    const optional = child('c', 'inner', { optional: true });
    const branch = begin(fork('f', [[optional], [simple('b')]]), { workflowDefs, taskDefs: never });
    branch.world.work('x', {}, 'FAILED');
    branch.world.work('b');
    expect(picture(branch.world, branch.id)).toEqual([
      'f COMPLETED', 'c COMPLETED_WITH_ERRORS', 'b COMPLETED', 'fj COMPLETED_WITH_ERRORS',
    ]); // prettier-ignore
    expect(branch.world.status(branch.id)).toBe('COMPLETED');
    const looped = begin([loop('l', 2, [optional])], { workflowDefs, taskDefs: never });
    looped.world.work('x', {}, 'FAILED');
    const second = looped.world.child(looped.id, 'c__2');
    looped.world.work('x');
    looped.world.work('y');
    expect([looped.world.status(second), looped.world.status(looped.id)]).toEqual([
      'COMPLETED',
      'COMPLETED',
    ]);
  });

  it('a child that is retried by its own definition in a loop starts again in its iteration', () => {
    const { world, id } = begin([loop('l', 2, [child('c', 'inner')])], {
      workflowDefs,
      taskDefs: [...never, ...retries(1, 'c')],
    });
    world.work('x', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'c__1 FAILED', 'c__1 #1 IN_PROGRESS']);
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('an old attempt that is retried by hand does not touch the parent, which waits for the new one', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs,
      taskDefs: [...never, ...retries(1, 'c')],
    });
    const old = world.child(id, 'c');
    world.work('x', {}, 'FAILED');
    retry(world, old);
    world.report(old, 'x', 'COMPLETED');
    world.report(old, 'y', 'COMPLETED');
    expect([world.status(old), picture(world, id)]).toEqual([
      'COMPLETED',
      ['c FAILED', 'c #1 IN_PROGRESS'],
    ]);
  });

  it('a child is started by expressions and gets what they give', () => {
    const task = taskOf('SUB_WORKFLOW', 'c', {
      subWorkflowParam: {
        name: '${workflow.input.which}',
        version: 1,
        taskToDomain: { x: 'east' },
        priority: '${workflow.input.urgency}',
      },
      inputParameters: {
        n: '${workflow.input.n}',
        list: ['${workflow.input.n}', 'v${workflow.input.n}'],
      },
    });
    const { world, id } = begin([task], {
      workflowDefs,
      input: { which: 'inner', n: 3, urgency: 9 },
    });
    const { execution } = world.open(world.child(id, 'c'));
    expect(execution.input.value).toEqual({ n: 3, list: [3, 'v3'] });
    expect(execution.attributes).toMatchObject({
      priority: 9,
      taskToDomain: { x: 'east' },
      parentWorkflowId: id,
    });
    expect(world.task(world.child(id, 'c'), 'x').domain).toBe('east');
  });

  it('an inline definition is run without being registered, and marks its input', () => {
    const task = taskOf('SUB_WORKFLOW', 'c', {
      subWorkflowParam: {
        name: 'mine',
        workflowDefinition: { name: 'mine', version: 3, tasks: [simple('x')] },
      },
      inputParameters: { n: 1 },
    });
    const { world, id } = begin([task]);
    const { execution } = world.open(world.child(id, 'c'));
    expect(execution.snapshot.def).toMatchObject({ name: 'mine', version: 3 });
    expect(execution.input.value).toEqual({ n: 1, _systemMetadata: { dynamic: true } });
  });

  it('an unknown definition fails the task with its name', () => {
    const { world, id } = begin([
      taskOf('SUB_WORKFLOW', 'c', { subWorkflowParam: { name: 'gone', version: 7 } }),
    ]);
    expect(world.task(id, 'c')).toMatchObject({
      status: 'FAILED',
      reason: 'No such workflow defined. name=gone, version=7',
    });
    expect([world.status(id), world.outputOf(id, 'c')]).toEqual(['FAILED', {}]);
  });

  it('a DYNAMIC task may be a sub-workflow', () => {
    const task = taskOf('DYNAMIC', 'd', {
      dynamicTaskNameParam: 'which', inputParameters: { which: 'SUB_WORKFLOW' }, subWorkflowParam: { name: 'inner', version: 1 },
    }); // prettier-ignore
    const { world, id } = begin([task, simple('z')], { workflowDefs });
    expect(world.task(id, 'd')).toMatchObject({ taskType: 'SUB_WORKFLOW', status: 'IN_PROGRESS' });
    expect(workAll(world)).toEqual(['x', 'y', 'z']);
  });

  it('a failed child whose parent is paused ends the parent after resume', () => {
    const { world, id } = begin([child('c', 'inner')], { workflowDefs, taskDefs: never });
    tell(world, id, { kind: 'pause' });
    world.work('x', {}, 'FAILED');
    expect([world.status(id), picture(world, id)]).toEqual(['PAUSED', ['c FAILED']]);
    tell(world, id, { kind: 'resume' });
    expect(world.status(id)).toBe('FAILED');
  });

  it('a failure workflow of a child and of its parent run once each', () => {
    const clean = named('clean', [simple('k')]);
    const fails = named('fails', [simple('x')], { failureWorkflow: 'clean' });
    const { world, id } = begin([child('c', 'fails')], {
      workflowDefs: [clean, fails],
      taskDefs: never,
      def: { failureWorkflow: '${workflow.input.cleaner}' },
      input: { cleaner: 'clean' },
    });
    world.work('x', {}, 'FAILED');
    expect(world.opens.size).toBe(4);
    const started = world.output(id)['conductor.failure_workflow'] as ExecutionId;
    expect(world.open(started).execution.input.value).toMatchObject({
      workflowId: id,
      failureStatus: 'FAILED',
      cleaner: 'clean',
    });
  });
});
