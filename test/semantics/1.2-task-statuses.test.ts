// Semantics 1.2 and 1.3: task statuses and the ways from one to another.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { isRetriableTask, isSuccessfulTask, isTerminalTask } from '../../src/model/status.js';
import { parseTaskResult } from '../../src/model/parse-task-result.js';
import {
  begin,
  child,
  choose,
  fork,
  inline,
  loop,
  named,
  noRetries,
  retries,
  setVariable,
  simple,
  startOfTime,
  taskOf,
  terminate,
  World,
} from './support.js';

describe('1.2 task statuses', () => {
  it.each([
    ['SCHEDULED', false, true, true],
    ['IN_PROGRESS', false, true, true],
    ['COMPLETED', true, true, true],
    ['COMPLETED_WITH_ERRORS', true, true, true],
    ['FAILED', true, false, true],
    ['FAILED_WITH_TERMINAL_ERROR', true, false, false],
    ['TIMED_OUT', true, false, true],
    ['CANCELED', true, false, false],
    ['SKIPPED', true, true, false],
  ] as const)(
    '1.2 %s: terminal %s, successful %s, retriable %s',
    (status, terminal, successful, retriable) => {
      expect([isTerminalTask(status), isSuccessfulTask(status), isRetriableTask(status)]).toEqual([
        terminal,
        successful,
        retriable,
      ]);
    },
  );

  it('1.2 the reason of a result is cut to 500 characters', () => {
    const result = parseTaskResult({
      workflowInstanceId: 'w', taskId: 't', status: 'FAILED', reasonForIncompletion: 'x'.repeat(600),
    }, 'result'); // prettier-ignore
    expect(result.reasonForIncompletion).toHaveLength(500);
  });
});

describe('1.3 transitions when a task is scheduled', () => {
  const http = { inputParameters: { uri: 'http://x', method: 'GET' } };
  const held: [string, JsonMap[], string][] = [
    ['a worker task', [simple('x')], 'SCHEDULED'],
    ['HTTP', [taskOf('HTTP', 'x', http)], 'SCHEDULED'],
    ['EVENT', [taskOf('EVENT', 'x', { sink: 'conductor' })], 'SCHEDULED'],
    ['WAIT', [taskOf('WAIT', 'x')], 'IN_PROGRESS'],
    ['HUMAN', [taskOf('HUMAN', 'x')], 'IN_PROGRESS'],
    ['DO_WHILE', [loop('x', 1, [simple('m')])], 'IN_PROGRESS'],
    ['JOIN', fork('f', [[simple('m')]], {}).map((task) => ({ ...task, taskReferenceName: task['type'] === 'JOIN' ? 'x' : 'f' })), 'IN_PROGRESS'],
    ['PULL_WORKFLOW_MESSAGES', [taskOf('PULL_WORKFLOW_MESSAGES', 'x')], 'IN_PROGRESS'],
    ['WAIT with contradictory input', [taskOf('WAIT', 'x', { inputParameters: { duration: '1s', until: '2030-01-01' } })], 'FAILED_WITH_TERMINAL_ERROR'],
    ['SWITCH whose script fails', [taskOf('SWITCH', 'x', { evaluatorType: 'javascript', expression: 'throw 1', decisionCases: { a: [simple('m')] } })], 'FAILED'],
    ['SWITCH', [choose('x', 'a', { a: [simple('m')] })], 'COMPLETED'],
    ['FORK', fork('x', [[simple('m')]]), 'COMPLETED'],
    ['INLINE', [inline('x', '1')], 'COMPLETED'],
    ['SET_VARIABLE', [setVariable('x', { a: 1 })], 'COMPLETED'],
    ['NOOP', [taskOf('NOOP', 'x')], 'COMPLETED'],
  ]; // prettier-ignore

  it.each(held)('1.3 %s', (_name, tasks, status) => {
    const { world, id } = begin(tasks);
    expect(world.task(id, 'x').status).toBe(status);
  });

  it('1.3 SUB_WORKFLOW and START_WORKFLOW are SCHEDULED until their start is carried out', () => {
    const world = new World({ workflowDefs: [named('inner', [simple('a')])] });
    const seen: string[] = [];
    world.onDecision = (_id, { changes }) => {
      for (const task of changes.tasks.keys()) seen.push(`${task.ref} ${task.status}`);
    };
    world.start(
      named('outer', [
        child('c', 'inner', { optional: true }),
        taskOf('START_WORKFLOW', 's', { inputParameters: { startWorkflow: { name: 'inner' } } }),
      ]),
    );
    world.work('a');
    expect(seen.filter((line) => /^[cs] /.test(line))).toEqual([
      'c SCHEDULED', 'c IN_PROGRESS', 'c COMPLETED', 's SCHEDULED', 's COMPLETED',
    ]); // prettier-ignore
  });
});

describe('1.3 transitions of a task', () => {
  it('1.3 SCHEDULED, polled: IN_PROGRESS', () => {
    const { world, id } = begin([simple('a')]);
    expect(world.poll('a')?.status).toBe('IN_PROGRESS');
    expect(world.task(id, 'a').startAt).toBe(startOfTime);
  });

  it('1.3 IN_PROGRESS, the worker reports IN_PROGRESS: SCHEDULED and visible after callbackAfterSeconds', () => {
    const { world, id } = begin([simple('a')]);
    world.poll('a');
    world.report(id, 'a', 'IN_PROGRESS', {}, { callbackAfterSeconds: 3 });
    expect(world.task(id, 'a').status).toBe('SCHEDULED');
    expect(world.poll('a')).toBeUndefined();
    world.pass(3000);
    expect(world.poll('a')?.pollCount).toBe(2);
  });

  it('1.3 IN_PROGRESS reported of a system task: it stays IN_PROGRESS', () => {
    const { world, id } = begin([taskOf('HUMAN', 'h')]);
    world.report(id, 'h', 'IN_PROGRESS', { form: 1 });
    expect([world.task(id, 'h').status, world.outputOf(id, 'h')]).toEqual([
      'IN_PROGRESS',
      { form: 1 },
    ]);
  });

  it('1.3 SCHEDULED, never polled: completed directly', () => {
    const { world, id } = begin([simple('a')]);
    world.report(id, 'a', 'COMPLETED');
    expect([world.task(id, 'a').status, world.status(id)]).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('1.3 FAILED with a retry: stays, retried, and a new record is there', () => {
    const { world, id } = begin([simple('a')], { taskDefs: retries(1, 'a') });
    world.work('a', {}, 'FAILED');
    expect(world.list(id)).toEqual(['1 a a FAILED retried', '2 a a SCHEDULED #1']);
  });

  it.each(['FAILED', 'FAILED_WITH_TERMINAL_ERROR', 'CANCELED'] as const)(
    '1.3 %s, optional, no retry: COMPLETED_WITH_ERRORS',
    (status) => {
      const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
        taskDefs: noRetries('a'),
      });
      world.report(id, 'a', status);
      expect(world.list(id)).toEqual(['1 a a COMPLETED_WITH_ERRORS', '2 b b SCHEDULED']);
    },
  );

  it('1.3 TIMED_OUT, optional, no retry: COMPLETED_WITH_ERRORS', () => {
    const def = { name: 'a', retryCount: 0, pollTimeoutSeconds: 1, timeoutPolicy: 'RETRY' };
    const { world, id } = begin([simple('a', { optional: true }), simple('b')], {
      taskDefs: [def],
    });
    world.pass(1000);
    expect(world.list(id)).toEqual(['1 a a COMPLETED_WITH_ERRORS', '2 b b SCHEDULED']);
  });

  it('1.3 SCHEDULED and IN_PROGRESS, the workflow ends: CANCELED', () => {
    const { world, id } = begin(fork('f', [[simple('a')], [simple('b')]]));
    world.poll('a');
    terminate(world, id);
    expect(world.list(id)).toEqual([
      '1 f FORK COMPLETED',
      '2 a a CANCELED',
      '3 b b CANCELED',
      '4 fj JOIN CANCELED',
    ]);
  });

  it('1.3 terminal, any update: unchanged', () => {
    const { world, id } = begin([simple('a'), simple('b')]);
    world.work('a', { kept: 1 });
    expect(world.report(id, 'a', 'FAILED', { lost: 1 })).toMatchObject({
      kind: 'updated',
      ignored: true,
    });
    expect([world.task(id, 'a').status, world.outputOf(id, 'a')]).toEqual([
      'COMPLETED',
      { kept: 1 },
    ]);
  });
});
