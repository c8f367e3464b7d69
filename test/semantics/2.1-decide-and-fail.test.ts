// Semantics 2.2 to 2.7: the decide step up to the failure of a task, rule by rule. What 9.1 shows
// line by line (retry delays, timeouts at their moments) is not repeated.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import type { World } from './support.js';
import {
  begin,
  child,
  choose,
  fork,
  inline,
  loop,
  named,
  noRetries,
  openRefs,
  picture,
  result,
  retries,
  setVariable,
  simple,
  startOfTime,
  taskOf,
  tell,
} from './support.js';

const def = (name: string, more: JsonMap): JsonMap => ({
  name,
  retryCount: 0,
  retryDelaySeconds: 0,
  ...more,
});

describe('2.2 the outer loop', () => {
  it('2.2.1 a decide of a terminal execution changes nothing', () => {
    const { world, id } = begin([simple('a')], { taskDefs: noRetries('a') });
    world.work('a', {}, 'FAILED');
    const before = world.list(id);
    tell(world, id, { kind: 'decide' });
    expect([world.list(id), world.status(id)]).toEqual([before, 'FAILED']);
  });

  it('2.2.3 in-line tasks in a row run in the same decide', () => {
    const { world, id } = begin([
      setVariable('v', { n: 1 }),
      inline('i', '2'),
      choose('s', 'x', { x: [taskOf('NOOP', 'n')] }),
    ]);
    expect([picture(world, id), world.status(id)]).toEqual([
      ['v COMPLETED', 'i COMPLETED', 's COMPLETED', 'n COMPLETED'],
      'COMPLETED',
    ]);
  });

  it('2.2 a long in-line loop yields and goes on by itself, however often it is interrupted', () => {
    const { world, id } = begin([loop('l', 40, [inline('i', '1')])], {
      limits: { itemsPerStepMax: 3 },
    });
    expect(world.steps).toBeGreaterThan(40);
    expect([world.status(id), world.task(id, 'l').iteration]).toEqual(['COMPLETED', 40]);
  });
});

describe('2.3 the outcome', () => {
  it('2.3.1 the start rule maps the first task that is not skipped', () => {
    const { world, id } = begin([taskOf('WAIT', 'w'), simple('a')]);
    tell(world, id, { kind: 'skip-task', ref: 'a' });
    expect(picture(world, id)).toEqual(['a SKIPPED', 'w IN_PROGRESS']);
    world.report(id, 'w', 'COMPLETED');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('2.3.6d a consumed record is executed', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    world.work('a');
    expect([world.task(id, 'a').executed, world.task(id, 'b').executed]).toEqual([true, false]);
  });

  it('2.3.8 the workflow completes only when every branch task is terminal, also behind a JOIN that is done', () => {
    const { world, id } = begin(
      fork('f', [[simple('a'), simple('a2')], [simple('b')]], { joinOn: ['b'] }),
    );
    world.work('b');
    expect([picture(world, id).includes('fj COMPLETED'), world.status(id)]).toEqual([
      true,
      'RUNNING',
    ]);
    world.work('a');
    world.work('a2');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('2.3.9 permissive failures end the workflow at its end, each named, joined by ". "', () => {
    const permissive = { permissive: true };
    const { world, id } = begin([simple('a', permissive), simple('b', permissive), simple('c')], {
      taskDefs: noRetries('a', 'b'),
    });
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'one' });
    world.report(id, 'b', 'FAILED_WITH_TERMINAL_ERROR');
    world.work('c');
    expect(world.reason(id)).toBe(
      "Task <a> failed with status: FAILED and reason: 'one'. Task <b> failed with status: FAILED_WITH_TERMINAL_ERROR and reason: 'null'",
    );
  });

  it('2.3.9 a permissive task that succeeds in its last attempt does not count', () => {
    const { world, id } = begin([simple('a', { permissive: true }), simple('b')], {
      taskDefs: retries(1, 'a'),
    });
    world.work('a', {}, 'FAILED');
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('2.4 workflow timeout', () => {
  const human = [taskOf('HUMAN', 'h')];

  it('2.4 TIME_OUT_WF ends it as TIMED_OUT at its time, with the reason of the reference', () => {
    const { world, id } = begin(human, {
      def: { timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' },
    });
    world.pass(4999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect([world.status(id), picture(world, id)]).toEqual(['TIMED_OUT', ['h CANCELED']]);
    expect(world.reason(id)).toBe(
      'Workflow timed out after 5 seconds. Timeout configured as 5 seconds. Timeout policy configured to TIME_OUT_WF',
    );
  });

  it('2.4 ALERT_ONLY counts and does not end it', () => {
    const { world, id } = begin(human, {
      def: { timeoutSeconds: 5, timeoutPolicy: 'ALERT_ONLY' },
      reloads: false,
    });
    world.pass(50_000);
    expect(world.status(id)).toBe('RUNNING');
    expect(world.outputs.filter(({ output }) => output.kind === 'count')).toHaveLength(1);
  });

  it('2.4 timeoutSeconds 0 is no timeout', () => {
    const { world, id } = begin(human, {
      def: { timeoutSeconds: 0, timeoutPolicy: 'TIME_OUT_WF' },
    });
    world.pass(1_000_000_000);
    expect(world.status(id)).toBe('RUNNING');
  });

  it('2.4 the clock starts again with a retry', () => {
    const { world, id } = begin([simple('a')], {
      def: { timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' },
      taskDefs: noRetries('a'),
    });
    world.pass(4000);
    world.work('a', {}, 'FAILED');
    world.now += 60_000;
    tell(world, id, { kind: 'retry', resumeSubworkflowTasks: false });
    world.pass(4999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });
});

describe('2.5 task timeouts', () => {
  const texts: [string, JsonMap, (world: World, id: ReturnType<World['start']>) => void, string][] = [
    ['total', { totalTimeoutSeconds: 2 }, () => undefined, 'Task a/<a> exceeded total timeout of 2 seconds (elapsed 2 seconds across all attempts including retry delays). Timeout policy: TIME_OUT_WF'],
    ['task', { timeoutSeconds: 2, responseTimeoutSeconds: 2 }, (world) => void world.poll('a'), 'Task timed out after 2 seconds. Timeout configured as 2 seconds. Timeout policy configured to TIME_OUT_WF'],
    ['poll', { pollTimeoutSeconds: 2 }, () => undefined, 'Task poll timed out after 2 seconds. Poll timeout configured as 2 seconds. Timeout policy configured to TIME_OUT_WF'],
  ]; // prettier-ignore

  it.each(texts)(
    '2.5 %s timeout with TIME_OUT_WF: the reason on the task and word for word on the workflow',
    (_name, more, prepare, text) => {
      const { world, id } = begin([simple('a')], {
        taskDefs: [def('a', { ...more, retryCount: 3 })],
      });
      prepare(world, id);
      world.pass(2000);
      const reason = world.task(id, 'a').reason?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '<a>');
      expect([world.status(id), reason, world.reason(id)]).toEqual(['TIMED_OUT', text, text]);
      expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual([]);
    },
  );

  it.each(texts)(
    '2.5 %s timeout with RETRY: TIMED_OUT, then the retry rule',
    (kind, more, prepare) => {
      const { world, id } = begin([simple('a')], {
        taskDefs: [def('a', { ...more, retryCount: 1, timeoutPolicy: 'RETRY' })],
      });
      prepare(world, id);
      world.pass(2000);
      if (kind === 'total') expect(world.status(id)).toBe('TIMED_OUT');
      else expect(picture(world, id)).toEqual(['a TIMED_OUT', 'a #1 SCHEDULED']);
    },
  );

  it.each(texts)('2.5 %s timeout with ALERT_ONLY: counted only', (_kind, more, prepare) => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [def('a', { ...more, timeoutPolicy: 'ALERT_ONLY' })],
      reloads: false,
    });
    prepare(world, id);
    world.pass(20_000);
    expect([world.status(id), openRefs(world, id)]).toEqual(['RUNNING', ['a']]);
    expect(
      world.outputs.map(({ output }) => output).find((output) => output.kind === 'count'),
    ).toMatchObject({ metric: 'task_timeout', label: 'a' });
  });

  it('2.5 the start delay is not part of timeoutSeconds', () => {
    const { world, id } = begin([simple('a', { startDelay: 10 })], {
      taskDefs: [def('a', { timeoutSeconds: 5, responseTimeoutSeconds: 5 })],
    });
    world.pass(10_000);
    world.poll('a');
    world.pass(14_999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('2.5 a response timeout ends an optional task with COMPLETED_WITH_ERRORS', () => {
    const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
      taskDefs: [def('a', { responseTimeoutSeconds: 5 })],
    });
    const task = world.poll('a');
    world.pass(5000);
    world.command(id, { kind: 'end-lease', taskNumber: task?.number ?? 0, reopenCount: 0 });
    expect(picture(world, id)).toEqual(['a COMPLETED_WITH_ERRORS', 'b SCHEDULED']);
  });

  it('2.5 a HUMAN with a registered definition has a response timeout, a WAIT has none', () => {
    const human = begin([taskOf('HUMAN', 'h')], {
      taskDefs: [def('h', { responseTimeoutSeconds: 5 })],
    });
    human.world.pass(5000);
    expect(human.world.status(human.id)).toBe('TIMED_OUT');
    const wait = begin([taskOf('WAIT', 'w')], {
      taskDefs: [def('w', { responseTimeoutSeconds: 5 })],
    });
    wait.world.pass(50_000);
    expect(wait.world.status(wait.id)).toBe('RUNNING');
  });

  it.each(['HUMAN', 'WAIT', 'JOIN', 'SUB_WORKFLOW'])(
    '2.5 timeoutSeconds of a definition named like a %s applies to it',
    (type) => {
      const tasks = {
        HUMAN: [taskOf('HUMAN', 'x')],
        WAIT: [taskOf('WAIT', 'x')],
        JOIN: [
          taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('m')]] }),
          taskOf('JOIN', 'x', { joinOn: ['m'] }),
        ],
        SUB_WORKFLOW: [child('x', 'inner')],
      }[type] as JsonMap[];
      const { world, id } = begin(tasks, {
        taskDefs: [def('x', { timeoutSeconds: 5, responseTimeoutSeconds: 5 })],
        workflowDefs: [named('inner', [simple('a')])],
      });
      world.pass(5000);
      expect([world.status(id), world.task(id, 'x').status]).toEqual(['TIMED_OUT', 'TIMED_OUT']);
    },
  );

  it('2.5 a SUB_WORKFLOW that times out with RETRY starts another child', () => {
    const { world, id } = begin([child('c', 'inner')], {
      taskDefs: [
        def('c', {
          timeoutSeconds: 5,
          responseTimeoutSeconds: 5,
          retryCount: 1,
          timeoutPolicy: 'RETRY',
        }),
      ],
      workflowDefs: [named('inner', [simple('a')])],
    });
    const first = world.child(id, 'c');
    world.pass(5000);
    expect(picture(world, id)).toEqual(['c TIMED_OUT', 'c #1 IN_PROGRESS']);
    expect(world.child(id, 'c')).not.toBe(first);
  });
});

describe('2.6 scheduling', () => {
  it('2.6.2 seq grows by one in list order and firstScheduledTime is inherited by attempts', () => {
    const { world, id } = begin([...fork('f', [[simple('a')], [simple('b')]])], {
      taskDefs: retries(1, 'a'),
    });
    world.now += 500;
    world.work('a', {}, 'FAILED');
    expect(world.open(id).execution.tasks.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(world.task(id, 'a')).toMatchObject({
      firstScheduledAt: startOfTime,
      scheduledAt: startOfTime + 500,
    });
  });

  it('2.6.4 a start delay holds the first delivery back', () => {
    const { world } = begin([simple('a', { startDelay: 3 })]);
    world.pass(2999);
    expect(world.poll('a')).toBeUndefined();
    world.pass(1);
    expect(world.poll('a')).toBeDefined();
  });
});

describe('2.7 failure of a task', () => {
  it.each([
    [
      'DECISION',
      taskOf('DECISION', 'x', {
        caseExpression: 'throw 1',
        decisionCases: { a: [simple('m')] },
        retryCount: 2,
      }),
    ],
    [
      'SWITCH',
      taskOf('SWITCH', 'x', {
        evaluatorType: 'javascript',
        expression: 'throw 1',
        decisionCases: { a: [simple('m')] },
        retryCount: 2,
      }),
    ],
    ['DO_WHILE', loop('x', 'throw 1', [setVariable('v', { a: 1 })], { retryCount: 2 })],
  ])('2.7.1 a %s is not retried whatever its retryCount', (_type, task) => {
    const { world, id } = begin([task]);
    expect([world.status(id), picture(world, id).filter((line) => line.includes('#'))]).toEqual([
      'FAILED',
      [],
    ]);
  });

  it('2.7.1 a failed required task ends the workflow and is its failed task', () => {
    const { world, id } = begin([simple('a'), simple('b')], { taskDefs: noRetries('b') });
    world.work('a');
    world.work('b', {}, 'FAILED');
    expect(world.open(id).execution.state).toMatchObject({
      failedTaskNumber: 2,
      failedReferenceTaskNames: ['b'],
      failedTaskNames: ['b'],
    });
    expect(world.reason(id)).toBe("Task <b> failed with status: FAILED and reason: 'null'");
  });

  it('2.7.1 with the total budget used up an optional task is passed over all the same', () => {
    const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
      taskDefs: [def('a', { retryCount: 5, totalTimeoutSeconds: 3, timeoutPolicy: 'RETRY' })],
    });
    world.pass(3000);
    expect(picture(world, id)).toEqual(['a COMPLETED_WITH_ERRORS', 'b SCHEDULED']);
  });

  it('2.7.1 LINEAR_BACKOFF waits retryDelay × scale × attempt', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [
        def('a', {
          retryCount: 3,
          retryLogic: 'LINEAR_BACKOFF',
          retryDelaySeconds: 2,
          backoffScaleFactor: 3,
        }),
      ],
    });
    const seen = [0, 1, 2].map(() => {
      world.report(id, 'a', 'FAILED');
      return world.task(id, 'a').callbackAfterSeconds;
    });
    expect(seen).toEqual([6, 12, 18]);
  });

  it('2.7.1 the input of an attempt is evaluated again and merged over the old one', () => {
    const { world, id } = begin(
      [simple('a', { inputParameters: { v: '${workflow.variables.v}' } })],
      {
        taskDefs: retries(1, 'a'),
        def: { variables: { v: 1 } },
      },
    );
    tell(world, id, { kind: 'update-variables', variables: { v: 2 } });
    world.work('a', {}, 'FAILED');
    expect(world.inputOf(id, 'a')).toEqual({ v: 2 });
  });

  it('2.7.1 keys that no longer resolve stay in the input of the attempt', () => {
    const { world, id } = begin(
      [simple('a', { inputParameters: { v: '${workflow.variables.v.x}' } })],
      {
        taskDefs: retries(1, 'a'),
        def: { variables: { v: { x: 1 } } },
      },
    );
    tell(world, id, { kind: 'update-variables', variables: { v: 0 } });
    world.work('a', {}, 'FAILED');
    expect(world.inputOf(id, 'a')).toEqual({ v: 1 });
  });

  it('2.7.2 an optional failure that comes last keeps its record, the workflow COMPLETED, and it may be retried', () => {
    const { world, id } = begin([simple('a', { optional: true })], { taskDefs: noRetries('a') });
    world.work('a', {}, 'FAILED');
    expect([picture(world, id), world.status(id)]).toEqual([['a FAILED'], 'COMPLETED']);
    expect(world.open(id).execution.state.failedReferenceTaskNames).toEqual([]);
    tell(world, id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(picture(world, id)).toEqual(['a FAILED', 'a #1 SCHEDULED']);
  });

  it('2.7.2 the original reason stays visible on an optional failure', () => {
    const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
      taskDefs: noRetries('a'),
    });
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'why' });
    expect(world.task(id, 'a')).toMatchObject({ status: 'COMPLETED_WITH_ERRORS', reason: 'why' });
  });

  it('2.7.3 updates of unknown tasks are refused with 404, of ended workflows ignored', () => {
    const { world, id } = begin([simple('a')]);
    const update = (taskNumber: number) =>
      ({
        kind: 'update-task',
        task: { taskNumber },
        result: result('COMPLETED'),
        mergeOutput: false,
      }) as const;
    expect(world.command(id, update(9))).toMatchObject({ error: { kind: 'not-found' } });
    world.work('a');
    expect(world.command(id, update(1))).toMatchObject({ kind: 'updated', ignored: true });
  });
});
