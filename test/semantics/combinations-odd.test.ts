// Odd moments: reports by hand about tasks of the engine, failures of loops and choices that are
// retried, delays of children, what a skipped fork leaves behind (semantics 1.5, 2.7, 4, 5.4).
import { describe, expect, it } from 'vitest';
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
  retry,
  simple,
  taskOf,
  tell,
  terminate,
  workAll,
} from './support.js';

const inner = named('inner', [simple('x')]);

describe('loops and choices that fail', () => {
  it('an optional loop whose condition throws is passed over', () => {
    const { world, id } = begin([
      loop('l', 'nope', [simple('a')], { optional: true }),
      simple('z'),
    ]);
    world.work('a');
    expect(picture(world, id)).toEqual([
      'l COMPLETED_WITH_ERRORS',
      'a__1 COMPLETED',
      'z SCHEDULED',
    ]);
  });

  it('a loop whose condition throws is looked at again by a retry, and restarts by a rerun with other input', () => {
    const { world, id } = begin([
      loop('l', "$.n.x && $.l['iteration'] < 2", [simple('a')], {
        inputParameters: { n: '${workflow.input.n}' },
      }),
      simple('z'),
    ]);
    world.work('a');
    expect(picture(world, id)).toEqual(['l FAILED_WITH_TERMINAL_ERROR', 'a__1 COMPLETED']);
    retry(world, id);
    expect([picture(world, id), world.status(id)]).toEqual([
      ['l #1 FAILED_WITH_TERMINAL_ERROR', 'a__1 COMPLETED'],
      'FAILED',
    ]);
    rerun(world, id, 'l', { workflowInput: { n: { x: true } } });
    expect(workAll(world)).toEqual(['a__1', 'a__2', 'z']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('a SWITCH whose script failed chooses again by a retry', () => {
    const task = taskOf('SWITCH', 's', {
      evaluatorType: 'javascript',
      expression: '$.m.k',
      inputParameters: { m: '${v.output.m}' },
      decisionCases: { x: [simple('a')] },
    });
    const { world, id } = begin([simple('v'), task]);
    world.work('v', {});
    expect(picture(world, id)).toEqual(['v COMPLETED', 's FAILED']);
    rerun(world, id, 'v');
    world.work('v', { m: { k: 'x' } });
    expect(picture(world, id)).toEqual(['v COMPLETED', 's COMPLETED', 'a SCHEDULED']);
  });

  it('an EXCLUSIVE_JOIN that failed with its candidate waits again after a retry', () => {
    const { world, id } = begin(
      [
        choose('s', 'k', { k: [simple('a', { permissive: true })] }),
        taskOf('EXCLUSIVE_JOIN', 'x', { joinOn: ['a'] }),
        simple('z'),
      ],
      { taskDefs: noRetries('a') },
    );
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['x', 'a']);
    world.work('a', { n: 1 });
    expect([world.outputOf(id, 'x'), openRefs(world, id)]).toEqual([{ n: 1 }, ['z']]);
  });

  it('a form-1 fork that is optional passes over what fails in its branches', () => {
    const form1 = taskOf('FORK_JOIN_DYNAMIC', 'f', {
      optional: true,
      inputParameters: { forkTaskName: 'w', forkTaskInputs: [1, 2] },
    });
    const { world, id } = begin([form1, taskOf('JOIN', 'j'), simple('z')], {
      taskDefs: noRetries('w'),
    });
    world.work('w', {}, 'FAILED');
    world.work('w');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      '_w_0 COMPLETED_WITH_ERRORS',
      '_w_1 COMPLETED',
      'j COMPLETED_WITH_ERRORS',
      'z SCHEDULED',
    ]);
  });
});

describe('reports by hand about tasks of the engine', () => {
  it('a JOIN reported FAILED fails the workflow; after a retry it joins', () => {
    const { world, id } = begin([...fork('f', [[simple('a')], [simple('b')]]), simple('z')]);
    world.work('a', { n: 1 });
    world.report(id, 'fj', 'FAILED');
    expect([world.status(id), picture(world, id)]).toEqual([
      'FAILED',
      ['f COMPLETED', 'a COMPLETED', 'b CANCELED', 'fj FAILED'],
    ]);
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['fj', 'b']);
    world.work('b', { n: 2 });
    expect([world.outputOf(id, 'fj'), openRefs(world, id)]).toEqual([
      { a: { n: 1 }, b: { n: 2 } },
      ['z'],
    ]);
  });

  it('a loop reported COMPLETED goes on behind it; its open member still has to end', () => {
    const { world, id } = begin([loop('l', 5, [simple('a')]), simple('z')]);
    world.report(id, 'l', 'COMPLETED', { by: 'hand' });
    expect([openRefs(world, id), world.outputOf(id, 'l')]).toEqual([['a__1', 'z'], { by: 'hand' }]);
    world.work('z');
    expect(world.status(id)).toBe('RUNNING');
    world.work('a');
    expect([world.status(id), picture(world, id)]).toEqual([
      'COMPLETED',
      ['l COMPLETED', 'a__1 COMPLETED', 'z COMPLETED'],
    ]);
  });

  it('a SUB_WORKFLOW reported FAILED ends the parent; its child runs on and does not matter any more', () => {
    const { world, id } = begin([child('c', 'inner')], { workflowDefs: [inner] });
    const leaf = world.child(id, 'c');
    world.report(id, 'c', 'FAILED');
    expect([world.status(id), world.status(leaf)]).toEqual(['FAILED', 'RUNNING']);
    world.work('x');
    expect([world.status(id), world.status(leaf)]).toEqual(['FAILED', 'COMPLETED']);
  });

  it('a WAIT with a timer reported FAILED, optional: the flow goes on and the timer is forgotten', () => {
    const { world, id } = begin([
      taskOf('WAIT', 'w', { optional: true, inputParameters: { duration: '5s' } }),
      simple('z'),
    ]);
    world.report(id, 'w', 'FAILED');
    world.pass(10_000);
    expect(picture(world, id)).toEqual(['w COMPLETED_WITH_ERRORS', 'z SCHEDULED']);
  });
});

describe('delays and timeouts', () => {
  it('a child is started again after the delay of its own retryCount', () => {
    const { world, id } = begin([child('c', 'inner', { retryCount: 1 })], {
      workflowDefs: [inner],
      taskDefs: noRetries('x'),
    });
    world.work('x', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['c FAILED', 'c #1 SCHEDULED']);
    world.pass(59_999);
    expect(world.opens.size).toBe(2);
    world.pass(1);
    expect([world.opens.size, picture(world, id)]).toEqual([3, ['c FAILED', 'c #1 IN_PROGRESS']]);
  });

  it('what came due while paused fires on resume, then is retried', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [
        {
          name: 'a',
          retryCount: 1,
          retryDelaySeconds: 0,
          pollTimeoutSeconds: 1,
          timeoutPolicy: 'RETRY',
        },
      ],
    });
    tell(world, id, { kind: 'pause' });
    world.pass(5000);
    tell(world, id, { kind: 'resume' });
    expect(picture(world, id)).toEqual(['a TIMED_OUT', 'a #1 SCHEDULED']);
  });

  it('a terminated paused execution is retried into RUNNING', () => {
    const { world, id } = begin([simple('a')]);
    tell(world, id, { kind: 'pause' });
    terminate(world, id);
    retry(world, id);
    expect([world.status(id), picture(world, id)]).toEqual([
      'RUNNING',
      ['a CANCELED', 'a #1 SCHEDULED'],
    ]);
  });

  it('a parent that waits out a delay of its child is terminated without starting it', () => {
    const { world, id } = begin([child('c', 'inner', { startDelay: 60 })], {
      workflowDefs: [inner],
    });
    terminate(world, id);
    world.pass(100_000);
    expect([world.opens.size, picture(world, id)]).toEqual([1, ['c CANCELED']]);
  });
});

describe('a skipped fork', () => {
  it('leaves nothing to join: its JOIN completes at once, static or dynamic, in a loop too', () => {
    for (const forked of [
      fork('f', [[simple('a')], [simple('b')]]),
      dynamicFork('f', [simple('a')], {}),
    ]) {
      const { world, id } = begin([simple('s'), ...forked, simple('z')]);
      tell(world, id, { kind: 'skip-task', ref: 'f' });
      world.work('s');
      expect(picture(world, id)).toEqual([
        'f SKIPPED',
        's COMPLETED',
        'fj COMPLETED',
        'z SCHEDULED',
      ]);
    }
    const { world, id } = begin([
      simple('s'),
      loop('l', 2, [...fork('f', [[simple('a')]]), simple('e')]),
    ]);
    tell(world, id, { kind: 'skip-task', ref: 'f' });
    expect(workAll(world)).toEqual(['s', 'e__1', 'e__2']);
    expect(world.status(id)).toBe('COMPLETED');
  });
});
