// Rules of semantics 2 to 4 where they meet: forks in loops, loops in forks, choices in both, with
// failures, retries and reruns in every place.
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
  noRetries,
  openRefs,
  picture,
  rerun,
  retries,
  retry,
  simple,
  taskOf,
  terminateTask,
  workAll,
  named,
} from './support.js';

const inner = named('inner', [simple('x')]);

describe('a fork in a loop in a fork', () => {
  const tasks = [
    ...fork('f', [
      [loop('l', 2, [...fork('g', [[simple('a')], [simple('b'), simple('b2')]]), simple('e')])],
      [simple('o')],
    ]),
    simple('z'),
  ];

  it('goes through all iterations, then joins outside', () => {
    const { world, id } = begin(tasks);
    expect(workAll(world)).toEqual([
      'o',
      'a__1',
      'b__1',
      'b2__1',
      'e__1',
      'a__2',
      'b__2',
      'b2__2',
      'e__2',
      'z',
    ]);
    expect(world.status(id)).toBe('COMPLETED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'l COMPLETED', 'o COMPLETED', 'fj COMPLETED', 'g__1 COMPLETED', 'a__1 COMPLETED', 'b__1 COMPLETED',
      'gj__1 COMPLETED', 'b2__1 COMPLETED', 'e__1 COMPLETED', 'g__2 COMPLETED', 'a__2 COMPLETED', 'b__2 COMPLETED',
      'gj__2 COMPLETED', 'b2__2 COMPLETED', 'e__2 COMPLETED', 'z COMPLETED',
    ]); // prettier-ignore
  });

  it('suffixes the keys of the JOIN in the loop and not those of the loop', () => {
    const { world, id } = begin(tasks);
    workAll(world, (ref) => ({ ref }));
    expect(world.outputOf(id, 'gj__2')).toEqual({ a__2: { ref: 'a__2' }, b2__2: { ref: 'b2__2' } });
    expect(world.outputOf(id, 'l')['2']).toMatchObject({
      a: { ref: 'a__2' },
      gj: { a__2: { ref: 'a__2' } },
      g: {},
    });
    expect(Object.keys(world.outputOf(id, 'fj'))).toEqual(['l', 'o']);
  });

  it('9.6.144 after a failure in iteration 2 a retry goes on there, with JOINs and loop in place', () => {
    const { world, id } = begin(tasks, { taskDefs: noRetries('b2') });
    for (const type of ['a', 'b', 'b2', 'e', 'a', 'b']) world.work(type);
    world.work('b2', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(picture(world, id)).toContain('gj__2 CANCELED');
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['l', 'fj', 'gj__2', 'o', 'b2__2']);
    expect(workAll(world)).toEqual(['o', 'b2__2', 'e__2', 'z']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it.each([
    'a__1',
    'b__1',
    'b2__1',
    'e__1',
    'a__2',
    'b__2',
    'b2__2',
    'e__2',
    'o',
    'z',
    'g__1',
    'g__2',
    'l',
    'f',
    'gj__1',
    'gj__2',
    'fj',
  ])('a rerun from %s after the end runs to the end again, with both iterations once', (ref) => {
    const { world, id } = begin(tasks);
    workAll(world);
    rerun(world, id, ref);
    expect(world.status(id)).toBe(ref === 'fj' ? 'RUNNING' : 'RUNNING');
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
    expect(new Set(picture(world, id))).toEqual(new Set([
        'f COMPLETED', 'l COMPLETED', 'o COMPLETED', 'fj COMPLETED', 'g__1 COMPLETED', 'a__1 COMPLETED', 'b__1 COMPLETED',
        'gj__1 COMPLETED', 'b2__1 COMPLETED', 'e__1 COMPLETED', 'g__2 COMPLETED', 'a__2 COMPLETED', 'b__2 COMPLETED',
        'gj__2 COMPLETED', 'b2__2 COMPLETED', 'e__2 COMPLETED', 'z COMPLETED',
      ])); // prettier-ignore
    expect(world.task(id, 'l').iteration).toBe(2);
  });

  it.each(['a__1', 'b__1', 'o', 'b2__1', 'e__1', 'a__2', 'b__2', 'b2__2', 'e__2', 'z'])(
    'a failure of %s and a retry run everything exactly once to the end',
    (failing) => {
      const { world, id } = begin(tasks, { taskDefs: noRetries('a', 'b', 'b2', 'e', 'o', 'z') });
      let failed = false;
      for (let left = 40; left > 0; left--) {
        const ref = openRefs(world, id).find((each) => world.task(id, each).status === 'SCHEDULED');
        if (ref === undefined) break;
        if (ref === failing && !failed) {
          failed = true;
          world.report(id, ref, 'FAILED');
          expect(world.status(id)).toBe('FAILED');
          retry(world, id);
        } else world.report(id, ref, 'COMPLETED');
      }
      expect(failed).toBe(true);
      expect(world.status(id)).toBe('COMPLETED');
      const completed = picture(world, id)
        .filter((line) => line.endsWith(' COMPLETED'))
        .map((line) => line.split(' ')[0]);
      expect(completed).toHaveLength(17);
      expect(new Set(completed).size).toBe(17);
    },
  );
});

describe('a loop in a fork branch', () => {
  it('runs beside another loop with its own counter', () => {
    const { world, id } = begin(
      fork('f', [[loop('l', 2, [simple('a')])], [loop('m', 3, [simple('b')])]]),
    );
    workAll(world);
    expect([
      world.task(id, 'l').iteration,
      world.task(id, 'm').iteration,
      world.status(id),
    ]).toEqual([2, 3, 'COMPLETED']);
    expect(Object.keys(world.outputOf(id, 'fj'))).toEqual(['l', 'm']);
  });

  it('is CANCELED with its member when another branch fails; a retry continues both', () => {
    const { world, id } = begin(fork('f', [[loop('l', 2, [simple('a')])], [simple('b')]]), {
      taskDefs: noRetries('b'),
    });
    world.work('a');
    world.work('b', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'l CANCELED', 'b FAILED', 'fj CANCELED', 'a__1 COMPLETED', 'a__2 CANCELED',
    ]); // prettier-ignore
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['l', 'fj', 'b', 'a__2']);
    workAll(world);
    expect([world.status(id), world.task(id, 'l').iteration]).toEqual(['COMPLETED', 2]);
  });

  it('a permissive member that fails fails the loop, behind its successor; a retry goes on with both', () => {
    const { world, id } = begin([loop('l', 2, [simple('a', { permissive: true }), simple('b')])], {
      taskDefs: noRetries('a'),
    });
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['l FAILED', 'a__1 FAILED', 'b__1 CANCELED']);
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['l', 'a__1', 'b__1']);
    expect(workAll(world)).toEqual(['a__1', 'b__1', 'a__2', 'b__2']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('a permissive member behind a fork fails the loop as well; an optional loop is passed over', () => {
    const body = [...fork('f', [[simple('a', { permissive: true })], [simple('b')]])];
    const { world, id } = begin([loop('l', 2, body, { optional: true }), simple('z')], {
      taskDefs: noRetries('a'),
    });
    world.work('a', {}, 'FAILED');
    expect([world.task(id, 'l').status, openRefs(world, id)]).toEqual([
      'COMPLETED_WITH_ERRORS',
      ['b__1', 'fj__1', 'z'],
    ]);
  });

  it('an optional member that fails last in its iteration lets the loop go on', () => {
    const { world, id } = begin([loop('l', 2, [simple('a', { optional: true })])], {
      taskDefs: noRetries('a'),
    });
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'l IN_PROGRESS',
      'a__1 COMPLETED_WITH_ERRORS',
      'a__2 SCHEDULED',
    ]);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('choices in loops and forks', () => {
  it('a SWITCH as last member, one that chooses nothing, and one with a JOIN behind a fork in its case', () => {
    const body = [
      simple('a'),
      choose('s', '${a.output.go}', {
        yes: [...fork('g', [[simple('p')], [simple('q')]])],
        no: [],
      }),
    ];
    const { world, id } = begin([loop('l', 2, body), simple('z')]);
    world.work('a', { go: 'yes' });
    world.work('p');
    world.work('q');
    world.work('a', { go: 'no' });
    expect(picture(world, id).slice(-3)).toEqual([
      'a__2 COMPLETED',
      's__2 COMPLETED',
      'z SCHEDULED',
    ]);
    world.work('z');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('joins of a fork in a SWITCH in a fork wait for their own branches only', () => {
    const branch = [
      choose('s', 'x', { x: [...fork('g', [[simple('a')], [simple('b')]]), simple('c')] }),
      simple('d'),
    ];
    const { world, id } = begin([...fork('f', [branch, [simple('e')]]), simple('z')]);
    expect(workAll(world)).toEqual(['a', 'b', 'e', 'c', 'd', 'z']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('a branch that ends in a SWITCH is joined on the SWITCH as soon as that has chosen', () => {
    const branch = [choose('s', 'x', { x: [simple('a')] })];
    const { world, id } = begin([
      ...fork('f', [branch, [simple('e')]], { joinOn: ['s', 'e'] }),
      simple('z'),
    ]);
    world.work('e');
    expect(picture(world, id).slice(-2)).toEqual(['fj COMPLETED', 'z SCHEDULED']);
    world.work('z');
    expect(world.status(id)).toBe('RUNNING');
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('an EXCLUSIVE_JOIN behind a SWITCH takes the case that ran, in every iteration', () => {
    const body = [
      choose('s', '${l.output.iteration}', { 1: [simple('a')], 2: [simple('b')] }),
      taskOf('EXCLUSIVE_JOIN', 'x', { joinOn: ['a', 'b'], defaultExclusiveJoinTask: ['s'] }),
    ];
    const { world, id } = begin([loop('l', 3, body)]);
    world.work('a', { n: 1 });
    world.work('b', { n: 2 });
    expect(world.status(id)).toBe('COMPLETED');
    expect([1, 2].map((n) => world.outputOf(id, `x__${n}`))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(world.outputOf(id, 'x__3')).toMatchObject({ selectedCase: '3' });
  });

  it('a SWITCH behind a SWITCH without match, at the end of a branch in a loop', () => {
    const body = fork('g', [
      [choose('s', 'no', { x: [simple('a')] }), choose('t', 'no', { x: [simple('b')] })],
      [simple('c')],
    ]);
    const { world, id } = begin([loop('l', 2, body)]);
    workAll(world);
    expect([world.status(id), picture(world, id).length]).toEqual(['COMPLETED', 11]);
  });
});

describe('dynamic forks in loops and forks', () => {
  it('of form 1 in a loop: the references of the second iteration carry the fork too', () => {
    const form1 = taskOf('FORK_JOIN_DYNAMIC', 'f', {
      inputParameters: { forkTaskName: 'w', forkTaskInputs: [{ n: 1 }, { n: 2 }] },
    });
    const { world, id } = begin([loop('l', 2, [form1, taskOf('JOIN', 'j')])]);
    workAll(world, (ref) => ({ ref }));
    expect(world.status(id)).toBe('COMPLETED');
    expect(picture(world, id).map((line) => line.split(' ')[0])).toEqual([
      'l', 'f__1', '_w_0__1', '_w_1__1', 'j__1', 'f__2', '_f_w_0__2', '_f_w_1__2', 'j__2',
    ]); // prettier-ignore
    expect(Object.keys(world.outputOf(id, 'j__2'))).toEqual(['_f_w_0__2', '_f_w_1__2']);
  });

  it('of form 2 in a loop: the list is read in each iteration', () => {
    const lists = { 1: [simple('a')], 2: [simple('a'), simple('b')], 3: [] } as unknown as JsonMap;
    const dynamic = dynamicFork('f', '${workflow.input.lists.${l.output.iteration}}', {});
    const { world, id } = begin([loop('l', 3, dynamic), simple('z')], { input: { lists } });
    expect(workAll(world)).toEqual(['a__1', 'a__2', 'b__2', 'z']);
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.outputOf(id, 'fj__3')).toEqual({});
  });

  it('a loop, a choice with a fork inside, a wait and a child as branches run side by side', () => {
    const list = [
      loop('l', 2, [simple('a')]),
      choose('s', 'x', { x: [...fork('g', [[simple('b')], [simple('c')]])] }),
      taskOf('WAIT', 'w', { inputParameters: { duration: '5s' } }),
      child('k', 'inner'),
      inline('i', '1 + 1'),
    ];
    const { world, id } = begin([...dynamicFork('f', list, {}), simple('z')], {
      workflowDefs: [inner],
    });
    expect(workAll(world).sort()).toEqual(['a__1', 'a__2', 'b', 'c', 'x']);
    world.pass(5001);
    expect(picture(world, id).slice(-1)).toEqual(['z SCHEDULED']);
  });

  it('a dynamic fork whose branch holds a dynamic fork behind a choice', () => {
    const nested = dynamicFork('g', [simple('p'), simple('q')], {});
    const { world, id } = begin([
      ...dynamicFork('f', [choose('s', 'x', { x: nested }), simple('o')], {}),
      simple('z'),
    ]);
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
    expect(picture(world, id)).toContain('gj COMPLETED');
  });

  it('a branch that is a fork, with its JOIN as the element behind it', () => {
    const list = [...fork('g', [[simple('a')], [simple('b'), simple('b2')]]), simple('c')];
    const { world, id } = begin([...dynamicFork('f', list, {}), simple('z')]);
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'g COMPLETED', 'a SCHEDULED', 'b SCHEDULED', 'gj IN_PROGRESS', 'c SCHEDULED', 'fj IN_PROGRESS',
    ]); // prettier-ignore
    expect(workAll(world, (ref) => ({ ref }))).toEqual(['a', 'b', 'c', 'b2', 'z']);
    expect(world.status(id)).toBe('COMPLETED');
    expect(Object.keys(world.outputOf(id, 'fj'))).toEqual(['gj', 'c']);
  });

  it('failed, cancelled and finished branches: a retry runs what is not finished, a rerun of the fork all', () => {
    const list = [simple('a'), simple('b'), child('k', 'inner')];
    const { world, id } = begin([...dynamicFork('f', list, {}), simple('z')], {
      workflowDefs: [inner],
      taskDefs: noRetries('b', 'x'),
    });
    world.work('a');
    world.work('b', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a COMPLETED',
      'b FAILED',
      'k CANCELED',
      'fj CANCELED',
    ]);
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['fj', 'b', 'k']);
    expect(workAll(world)).toEqual(['b', 'x', 'z']);
    rerun(world, id, 'f');
    expect(openRefs(world, id)).toEqual(['a', 'b', 'k', 'fj']);
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('branches are retried by their own definitions, also in a loop', () => {
    const { world, id } = begin(
      [
        loop(
          'l',
          2,
          dynamicFork('f', [simple('a'), simple('b', { retryCount: 0, optional: true })], {}),
        ),
      ],
      {
        taskDefs: retries(1, 'a', 'b'),
      },
    );
    world.work('a', {}, 'FAILED');
    world.work('a');
    world.work('b', {}, 'FAILED');
    expect(picture(world, id).slice(0, 6)).toEqual([
      'l IN_PROGRESS', 'f__1 COMPLETED', 'a__1 FAILED', 'b__1 COMPLETED_WITH_ERRORS', 'fj__1 COMPLETED_WITH_ERRORS', 'a__1 #1 COMPLETED',
    ]); // prettier-ignore
    workAll(world);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('a TERMINATE in a dynamic branch ends everything', () => {
    const { world, id } = begin([
      ...dynamicFork(
        'f',
        [simple('a'), terminateTask('t', 'COMPLETED', { workflowOutput: { o: 1 } })],
        {},
      ),
      simple('z'),
    ]);
    expect([world.status(id), world.output(id)]).toEqual(['COMPLETED', { o: 1 }]);
    expect(openRefs(world, id)).toEqual([]);
  });
});
