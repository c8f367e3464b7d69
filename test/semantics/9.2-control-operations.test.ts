// Semantics 9.2: edge cases of control operations, line by line (57 and the search in 55 need a
// server: 9.6-server.test.ts).
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
  workflow,
  World,
} from './support.js';

const asRetry = { kind: 'retry', resumeSubworkflowTasks: false } as const;
const asTerminate = {
  kind: 'terminate',
  reason: 'r',
  triggerFailureWorkflow: false,
  byParent: false,
} as const;

describe('9.2 which operation when', () => {
  it('9.2.32 RUNNING: restart 409, retry 404, rerun 409, resume refused, terminate accepted', () => {
    const { world, id } = begin([simple('a')]);
    const kinds = (
      [{ kind: 'restart' }, asRetry, { kind: 'rerun' }, { kind: 'resume' }] as const
    ).map((command) => refusal(world, id, command).split(':')[0]);
    expect(kinds).toEqual(['conflict', 'not-found', 'conflict', 'conflict']);
    expect(refusal(world, id, asTerminate)).toBe('ok');
  });

  it('9.2.33 COMPLETED: terminate, pause and retry 409, restart unless restartable=false (404)', () => {
    for (const restartable of [true, false]) {
      const { world, id } = begin([simple('a')], { def: { restartable } });
      world.work('a');
      expect(refusal(world, id, asTerminate)).toBe(
        'conflict: Cannot terminate a COMPLETED workflow.',
      );
      expect(refusal(world, id, { kind: 'pause' })).toMatch(/^conflict/);
      expect(refusal(world, id, asRetry)).toMatch(
        /^conflict: There are no retryable tasks! Use restart/,
      );
      expect(refusal(world, id, { kind: 'restart' })).toMatch(
        restartable ? /^ok$/ : /^not-found: .*non-restartable/,
      );
    }
  });

  it('9.2.34 FAILED with restartable=false: restart is allowed', () => {
    const { world, id } = begin([simple('a')], {
      def: { restartable: false },
      taskDefs: noRetries('a'),
    });
    world.work('a', {}, 'FAILED');
    expect(refusal(world, id, { kind: 'restart' })).toBe('ok');
  });

  it('9.2.35 FAILED: terminate makes it TERMINATED and replaces the reason', () => {
    const { world, id } = begin([simple('a')], { taskDefs: noRetries('a') });
    world.work('a', {}, 'FAILED');
    terminate(world, id, 'over');
    expect([world.status(id), world.reason(id)]).toEqual(['TERMINATED', 'over']);
  });
});

describe('9.2 pause', () => {
  it('9.2.36 results are stored without successors; after resume there is exactly one', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    world.poll('a');
    tell(world, id, { kind: 'pause' });
    world.report(id, 'a', 'COMPLETED', { x: 1 });
    expect([picture(world, id), world.outputOf(id, 'a')]).toEqual([['a COMPLETED'], { x: 1 }]);
    tell(world, id, { kind: 'resume' });
    tell(world, id, { kind: 'decide' });
    expect(picture(world, id)).toEqual(['a COMPLETED', 'b SCHEDULED']);
  });

  it('9.2.37 queued tasks are still delivered', () => {
    const { world, id } = begin([simple('a')]);
    tell(world, id, { kind: 'pause' });
    expect(world.poll('a')?.status).toBe('IN_PROGRESS');
  });

  it('9.2.38 the workflow timeout fires while paused; a resume before it restarts the clock', () => {
    const timeout = { timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' };
    const paused = begin([simple('a')], { def: timeout });
    tell(paused.world, paused.id, { kind: 'pause' });
    paused.world.pass(10_000);
    expect(paused.world.status(paused.id)).toBe('TIMED_OUT');
    const { world, id } = begin([simple('a')], { def: timeout });
    tell(world, id, { kind: 'pause' });
    world.pass(9000);
    tell(world, id, { kind: 'resume' });
    world.pass(9999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });
});

describe('9.2 retry', () => {
  it('9.2.39 a workflow that timed out with nothing cancelled may be retried and continues', () => {
    const { world, id } = begin([simple('a'), simple('b')], {
      def: { timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' },
    });
    tell(world, id, { kind: 'pause' });
    world.report(id, 'a', 'COMPLETED');
    world.pass(5000);
    expect([world.status(id), picture(world, id)]).toEqual(['TIMED_OUT', ['a COMPLETED']]);
    retry(world, id);
    expect([world.status(id), picture(world, id)]).toEqual([
      'RUNNING',
      ['a COMPLETED', 'b SCHEDULED'],
    ]);
  });

  it('9.2.40 the failed branch and its cancelled siblings get new attempts, the JOIN keeps its record', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')], [simple('c')]]), {
      taskDefs: noRetries('a'),
    });
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a FAILED',
      'b CANCELED',
      'c CANCELED',
      'fj CANCELED',
    ]);
    retry(world, id);
    expect(picture(world, id)).toEqual([
      'f COMPLETED', 'a FAILED', 'b CANCELED', 'c CANCELED', 'fj IN_PROGRESS', 'a #1 SCHEDULED', 'b #1 SCHEDULED', 'c #1 SCHEDULED',
    ]); // prettier-ignore
    for (const type of ['a', 'b', 'c']) world.work(type);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.2.41 a task that was cancelled early and completed later is not retried', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]), {
      taskDefs: noRetries('a', 'b'),
    });
    world.work('b', {}, 'FAILED');
    retry(world, id);
    world.work('a');
    world.work('b', {}, 'FAILED');
    retry(world, id);
    expect(openRefs(world, id)).toEqual(['fj', 'b']);
  });

  it('9.2.42 a manual retry goes above the limit, and one more failure ends the workflow', () => {
    const { world, id } = begin([simple('a')], { taskDefs: retries(1, 'a') });
    world.work('a', {}, 'FAILED');
    world.work('a', {}, 'FAILED');
    retry(world, id);
    expect(picture(world, id).at(-1)).toBe('a #2 SCHEDULED');
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
  });

  it('9.2.43 the copy of a cancelled WAIT ends at the original time', () => {
    const { world, id } = begin([
      taskOf('WAIT', 'w', { inputParameters: { duration: '60 seconds' } }),
    ]);
    const { waitUntilAt } = world.task(id, 'w');
    world.pass(50_000);
    terminate(world, id);
    retry(world, id);
    expect(world.task(id, 'w')).toMatchObject({ retryCount: 1, waitUntilAt });
    world.pass(10_001);
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('9.2 rerun', () => {
  it('9.2.44 from a task: later ones vanish, earlier ones stay, retryCount is unchanged, failure fields are cleared', () => {
    const { world, id } = begin([simple('a'), simple('b'), simple('c')], {
      taskDefs: [...retries(1, 'b'), ...noRetries('c')],
    });
    world.work('a');
    world.work('b', {}, 'FAILED');
    world.work('b');
    world.work('c', {}, 'FAILED');
    rerun(world, id, 'b');
    expect(world.list(id)).toEqual([
      '1 a a COMPLETED',
      '2 b b FAILED retried',
      '3 b b SCHEDULED #1',
    ]);
    const { state } = world.open(id).execution;
    expect(state).toMatchObject({
      status: 'RUNNING',
      failedReferenceTaskNames: [],
      failedTaskNames: [],
    });
    expect([state.reasonForIncompletion, state.failedTaskNumber]).toEqual([undefined, undefined]);
  });

  it('9.2.45 inside one fork branch: earlier branches stay, unsuccessful ones are reset, the JOIN is IN_PROGRESS', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')], [simple('c')]]), {
      taskDefs: noRetries('a', 'b', 'c'),
    });
    world.work('a');
    world.work('c', {}, 'FAILED');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a COMPLETED',
      'b CANCELED',
      'c FAILED',
      'fj CANCELED',
    ]);
    rerun(world, id, 'c');
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'a COMPLETED',
      'b SCHEDULED',
      'c SCHEDULED',
      'fj IN_PROGRESS',
    ]);
    world.work('b');
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.2.46 from a SWITCH: the branch is chosen again and its tasks run again', () => {
    const { world, id } = begin(
      [
        choose('s', '${workflow.variables.v}', { x: [simple('a')], y: [simple('b')] }),
        setVariable('v', { v: 'y' }),
      ],
      {
        def: { variables: { v: 'x' } },
      },
    );
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
    rerun(world, id, 's');
    expect(picture(world, id)).toEqual(['s COMPLETED', 'b SCHEDULED']);
  });

  it('9.2.47 from a DO_WHILE: iteration 1 with fresh members', () => {
    const { world, id } = begin([loop('l', 2, [simple('a')])]);
    const before = world.task(id, 'a__1').number;
    world.work('a');
    world.work('a');
    rerun(world, id, 'l');
    expect(picture(world, id)).toEqual(['l IN_PROGRESS', 'a__1 SCHEDULED']);
    expect(world.task(id, 'a__1').number).not.toBe(before);
    expect(world.task(id, 'l').iteration).toBe(1);
  });

  it('9.2.48 from a SUB_WORKFLOW: a new child, the same record, parallel branches untouched', () => {
    const { world, id } = begin(fork('f', [[child('c', 'inner')], [simple('b')]]), {
      workflowDefs: [named('inner', [simple('a')])],
      taskDefs: noRetries('a'),
    });
    world.work('b');
    const { number } = world.task(id, 'c');
    const first = world.child(id, 'c');
    world.work('a', {}, 'FAILED');
    rerun(world, id, 'c');
    expect(world.task(id, 'c')).toMatchObject({ number, status: 'IN_PROGRESS', retryCount: 0 });
    expect(world.child(id, 'c')).not.toBe(first);
    expect(picture(world, id)).toEqual([
      'f COMPLETED',
      'c IN_PROGRESS',
      'b COMPLETED',
      'fj IN_PROGRESS',
    ]);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.2.49 of a task of a grandchild: the chain is RUNNING, other tasks of the parents keep their state', () => {
    const { world, id } = begin([simple('before'), child('c', 'inner')], {
      workflowDefs: [
        named('inner', [child('d', 'deep'), simple('after')]),
        named('deep', [simple('x'), simple('y')]),
      ],
    });
    for (const type of ['before', 'x', 'y', 'after']) world.work(type);
    const inner = world.child(id, 'c');
    const deep = world.child(inner, 'd');
    expect(world.status(id)).toBe('COMPLETED');
    rerun(world, deep, 'y');
    expect([id, inner, deep].map((each) => world.status(each))).toEqual([
      'RUNNING',
      'RUNNING',
      'RUNNING',
    ]);
    expect(picture(world, deep)).toEqual(['x COMPLETED', 'y SCHEDULED']);
    expect(picture(world, id)).toEqual(['before COMPLETED', 'c IN_PROGRESS']);
  });

  it('9.2.50 from the beginning without input: the old input; output and variables stay until overwritten', () => {
    const { world, id } = begin([simple('a'), setVariable('v', { k: 'new' })], {
      input: { n: 1 },
      def: { variables: { k: 'old' } },
    });
    world.work('a');
    const { output } = world.open(id).execution;
    rerun(world, id);
    const { execution } = world.open(id);
    expect([execution.input.value, execution.variables.value]).toEqual([{ n: 1 }, { k: 'new' }]);
    expect(execution.output.value).toEqual(output.value);
  });
});

describe('9.2 skip', () => {
  it('9.2.51 the record stands at the head, and the successor of the skipped task is scheduled directly', () => {
    const { world, id } = begin([simple('a'), simple('b'), simple('c')]);
    tell(world, id, { kind: 'skip-task', ref: 'b' });
    expect(world.list(id)).toEqual(['0 b b SKIPPED', '1 a a SCHEDULED']);
    world.work('a');
    expect(world.list(id)).toEqual(['0 b b SKIPPED', '1 a a COMPLETED', '2 c c SCHEDULED']);
  });

  it('9.2.52 a task that has any record, even of a past iteration, cannot be skipped', () => {
    const { world, id } = begin([loop('l', 2, [simple('a'), simple('b')])]);
    world.work('a');
    world.work('b');
    for (const ref of ['a', 'b', 'a__1']) {
      expect(refusal(world, id, { kind: 'skip-task', ref })).toMatch(/^(conflict|bad-request)/);
    }
  });

  it('9.2.53 a dynamic fork works beside a skipped record', () => {
    const { world, id } = begin([
      simple('s'),
      simple('a'),
      ...dynamicFork('f', [simple('x'), simple('y')], {}),
    ]);
    tell(world, id, { kind: 'skip-task', ref: 'a' });
    for (const type of ['s', 'x', 'y']) world.work(type);
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('9.2 restart and start', () => {
  it('9.2.54 restart with a newer version: same id, new version number, new tasks', () => {
    const { world, id } = begin([simple('a')], { taskDefs: noRetries('a') });
    world.work('a', {}, 'FAILED');
    const newer = workflow([simple('n')], { version: 2 });
    const def = { ...world.open(id).execution.snapshot.def };
    const other = new World().start(newer);
    expect(other).toBeDefined();
    tell(world, id, { kind: 'restart', snapshot: snapshotOf(newer) });
    expect(world.open(id).execution.snapshot.def.version).toBe(2);
    expect([def.version, picture(world, id)]).toEqual([1, ['n SCHEDULED']]);
  });

  it('9.2.55 restart: createTime is new, endTime 0, the old tasks are gone', () => {
    const { world, id } = begin([simple('a')]);
    world.work('a');
    world.now += 5000;
    tell(world, id, { kind: 'restart' });
    expect(world.open(id).execution.state).toMatchObject({ createTime: world.now, endTime: 0 });
    expect(world.list(id)).toEqual(['1 a a SCHEDULED']);
    expect(world.task(id, 'a').number).toBe(2);
  });

  it('9.2.58 an empty task list: COMPLETED, "No tasks found to be executed"', () => {
    const { world, id } = begin([]);
    expect([world.status(id), world.reason(id)]).toEqual([
      'COMPLETED',
      'No tasks found to be executed',
    ]);
  });

  it('9.2.59 the inputTemplate is applied to a non-empty input only', () => {
    const def = { inputTemplate: { x: 9, y: 2 } };
    const input = (given: JsonMap): JsonMap => {
      const { world, id } = begin([simple('a')], { input: given, def });
      return world.open(id).execution.input.value;
    };
    expect([input({}), input({ x: 1 }), input({ x: null })]).toEqual([
      {},
      { x: 1, y: 2 },
      { x: 9, y: 2 },
    ]);
  });
});

function snapshotOf(def: JsonMap): ReturnType<World['snapshot']> {
  const world = new World();
  return world.open(world.start(def)).execution.snapshot;
}
