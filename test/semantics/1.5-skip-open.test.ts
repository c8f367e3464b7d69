// Skipping a task that is open (`evenIfOpen`), which goes beyond semantics 1.5.10: the record that
// is there becomes SKIPPED and the flow goes on behind it. Every world reloads its executions after
// each step, so that nothing of this rests on memory.
import { describe, expect, it } from 'vitest';
import type { ExecutionId } from '../../src/std/ids.js';
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
  refusal,
  rerun,
  result,
  retries,
  retry,
  simple,
  startOfTime,
  taskOf,
  tell,
  workAll,
  type World,
} from './support.js';

const skip = (ref: string, more: { taskOutput?: { o: number }; reason?: string } = {}) =>
  ({ kind: 'skip-task', ref, evenIfOpen: true, ...more }) as const;

describe('skip of an open task', () => {
  it('makes its record SKIPPED, in its place, and goes on behind it', () => {
    const { world, id } = begin([simple('a'), simple('b'), simple('c')]);
    world.work('a');
    tell(world, id, skip('b', { reason: 'not needed' }));
    expect(picture(world, id)).toEqual(['a COMPLETED', 'b SKIPPED', 'c SCHEDULED']);
    expect(world.task(id, 'b')).toMatchObject({
      seq: 2,
      reason: 'not needed',
      executed: false,
      endAt: world.now,
    });
    expect(world.poll('b')).toBeUndefined();
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('may be the first and the last task; the execution completes without an output', () => {
    const { world, id } = begin([simple('a')]);
    tell(world, id, skip('a'));
    expect([world.status(id), world.output(id)]).toEqual(['COMPLETED', {}]);
  });

  it('gives the output that expressions see', () => {
    const next = simple('b', { inputParameters: { o: '${a.output.o}' } });
    const { world, id } = begin([simple('a'), next]);
    tell(world, id, skip('a', { taskOutput: { o: 7 } }));
    expect(world.inputOf(id, 'b')).toEqual({ o: 7 });
  });

  it('takes it from its worker, whose report is ignored', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    const { number } = world.poll('a') ?? expect.fail('no task');
    tell(world, id, skip('a'));
    const reply = world.command(id, {
      kind: 'update-task',
      task: { taskNumber: number },
      result: result('COMPLETED', { late: true }),
      mergeOutput: false,
    });
    expect(reply).toMatchObject({ kind: 'updated', ignored: true });
    expect(picture(world, id)).toEqual(['a SKIPPED', 'b SCHEDULED']);
    expect(world.outputOf(id, 'a')).toEqual({});
  });

  it.each([
    ['WAIT', {}],
    ['WAIT', { inputParameters: { duration: '1 hours' } }],
    ['HUMAN', {}],
  ])('skips a waiting %s', (type, more) => {
    const { world, id } = begin([taskOf(type, 'w', more), simple('b')]);
    tell(world, id, skip('w'));
    expect(picture(world, id)).toEqual(['w SKIPPED', 'b SCHEDULED']);
    world.pass(2 * 3_600_000);
    expect(picture(world, id)).toEqual(['w SKIPPED', 'b SCHEDULED']);
  });

  it('skips an attempt that waits for the delay of its retry', () => {
    const taskDefs = [{ name: 'a', retryCount: 3, retryDelaySeconds: 600 }];
    const { world, id } = begin([simple('a'), simple('b')], { taskDefs });
    world.work('a', {}, 'FAILED');
    tell(world, id, skip('a'));
    expect(picture(world, id)).toEqual(['a FAILED', 'a #1 SKIPPED', 'b SCHEDULED']);
    expect(world.now).toBe(startOfTime);
  });

  it('ends the child of a SUB_WORKFLOW, started or not', () => {
    const workflowDefs = [named('inner', [simple('x')])];
    const { world, id } = begin([child('c', 'inner'), simple('b')], { workflowDefs });
    const inner = world.child(id, 'c');
    tell(world, id, skip('c'));
    world.deliverMessages();
    expect([picture(world, id), world.status(inner)]).toEqual([
      ['c SKIPPED', 'b SCHEDULED'],
      'TERMINATED',
    ]);
  });

  it('lets a JOIN go on, in the middle and at the end of a branch', () => {
    const branches = [[simple('a'), simple('a2')], [simple('b')]];
    const { world, id } = begin([...fork('f', branches), simple('z')]);
    tell(world, id, skip('a'));
    expect(openRefs(world, id)).toEqual(['b', 'fj', 'a2']);
    tell(world, id, skip('a2'));
    tell(world, id, skip('b'));
    expect(openRefs(world, id)).toEqual(['z']);
  });

  it('skips a branch that a dynamic fork was given', () => {
    const list = [
      { name: 'x', taskReferenceName: 'x1' },
      { name: 'x', taskReferenceName: 'x2' },
    ];
    const tasks = list.map((task) => ({ ...task, type: 'SIMPLE' }));
    const { world, id } = begin([...dynamicFork('f', tasks, {}), simple('z')]);
    tell(world, id, skip('x1'));
    world.work('x');
    expect(openRefs(world, id)).toEqual(['z']);
  });

  it('goes behind the SWITCH whose case it ends', () => {
    const { world, id } = begin([choose('s', 'one', { one: [simple('a')] }), simple('z')]);
    tell(world, id, skip('a'));
    expect(openRefs(world, id)).toEqual(['z']);
  });

  it('skips one iteration of a member, and all members of an iteration', () => {
    const { world, id } = begin([loop('l', 3, [simple('m'), simple('n')]), simple('z')]);
    tell(world, id, skip('m__1'));
    tell(world, id, skip('n'));
    expect(openRefs(world, id)).toEqual(['l', 'm__2']);
    expect(workAll(world)).toEqual(['m__2', 'n__2', 'm__3', 'n__3', 'z']);
    expect([world.status(id), world.task(id, 'l').iteration]).toEqual(['COMPLETED', 3]);
  });

  it('still skips a task that is not scheduled yet', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    tell(world, id, skip('b'));
    expect(picture(world, id)).toEqual(['b SKIPPED', 'a SCHEDULED']);
  });

  it('stays skipped when what follows is retried or run again', () => {
    const taskDefs = noRetries('b');
    const { world, id } = begin([simple('a'), simple('b'), simple('c')], { taskDefs });
    tell(world, id, skip('a'));
    world.work('b', {}, 'FAILED');
    retry(world, id);
    expect(workAll(world)).toEqual(['b', 'c']);
    rerun(world, id, 'c');
    expect(workAll(world)).toEqual(['c']);
    expect(world.status(id)).toBe('COMPLETED');
    rerun(world, id);
    expect(openRefs(world, id)).toEqual(['a']);
  });

  it('is past what was skipped when a task of another branch is run again', () => {
    const branches = [[simple('a'), simple('a2')], [simple('b')]];
    const { world, id } = begin([...fork('f', branches), simple('z')], {
      taskDefs: retries(0, 'b'),
    });
    tell(world, id, skip('a'));
    world.work('b', {}, 'FAILED');
    retry(world, id);
    expect(workAll(world).sort()).toEqual(['a2', 'b', 'z']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  const refused = (world: World, id: ExecutionId, ref: string, more = {}): string =>
    refusal(world, id, { ...skip(ref), ...more });

  it('is refused without being asked for, for what waits for others, and with an input', () => {
    const { world, id } = begin([
      ...fork('f', [[simple('a')], [loop('l', 2, [simple('m')])]]),
      simple('z'),
    ]);
    expect(refused(world, id, 'a', { evenIfOpen: false })).toBe(
      'conflict: The task referenced a has already been processed, cannot be skipped',
    );
    for (const ref of ['fj', 'l']) {
      expect(refused(world, id, ref)).toBe(
        `conflict: The task referenced by ${ref} waits for other tasks: skip those`,
      );
    }
    expect(refused(world, id, 'a', { taskInput: {} })).toBe(
      'bad-request: taskInput: the task referenced by a has begun, its input stays',
    );
  });

  it('is refused for one that has ended, and while the execution is paused', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    world.work('a');
    expect(refused(world, id, 'a')).toMatch(/^conflict: .*already been processed/);
    tell(world, id, { kind: 'pause' });
    expect(refused(world, id, 'b')).toMatch(/^conflict: .*is not running/);
  });
});
