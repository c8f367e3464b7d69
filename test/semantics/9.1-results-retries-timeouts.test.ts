// Semantics 9.1: edge cases of task results, retries and timeouts, line by line.
import { describe, expect, it } from 'vitest';
import { queueDelay } from '../../src/engine/worker-queue.js';
import type { JsonMap } from '../../src/model/json.js';
import { taskIdOf } from '../../src/std/ids.js';
import {
  begin, dynamicFork, fork, noRetries, picture, result, retries, simple, tell, terminate, World,
} from './support.js'; // prettier-ignore

const def = (name: string, more: JsonMap): JsonMap => ({
  name,
  retryCount: 0,
  retryDelaySeconds: 0,
  ...more,
});

/** Seconds before each new attempt of `a` becomes visible, one per failure. */
function delays(failures: number, more: JsonMap): number[] {
  const { world, id } = begin([simple('a')], { taskDefs: [def('a', { retryCount: 50, ...more })] });
  return Array.from({ length: failures }, () => {
    world.report(id, 'a', 'FAILED');
    const at = queueDelay(world.task(id, 'a'), world.now);
    return at === 0 ? 0 : (at - world.now) / 1000;
  });
}

describe('9.1 task results', () => {
  it('9.1.1 a late FAILED for a COMPLETED task changes nothing', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    world.work('a', { a: 1 });
    world.report(id, 'a', 'FAILED', { late: true });
    expect(picture(world, id)).toEqual(['a COMPLETED', 'b SCHEDULED']);
    expect(world.outputOf(id, 'a')).toEqual({ a: 1 });
  });

  it('9.1.2 a task completed after its workflow was terminated stays CANCELED', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    world.poll('a');
    terminate(world, id);
    expect(world.report(id, 'a', 'COMPLETED')).toMatchObject({ kind: 'updated', ignored: true });
    expect(picture(world, id)).toEqual(['a CANCELED']);
  });

  it('9.1.3 a report for an attempt that timed out and was retried is ignored', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [def('a', { retryCount: 1, responseTimeoutSeconds: 5 })],
    });
    const first = world.poll('a');
    world.pass(5000);
    world.command(id, { kind: 'end-lease', taskNumber: first?.number ?? 0, reopenCount: 0 });
    expect(picture(world, id)).toEqual(['a TIMED_OUT', 'a #1 SCHEDULED']);
    const late = {
      kind: 'update-task',
      task: { taskNumber: 1 },
      result: result('COMPLETED'),
      mergeOutput: false,
    } as const;
    tell(world, id, late);
    expect(picture(world, id)).toEqual(['a TIMED_OUT', 'a #1 SCHEDULED']);
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.1.4 a task given back for 20 s is SCHEDULED with the same id and is not polled before', () => {
    const { world, id } = begin([simple('a')]);
    world.poll('a');
    world.report(id, 'a', 'IN_PROGRESS', {}, { callbackAfterSeconds: 20 });
    expect(world.task(id, 'a')).toMatchObject({
      number: 1,
      status: 'SCHEDULED',
      retryCount: 0,
      pollCount: 1,
    });
    world.pass(19_999);
    expect(world.poll('a')).toBeUndefined();
    world.pass(1);
    expect(world.poll('a')?.pollCount).toBe(2);
  });

  it('9.1.5 after resetcallbacks it is pollable at once', () => {
    const { world, id } = begin([simple('a')]);
    world.poll('a');
    world.report(id, 'a', 'IN_PROGRESS', {}, { callbackAfterSeconds: 20 });
    tell(world, id, { kind: 'reset-callbacks' });
    expect(world.task(id, 'a').callbackAfterSeconds).toBe(0);
    expect(world.poll('a')?.number).toBe(1);
  });

  it('9.1.6 outputs of a worker replace each other', () => {
    const { world, id } = begin([simple('a')]);
    world.report(id, 'a', 'IN_PROGRESS', { a: 1 });
    world.report(id, 'a', 'COMPLETED', { b: 2 });
    expect(world.outputOf(id, 'a')).toEqual({ b: 2 });
  });

  it('9.1.7 an update by reference name is merged', () => {
    const { world, id } = begin([simple('a')]);
    world.report(id, 'a', 'IN_PROGRESS', { a: 1 });
    tell(world, id, {
      kind: 'update-task',
      task: { ref: 'a' },
      result: result('COMPLETED', { b: 2 }),
      mergeOutput: true,
    });
    expect(world.outputOf(id, 'a')).toEqual({ a: 1, b: 2 });
  });
});

describe('9.1 retries', () => {
  it('9.1.8 retryCount 2: three records, linked, with growing seq; the last one ends the workflow', () => {
    const { world, id } = begin([simple('a')], { taskDefs: retries(2, 'a') });
    for (let i = 0; i < 3; i++) world.work('a', {}, 'FAILED');
    expect(world.list(id)).toEqual([
      '1 a a FAILED retried',
      '2 a a FAILED #1 retried',
      '3 a a FAILED #2',
    ]);
    expect(
      world.open(id).execution.tasks.map(({ retriedTaskNumber }) => retriedTaskNumber),
    ).toEqual([undefined, 1, 2]);
    expect(world.status(id)).toBe('FAILED');
  });

  it('9.1.9 retryCount 0 of the configuration wins over 3 of the definition', () => {
    const { world, id } = begin([simple('a', { retryCount: 0 })], { taskDefs: retries(3, 'a') });
    world.work('a', {}, 'FAILED');
    expect([picture(world, id), world.status(id)]).toEqual([['a FAILED'], 'FAILED']);
  });

  it('9.1.10 FAILED_WITH_TERMINAL_ERROR is not retried and the reason says FAILED', () => {
    const { world, id } = begin([simple('a')], { taskDefs: retries(3, 'a') });
    world.report(id, 'a', 'FAILED_WITH_TERMINAL_ERROR', {}, { reasonForIncompletion: 'bad' });
    expect([picture(world, id), world.status(id)]).toEqual([
      ['a FAILED_WITH_TERMINAL_ERROR'],
      'FAILED',
    ]);
    expect(world.reason(id)).toBe("Task <a> failed with status: FAILED and reason: 'bad'");
  });

  it('9.1.11 an optional task is retried first, then COMPLETED_WITH_ERRORS on its last attempt', () => {
    const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
      taskDefs: retries(1, 'a'),
    });
    world.work('a', {}, 'FAILED');
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['a FAILED', 'a #1 COMPLETED_WITH_ERRORS', 'b SCHEDULED']);
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('9.1.12 after a permissive failure the rest runs and the workflow is FAILED at the end, naming the task', () => {
    const { world, id } = begin([simple('a', { permissive: true }), simple('b')], {
      taskDefs: noRetries('a'),
    });
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'bad' });
    expect(picture(world, id)).toEqual(['a FAILED', 'b SCHEDULED']);
    world.work('b');
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toBe("Task <a> failed with status: FAILED and reason: 'bad'");
  });

  it('9.1.13 permissive and optional behaves as optional', () => {
    const { world, id } = begin([simple('a', { permissive: true, optional: true }), simple('b')], {
      taskDefs: noRetries('a'),
    });
    world.work('a', {}, 'FAILED');
    world.work('b');
    expect([picture(world, id), world.status(id)]).toEqual([
      ['a COMPLETED_WITH_ERRORS', 'b COMPLETED'],
      'COMPLETED',
    ]);
  });

  it('9.1.14 an optional task with TIME_OUT_WF times the workflow out', () => {
    const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
      taskDefs: [def('a', { pollTimeoutSeconds: 1, timeoutPolicy: 'TIME_OUT_WF' })],
    });
    world.pass(1000);
    expect([picture(world, id), world.status(id)]).toEqual([['a TIMED_OUT'], 'TIMED_OUT']);
  });

  it('9.1.18 exponential delays 1, 2, 3, 3 with cap 3; jitter comes after the cap', () => {
    const backoff = {
      retryLogic: 'EXPONENTIAL_BACKOFF',
      retryDelaySeconds: 1,
      maxRetryDelaySeconds: 3,
    };
    expect(delays(4, backoff)).toEqual([1, 2, 3, 3]);
    const [, , third = 0] = delays(3, { ...backoff, backoffJitterMs: 400 });
    expect(third).toBeGreaterThanOrEqual(3);
    expect(third).toBeLessThanOrEqual(3.4);
  });

  it('9.1.19 the cap applies to FIXED as well', () => {
    expect(
      delays(2, { retryLogic: 'FIXED', retryDelaySeconds: 10, maxRetryDelaySeconds: 3 }),
    ).toEqual([3, 3]);
  });

  it('9.1.20 callbackAfterSeconds shows the base, only the queue delay has the jitter', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [def('a', { retryCount: 5, retryDelaySeconds: 2, backoffJitterMs: 500 })],
    });
    const jitters = Array.from({ length: 5 }, () => {
      world.report(id, 'a', 'FAILED');
      const { callbackAfterSeconds, startDelaySeconds, callbackAfterMs } = world.task(id, 'a');
      expect([callbackAfterSeconds, startDelaySeconds]).toEqual([2, 2]);
      return callbackAfterMs - 2000;
    });
    for (const jitter of jitters) expect(jitter >= 0 && jitter <= 500).toBe(true);
    expect(new Set(jitters).size).toBeGreaterThan(1);
  });

  it('9.1.21 a delay that overflows becomes the largest integer', () => {
    const all = delays(40, { retryLogic: 'EXPONENTIAL_BACKOFF', retryDelaySeconds: 60 });
    expect(all.at(-1)).toBe(2147483647);
    expect(all.every((delay) => delay > 0)).toBe(true);
  });

  it('9.1.22 when the total budget is over the workflow ends although retries are left', () => {
    const failing = begin([simple('a')], {
      reloads: false,
      taskDefs: [
        def('a', {
          retryCount: 9,
          retryDelaySeconds: 4,
          totalTimeoutSeconds: 5,
          timeoutPolicy: 'ALERT_ONLY',
        }),
      ],
    });
    failing.world.report(failing.id, 'a', 'FAILED');
    failing.world.pass(5000);
    failing.world.report(failing.id, 'a', 'FAILED');
    expect(failing.world.status(failing.id)).toBe('FAILED');
    expect(failing.world.reason(failing.id)).toBe(
      'Task <a>/a exceeded total timeout of 5 seconds (elapsed 5 seconds across all attempts). No further retries will be attempted.',
    );
    const silent = begin([simple('a')], {
      taskDefs: [def('a', { retryCount: 9, totalTimeoutSeconds: 5, timeoutPolicy: 'RETRY' })],
    });
    silent.world.pass(5000);
    expect(silent.world.status(silent.id)).toBe('TIMED_OUT');
  });

  it('9.1.23 the total clock starts with the first attempt and includes retry delays', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [
        def('a', {
          retryCount: 9,
          retryDelaySeconds: 10,
          totalTimeoutSeconds: 12,
          timeoutPolicy: 'TIME_OUT_WF',
        }),
      ],
    });
    world.pass(1000);
    world.report(id, 'a', 'FAILED');
    expect(world.task(id, 'a').firstScheduledAt).toBe(world.task(id, 'a').scheduledAt - 1000);
    world.pass(10_999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.1.24 a new attempt shows the old reason, has no output, no polls, and its own CPEWF_TASK_ID, also in dynamic forks', () => {
    const task = simple('a', { inputParameters: { own: '${CPEWF_TASK_ID}' } });
    for (const tasks of [[task], dynamicFork('f', [task], {})]) {
      const { world, id } = begin(tasks, { taskDefs: retries(1, 'a') });
      world.poll('a');
      world.report(id, 'a', 'FAILED', { o: 1 }, { reasonForIncompletion: 'bad' });
      const attempt = world.task(id, 'a');
      expect(attempt).toMatchObject({ retryCount: 1, reason: 'bad', pollCount: 0 });
      expect(world.outputOf(id, 'a')).toEqual({});
      expect(world.inputOf(id, 'a')['own']).toBe(taskIdOf(id, attempt.number));
      world.work('a');
      expect(world.task(id, 'a').reason).toBeUndefined();
    }
  });
});

describe('9.1 timeouts', () => {
  it('9.1.15 a response timeout is retried although the policy is ALERT_ONLY', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [
        def('a', { retryCount: 1, responseTimeoutSeconds: 5, timeoutPolicy: 'ALERT_ONLY' }),
      ],
    });
    const task = world.poll('a');
    world.pass(5000);
    world.command(id, { kind: 'end-lease', taskNumber: task?.number ?? 0, reopenCount: 0 });
    expect(picture(world, id)).toEqual(['a TIMED_OUT', 'a #1 SCHEDULED']);
  });

  it('9.1.16 extendLease prevents the response timeout; timeoutSeconds counts on from the first poll', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [
        def('a', { responseTimeoutSeconds: 10, timeoutSeconds: 22, timeoutPolicy: 'TIME_OUT_WF' }),
      ],
    });
    const { number = 0 } = world.poll('a') ?? {};
    for (let i = 0; i < 4; i++) {
      world.pass(5000);
      world.report(id, 'a', 'IN_PROGRESS', {}, { extendLease: true });
      const end = world.command(id, { kind: 'end-lease', taskNumber: number, reopenCount: 0 });
      expect(end.kind).toBe('not-wanted');
    }
    expect(world.status(id)).toBe('RUNNING');
    world.pass(2000);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.1.17 startTime is the first poll, a second one does not restart timeoutSeconds', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [
        def('a', { responseTimeoutSeconds: 10, timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' }),
      ],
    });
    world.pass(50_000);
    const startAt = world.poll('a')?.startAt;
    world.pass(6000);
    world.report(id, 'a', 'IN_PROGRESS');
    expect(world.poll('a')?.startAt).toBe(startAt);
    world.pass(3999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.1.25 pollTimeout 5 and startDelay 10: the delay counts twice, 25 s after scheduling', () => {
    const { world, id } = begin([simple('a', { startDelay: 10 })], {
      taskDefs: [def('a', { pollTimeoutSeconds: 5 })],
    });
    world.pass(24_999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.1.26 a retry delay of 60 s and pollTimeout 30: 150 s after the attempt was scheduled', () => {
    const { world, id } = begin([simple('a')], {
      taskDefs: [def('a', { retryCount: 1, retryDelaySeconds: 60, pollTimeoutSeconds: 30 })],
    });
    world.report(id, 'a', 'FAILED');
    world.pass(149_999);
    expect(world.status(id)).toBe('RUNNING');
    world.pass(1);
    expect(world.status(id)).toBe('TIMED_OUT');
  });

  it('9.1.27 a paused workflow does not time its tasks out; the first decide after resume does', () => {
    const { world, id } = begin([simple('a')], { taskDefs: [def('a', { pollTimeoutSeconds: 5 })] });
    tell(world, id, { kind: 'pause' });
    world.pass(100_000);
    expect(picture(world, id)).toEqual(['a SCHEDULED']);
    tell(world, id, { kind: 'resume' });
    expect([picture(world, id), world.status(id)]).toEqual([['a TIMED_OUT'], 'TIMED_OUT']);
  });

  it('9.1.28 a task completed by id without a poll has startTime 0', () => {
    const { world, id } = begin([simple('a')]);
    world.report(id, 'a', 'COMPLETED');
    expect(world.task(id, 'a')).toMatchObject({ status: 'COMPLETED', startAt: 0 });
  });

  it('9.1.29 CANCELED by a worker makes the workflow TERMINATED', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]), {
      taskDefs: retries(3, 'a'),
    });
    world.report(id, 'a', 'CANCELED', {}, { reasonForIncompletion: 'gone' });
    expect(world.status(id)).toBe('TERMINATED');
    expect(world.reason(id)).toBe("Task <a> failed with status: TERMINATED and reason: 'gone'");
  });
});

describe('9.1 definitions', () => {
  it('9.1.30 a SIMPLE task without a registered definition is retried 3 times', () => {
    const { world, id } = begin([simple('a')]);
    for (let i = 0; i < 4; i++) {
      world.report(id, 'a', 'FAILED');
      world.pass(60_000);
    }
    expect([picture(world, id).length, world.status(id)]).toEqual([4, 'FAILED']);
  });

  it('9.1.31 a running execution keeps the definitions it started with', () => {
    const world = new World({ taskDefs: retries(1, 'a') });
    const id = world.start({ name: 'wf', tasks: [simple('a')] });
    world.register({ name: 'a', retryCount: 0, timeoutSeconds: 0 });
    world.work('a', {}, 'FAILED');
    expect(picture(world, id)).toEqual(['a FAILED', 'a #1 SCHEDULED']);
  });
});
