// Controls that move the position of a running execution: skip, upgrade, jump; and reset of
// callbacks (semantics 1.5.4, 1.5.10, 1.5.11).
import { describe, expect, it } from 'vitest';
import { readWorkflowDef } from '../../../src/model/workflow-def.js';
import type { JsonMap } from '../../../src/model/json.js';
import type { ExecutionId } from '../../../src/std/ids.js';
import { simple, taskOf, workflow, World } from '../support/world.js';

const chain = workflow([simple('a'), simple('b'), simple('c')]);

describe('a skipped task', () => {
  it('stands first with seq 0 and is stepped over', () => {
    const world = new World();
    const id = world.start(chain);
    const reply = world.command(id, {
      kind: 'skip-task',
      ref: 'b',
      taskInput: { i: 1 },
      taskOutput: { o: 2 },
    });
    expect(reply.kind).toBe('ok');
    expect(world.list(id)).toEqual(['0 b b SKIPPED', '1 a a SCHEDULED']);
    expect(world.inputOf(id, 'b')).toEqual({ i: 1 });
    expect(world.outputOf(id, 'b')).toEqual({ o: 2 });
    expect(world.task(id, 'b')).toMatchObject({
      startAt: 0,
      updateAt: 0,
      scheduledAt: world.now,
      endAt: world.now,
    });
    world.work('a');
    expect(world.list(id).at(-1)).toBe('2 c c SCHEDULED');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('counts as done for a JOIN that waits for it already', () => {
    const world = new World();
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a'), simple('a2')], [simple('b')]] }),
        taskOf('JOIN', 'j', { joinOn: ['a2', 'b'] }),
      ]),
    );
    world.command(id, { kind: 'skip-task', ref: 'a2' });
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('is skipped in every iteration of a loop, but never all of the loop', () => {
    const world = new World();
    const id = world.start(
      workflow([
        simple('s'),
        taskOf('DO_WHILE', 'l', {
          loopCondition: "$.l['iteration'] < 2",
          loopOver: [simple('m'), simple('n')],
        }),
      ]),
    );
    world.command(id, { kind: 'skip-task', ref: 'm' });
    expect(world.command(id, { kind: 'skip-task', ref: 'n' })).toMatchObject({
      error: { kind: 'conflict' },
    });
    world.work('s');
    world.work('n');
    world.work('n');
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.list(id).filter((line) => line.includes(' m'))).toEqual(['0 m m SKIPPED']);
  });

  it('may be a TERMINATE: then the flow goes on behind it', () => {
    const world = new World();
    const id = world.start(
      workflow([
        simple('a'),
        taskOf('TERMINATE', 't', { inputParameters: { terminationStatus: 'FAILED' } }),
        simple('c'),
      ]),
    );
    world.command(id, { kind: 'skip-task', ref: 't' });
    world.work('a');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('is refused when unknown, processed, or when the execution does not run', () => {
    const world = new World();
    const id = world.start(chain);
    const skip = (ref: string): unknown => world.command(id, { kind: 'skip-task', ref });
    expect(skip('zz')).toMatchObject({
      error: {
        kind: 'bad-request',
        message: 'The task referenced by zz does not exist in the WorkflowDefinition wf',
      },
    });
    expect(skip('a')).toMatchObject({
      error: {
        kind: 'conflict',
        message: 'The task referenced a has already been processed, cannot be skipped',
      },
    });
    skip('b');
    expect(skip('b')).toMatchObject({ error: { kind: 'conflict' } });
    world.command(id, { kind: 'pause' });
    expect(skip('c')).toMatchObject({
      error: {
        kind: 'conflict',
        message: `The workflow ${id} is not running so the task referenced by c cannot be skipped`,
      },
    });
  });
});

describe('an upgrade', () => {
  const upgrade = (world: World, id: ExecutionId, def: JsonMap, more: JsonMap = {}): unknown =>
    world.command(id, {
      kind: 'upgrade',
      snapshot: world.snapshot(readWorkflowDef({ ...def, version: 2 }, 'def')),
      taskOutput: {},
      ...more,
    });

  it('skips what is new before the position and follows the new definition after it', () => {
    const world = new World();
    const id = world.start(workflow([simple('a'), simple('b')]), { k: 1 });
    world.work('a');
    const reply = upgrade(
      world,
      id,
      workflow([simple('n'), simple('a'), simple('b'), simple('c')]),
      {
        taskOutput: { n: { given: 1 } },
        workflowInput: { m: 2 },
      },
    );
    expect(reply).toEqual({ kind: 'ok' });
    expect(world.list(id)).toEqual(['0 n n SKIPPED', '1 a a COMPLETED', '2 b b SCHEDULED']);
    expect(world.outputOf(id, 'n')).toEqual({ given: 1 });
    expect(world.open(id).execution.input.value).toEqual({ k: 1, m: 2 });
    world.work('b');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.open(id).execution.snapshot.def.version).toBe(2);
  });

  it('skips around the position only, inside branches too', () => {
    const fork = (first: JsonMap[], second: JsonMap[]): JsonMap =>
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [first, second] }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'b'] }),
      ]);
    const world = new World();
    const id = world.start(fork([simple('a')], [simple('b')]));
    upgrade(world, id, fork([simple('n'), simple('a'), simple('a2')], [simple('b')]));
    expect(world.list(id)[0]).toBe('0 n n SKIPPED');
    expect(world.list(id).filter((line) => line.includes('SKIPPED'))).toHaveLength(1);
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('RUNNING');
    world.work('a2');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('takes a paused execution and refuses an ended one and a pending task that is gone', () => {
    const world = new World();
    const id = world.start(chain);
    expect(upgrade(world, id, workflow([simple('b')]))).toMatchObject({
      error: { kind: 'bad-request' },
    });
    world.command(id, { kind: 'pause' });
    expect(upgrade(world, id, chain)).toEqual({ kind: 'ok' });
    expect(world.status(id)).toBe('PAUSED');
    world.command(id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    expect(upgrade(world, id, chain)).toMatchObject({ error: { kind: 'conflict' } });
  });
});

describe('a jump', () => {
  it('forward cancels what is pending, skips what lies between and goes on with the given input', () => {
    const world = new World();
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [simple('b')]] }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'b'] }),
        simple('c'),
        simple('d', { inputParameters: { own: 1, k: 'old' } }),
        simple('e'),
      ]),
    );
    expect(world.command(id, { kind: 'jump', ref: 'd', taskInput: { k: 'new' } })).toEqual({
      kind: 'ok',
    });
    expect(world.list(id)).toEqual([
      '0 c c SKIPPED', '1 f FORK COMPLETED', '2 a a SKIPPED', '3 b b SKIPPED', '4 j JOIN SKIPPED', '5 d d SCHEDULED',
    ]); // prettier-ignore
    expect(world.inputOf(id, 'd')).toEqual({ own: 1, k: 'new' });
    expect(world.poll('a')).toBeUndefined();
    world.work('d');
    world.work('e');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('back drops the records from the target on', () => {
    const world = new World();
    const id = world.start(chain);
    world.work('a');
    world.work('b');
    world.command(id, { kind: 'jump', ref: 'b', taskInput: {} });
    expect(world.list(id)).toEqual(['1 a a COMPLETED', '4 b b SCHEDULED']);
    world.work('b');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('into a case of a SWITCH goes on behind the SWITCH afterwards', () => {
    const world = new World();
    const id = world.start(
      workflow([
        simple('a'),
        taskOf('SWITCH', 's', {
          evaluatorType: 'value-param', expression: 'k', inputParameters: { k: 'x' },
          decisionCases: { x: [simple('x1')], y: [simple('y1'), simple('y2')] },
        }),
        simple('z'),
      ]),
    ); // prettier-ignore
    world.command(id, { kind: 'jump', ref: 'y2', taskInput: {} });
    expect(world.list(id).at(-1)).toBe('2 y2 y2 SCHEDULED');
    world.work('y2');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('back into a case that was not taken runs what follows the SWITCH again', () => {
    const world = new World();
    const id = world.start(
      workflow([
        taskOf('SWITCH', 's', {
          evaluatorType: 'value-param', expression: 'k', inputParameters: { k: 'x' },
          decisionCases: { x: [], y: [simple('y1')] },
        }),
        simple('z'),
        simple('last'),
      ]),
    ); // prettier-ignore
    world.work('z');
    world.command(id, { kind: 'jump', ref: 'y1', taskInput: {} });
    expect(world.list(id)).toEqual(['1 s SWITCH COMPLETED', '4 y1 y1 SCHEDULED']);
    for (const ref of ['y1', 'z', 'last']) world.work(ref);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('tells the children of what it leaves to end', () => {
    const child = { name: 'child', version: 1, tasks: [simple('g')] };
    const world = new World({ workflowDefs: [child] });
    const id = world.start(
      workflow([
        taskOf('SUB_WORKFLOW', 'p', { subWorkflowParam: { name: 'child', version: 1 } }),
        simple('z'),
      ]),
    );
    const childId = world.child(id, 'p');
    world.command(id, { kind: 'jump', ref: 'z', taskInput: {} });
    expect(world.status(childId)).toBe('TERMINATED');
    expect(world.status(id)).toBe('RUNNING');
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('is refused into forks and loops, to unknown references and when the execution does not run', () => {
    const world = new World();
    const id = world.start(
      workflow([
        simple('a'),
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('b')]] }),
        taskOf('JOIN', 'j', { joinOn: ['b'] }),
      ]),
    );
    const jump = (ref: string): unknown => world.command(id, { kind: 'jump', ref, taskInput: {} });
    expect(jump('nope')).toMatchObject({ error: { kind: 'not-found' } });
    expect(jump('b')).toMatchObject({ error: { kind: 'conflict' } });
    expect(jump('j')).toMatchObject({ error: { kind: 'conflict' } });
    world.command(id, { kind: 'pause' });
    expect(jump('f')).toMatchObject({ error: { kind: 'conflict' } });
  });
});

describe('a reset of callbacks', () => {
  it('makes a delayed task visible at once under a new reopenCount number', () => {
    const world = new World();
    const id = world.start(chain);
    world.poll('a');
    world.report(id, 'a', 'IN_PROGRESS', {}, { callbackAfterSeconds: 600 });
    const { reopenCount } = world.task(id, 'a');
    expect(world.poll('a')).toBeUndefined();
    world.outputs.length = 0;
    world.command(id, { kind: 'reset-callbacks' });
    expect(world.outputs.map(({ output }) => output)).toMatchObject([
      { kind: 'unschedule', reopenCount },
      { kind: 'schedule', task: { reopenCount: reopenCount + 1, callbackAfterSeconds: 0 } },
    ]);
    expect(world.poll('a')?.pollCount).toBe(2);
    world.report(id, 'a', 'COMPLETED');
    world.command(id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    expect(world.command(id, { kind: 'reset-callbacks' })).toMatchObject({
      error: { kind: 'conflict', message: 'Workflow is in terminal state. Status = TERMINATED' },
    });
  });
});
