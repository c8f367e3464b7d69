// Variables, skips, pauses, timers, keepLastN and ends in forks and loops (semantics 1.5, 2.5, 4.9,
// 4.14).
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
  taskOf,
  tell,
  terminate,
  terminateTask,
  workAll,
  World,
} from './support.js';

const inner = named('inner', [simple('x')]);

describe('variables in forks and loops', () => {
  it('are seen by what is mapped after them, in other branches as well', () => {
    const seen = (ref: string): JsonMap =>
      simple(ref, { inputParameters: { v: '${workflow.variables.v}' } });
    const { world, id } = begin(
      [
        ...fork('f', [
          [simple('a'), setVariable('s', { v: '${a.output.v}' })],
          [simple('b'), seen('c')],
        ]),
        seen('z'),
      ],
      { def: { variables: { v: 0 } } },
    );
    world.work('a', { v: 1 });
    world.work('b');
    expect(world.inputOf(id, 'c')).toEqual({ v: 1 });
    world.work('c');
    expect(world.inputOf(id, 'z')).toEqual({ v: 1 });
  });

  it('count up in a loop that reads them in its condition', () => {
    const body = [
      inline('i', '$.n + 1', { n: '${workflow.variables.n}' }),
      setVariable('v', { n: '${i.output.result}' }),
    ];
    const counted = loop('l', '$.n < 4', body, {
      inputParameters: { n: '${workflow.variables.n}' },
    });
    const { world, id } = begin([counted], { def: { variables: { n: 0 } } });
    expect([
      world.status(id),
      world.open(id).execution.variables.value,
      world.task(id, 'l').iteration,
    ]).toEqual(['COMPLETED', { n: 4 }, 4]);
  });
});

describe('skip, pause and timers in loops and forks', () => {
  it('a skipped member is stepped over in every iteration, in a branch as well', () => {
    const { world, id } = begin([
      simple('s'),
      loop('l', 2, fork('g', [[simple('a'), simple('b')], [simple('c')]])),
    ]);
    tell(world, id, { kind: 'skip-task', ref: 'b' });
    expect(workAll(world)).toEqual(['s', 'a__1', 'c__1', 'a__2', 'c__2']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('a pause between iterations stores the result and goes on once after resume', () => {
    const { world, id } = begin([loop('l', 2, [simple('a')])]);
    world.poll('a');
    tell(world, id, { kind: 'pause' });
    world.report(id, 'a__1', 'COMPLETED');
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'a__1 COMPLETED']);
    tell(world, id, { kind: 'resume' });
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'a__1 COMPLETED', 'a__2 SCHEDULED']);
  });

  it('a WAIT in a loop waits in each iteration', () => {
    const { world, id } = begin([
      loop('l', 2, [taskOf('WAIT', 'w', { inputParameters: { duration: '2s' } })]),
    ]);
    world.pass(2001);
    expect(world.task(id, 'l').iteration).toBe(2);
    world.pass(2001);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('a member times out and is retried in its iteration, and a timeout without retry ends everything', () => {
    const def = {
      name: 'a',
      retryCount: 1,
      retryDelaySeconds: 0,
      pollTimeoutSeconds: 5,
      timeoutPolicy: 'RETRY',
    };
    const { world, id } = begin([loop('l', 2, [simple('a')])], { taskDefs: [def] });
    world.pass(5000);
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'a__1 TIMED_OUT', 'a__1 #1 SCHEDULED']);
    world.work('a');
    world.pass(5000);
    world.pass(5000);
    expect(world.status(id)).toBe('TIMED_OUT');
    expect(picture(world, id).slice(-2)).toEqual(['a__2 TIMED_OUT', 'a__2 #1 TIMED_OUT']);
    retry(world, id);
    expect(picture(world, id).at(-1)).toBe('a__2 #2 SCHEDULED');
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('keepLastN', () => {
  it('with a failed member and a retry keeps the newest iterations with their attempts', () => {
    const kept = loop('l', 4, [simple('a')], { inputParameters: { keepLastN: 2 } });
    const { world, id } = begin([kept], { taskDefs: noRetries('a') });
    for (let i = 1; i <= 3; i++) world.work('a', { i });
    world.work('a', {}, 'FAILED');
    retry(world, id);
    world.work('a', { i: 4 });
    expect(picture(world, id)).toEqual([
      'l COMPLETED',
      'a__3 COMPLETED',
      'a__4 FAILED',
      'a__4 #1 COMPLETED',
    ]);
    expect(world.outputOf(id, 'l')).toEqual({
      3: { a: { i: 3 } },
      4: { a: { i: 4 } },
      iteration: 4,
    });
  });

  it('as text counts like the number', () => {
    const { world, id } = begin([
      loop('l', 4, [simple('a')], { inputParameters: { keepLastN: '2' } }),
    ]);
    workAll(world);
    expect(picture(world, id)).toEqual(['l COMPLETED', 'a__3 COMPLETED', 'a__4 COMPLETED']);
  });

  it('with forks in the body removes their branches and JOINs as well', () => {
    const kept = loop('l', 4, fork('g', [[simple('a')], [simple('b')]]), {
      inputParameters: { keepLastN: 1 },
    });
    const { world, id } = begin([kept, simple('z')]);
    workAll(world);
    expect(picture(world, id)).toEqual([
      'l COMPLETED',
      'g__4 COMPLETED',
      'a__4 COMPLETED',
      'b__4 COMPLETED',
      'gj__4 COMPLETED',
      'z COMPLETED',
    ]);
  });

  it('then a rerun from a kept member goes on in its iteration', () => {
    const kept = loop('l', 4, [simple('a')], { inputParameters: { keepLastN: 2 } });
    const { world, id } = begin([kept]);
    workAll(world);
    rerun(world, id, 'a__3');
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'a__3 SCHEDULED']);
    workAll(world);
    expect([world.status(id), world.task(id, 'l').iteration]).toEqual(['COMPLETED', 4]);
  });
});

describe('the end of an execution in odd places', () => {
  it('a TERMINATE in a case in a loop in a branch cancels all around it, and a retry is refused', () => {
    const body = [
      simple('a'),
      choose('s', '${a.output.stop}', {
        yes: [terminateTask('t', 'FAILED', { terminationReason: 'asked' })],
      }),
    ];
    const { world, id } = begin(fork('f', [[loop('l', 5, body)], [simple('b')]]));
    world.work('a', { stop: 'no' });
    world.work('a', { stop: 'yes' });
    expect([world.status(id), world.reason(id)]).toEqual(['FAILED', 'asked']);
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'l CANCELED', 'b CANCELED', 'fj CANCELED', 'a__1 COMPLETED', 's__1 COMPLETED', 'a__2 COMPLETED',
      's__2 COMPLETED', 't__2 COMPLETED',
    ]); // prettier-ignore
  });

  it('the last member of the loop gives the output of an execution without outputParameters', () => {
    const { world, id } = begin([loop('l', 2, [simple('a')])]);
    world.work('a', { n: 1 });
    world.work('a', { n: 2 });
    expect(world.output(id)).toEqual({ n: 2 });
  });

  it('a branch task that is created after its JOIN gives the output', () => {
    const { world, id } = begin(fork('f', [[simple('a'), simple('a2')], [simple('b')]]));
    world.work('a');
    world.work('b', { b: 1 });
    world.work('a2', { last: true });
    expect(world.output(id)).toEqual({ last: true });
  });

  it('terminate in the middle of everything leaves nothing open, and a restart begins anew', () => {
    const { world, id } = begin(
      fork(
        'f',
        [
          [loop('l', 2, [child('c', 'inner')])],
          dynamicFork('d', [simple('p'), child('k', 'inner')], {}),
        ],
        { joinOn: ['l', 'dj'] },
      ),
      {
        workflowDefs: [inner],
      },
    );
    terminate(world, id);
    expect([...world.opens.values()].map((open) => open.openTasks.size)).toEqual([0, 0, 0]);
    tell(world, id, { kind: 'restart' });
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('an execution opened again at any step', () => {
  it('plays the same whether it is opened again after each step or not', () => {
    const tasks = [
      ...fork('f', [
        [loop('l', 2, [choose('s', '${l.output.iteration}', { 1: [simple('a')] }, [inline('i', '3')]), ...dynamicFork('d', [simple('p'), simple('q')], {})])],
        [child('c', 'inner'), setVariable('v', { n: 1 })],
      ]),
      simple('z'),
    ]; // prettier-ignore
    const plays = [true, false].map((reloads) => {
      const world = new World({
        reloads,
        workflowDefs: [inner],
        limits: { itemsPerStepMax: reloads ? 1 : 500 },
      });
      const id = world.start(named('wf', tasks));
      const order = workAll(world, (ref) => ({ ref }));
      return [order, world.list(id), world.output(id), world.status(id)];
    });
    expect(plays[0]).toEqual(plays[1]);
  });
});
