// Semantics 1.1: workflow statuses and how each is reached.
import { describe, expect, it } from 'vitest';
import { isTerminalWorkflow } from '../../src/model/status.js';
import {
  begin,
  child,
  named,
  noRetries,
  simple,
  tell,
  terminate,
  terminateTask,
} from './support.js';

describe('1.1 workflow statuses', () => {
  it.each([
    ['RUNNING', false],
    ['PAUSED', false],
    ['COMPLETED', true],
    ['FAILED', true],
    ['TIMED_OUT', true],
    ['TERMINATED', true],
  ] as const)('1.1 %s: terminal %s', (status, terminal) => {
    expect(isTerminalWorkflow(status)).toBe(terminal);
  });

  it('1.1 COMPLETED when all work is done, or when a TERMINATE asks for it', () => {
    const done = begin([simple('a')]);
    done.world.work('a');
    expect(done.world.status(done.id)).toBe('COMPLETED');
    const asked = begin([terminateTask('t', 'COMPLETED'), simple('a')]);
    expect(asked.world.status(asked.id)).toBe('COMPLETED');
  });

  it('1.1 FAILED when a required task failed or a TERMINATE asks for it', () => {
    const failed = begin([simple('a')], { taskDefs: noRetries('a') });
    failed.world.work('a', {}, 'FAILED');
    expect(failed.world.status(failed.id)).toBe('FAILED');
    const asked = begin([terminateTask('t', 'FAILED')]);
    expect(asked.world.status(asked.id)).toBe('FAILED');
  });

  it('1.1 TIMED_OUT by the workflow timeout or by a task with TIME_OUT_WF', () => {
    const whole = begin([simple('a')], {
      def: { timeoutSeconds: 5, timeoutPolicy: 'TIME_OUT_WF' },
    });
    whole.world.pass(5000);
    expect(whole.world.status(whole.id)).toBe('TIMED_OUT');
    const task = begin([simple('a')], { taskDefs: [{ name: 'a', pollTimeoutSeconds: 1 }] });
    task.world.pass(1000);
    expect(task.world.status(task.id)).toBe('TIMED_OUT');
  });

  it('1.1 TERMINATED by a user, by the parent, by TERMINATE, or by a cancelled task without retry', () => {
    const { world, id } = begin([child('c', 'inner')], {
      workflowDefs: [named('inner', [simple('a')])],
    });
    terminate(world, id);
    expect([world.status(id), world.status(world.child(id, 'c'))]).toEqual([
      'TERMINATED',
      'TERMINATED',
    ]);
    const asked = begin([terminateTask('t', 'TERMINATED')]);
    expect(asked.world.status(asked.id)).toBe('TERMINATED');
    const cancelled = begin([simple('a')]);
    cancelled.world.report(cancelled.id, 'a', 'CANCELED');
    expect(cancelled.world.status(cancelled.id)).toBe('TERMINATED');
  });

  it('1.1 previousStatus keeps the status before the latest change', () => {
    const { world, id } = begin([simple('a')]);
    const previous = (): string | undefined => world.open(id).execution.state.previousStatus;
    expect(previous()).toBeUndefined();
    tell(world, id, { kind: 'pause' });
    expect(previous()).toBe('RUNNING');
    terminate(world, id);
    expect(previous()).toBe('PAUSED');
    tell(world, id, { kind: 'restart' });
    expect(previous()).toBe('TERMINATED');
  });
});
