// The page says reasons of the server in the words of people. The texts come from the engine
// itself, so that one that is worded anew there is noticed here.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { why } from '../../src/engine/why.js';
import type { JsonMap } from '../../src/model/json.js';
import { begin, child, named, result, simple, taskOf } from '../semantics/support.js';
import { projectRoot } from '../../testkit/project.js';

// The page has a configuration of its own, so that its files cannot be named in an import.
const { causeOf, plainReason, remedyOf } = (await import(
  path.join(projectRoot, 'ui/src/state/causes.ts')
)) as {
  causeOf(reason: string | undefined): string;
  plainReason(reason: string): string;
  remedyOf(moves: string): string;
};

interface Case {
  readonly taskDef: JsonMap;
  readonly isPolled?: boolean;
  readonly cause: string;
}

const overdue: { readonly [name: string]: Case } = {
  'a response timeout': {
    taskDef: { responseTimeoutSeconds: 90, timeoutSeconds: 0 },
    isPolled: true,
    cause: 'Its worker gave no sign of life for 1 min 30 s, its response timeout',
  },
  'a poll timeout': {
    taskDef: { pollTimeoutSeconds: 30, timeoutSeconds: 0 },
    cause: 'No worker took it within 30 s',
  },
  'a timeout': {
    taskDef: { timeoutSeconds: 60, responseTimeoutSeconds: 50 },
    isPolled: true,
    cause: 'It took 1 min, and its timeout is 1 min',
  },
  'a total timeout': {
    taskDef: { totalTimeoutSeconds: 20, timeoutSeconds: 0 },
    cause: 'All attempts together took 20 s, and their timeout is 20 s',
  },
};

const facts = { lastPollAt: () => 0, attempt: () => undefined };

describe('what the page says of a reason', () => {
  it.each(Object.entries(overdue))('puts %s into words', (name, { taskDef, isPolled, cause }) => {
    const taskDefs = [{ name: 'a', retryCount: 0, timeoutPolicy: 'TIME_OUT_WF', ...taskDef }];
    const { world, id } = begin([simple('a')], { taskDefs });
    if (isPolled === true) world.poll('a');
    // The lease of the one whose worker reports does not end before its timeout.
    if (name === 'a timeout') {
      world.pass(40_000);
      const { number } = world.task(id, 'a');
      world.command(id, {
        kind: 'update-task',
        task: { taskNumber: number },
        result: result('IN_PROGRESS', {}, { extendLease: true }),
        mergeOutput: false,
      });
      world.pass(20_000);
    } else world.pass(90_000);
    if (name === 'a response timeout') {
      const { number } = world.task(id, 'a');
      world.command(id, { kind: 'end-lease', taskNumber: number, reopenCount: 0 });
    }
    expect(causeOf(world.task(id, 'a').reason)).toBe(cause);
    expect(causeOf(world.reason(id))).toBe(cause);
    expect(plainReason(why(world.open(id), facts, world.now).reason)).not.toMatch(
      /responseTimeout|policy|configured|seconds/,
    );
  });

  it('puts the timeout of an execution into words', () => {
    const def = { timeoutSeconds: 10, timeoutPolicy: 'TIME_OUT_WF' };
    const { world, id } = begin([simple('a')], { def });
    world.pass(10_000);
    expect(causeOf(world.reason(id))).toBe('The execution took 10 s, and its timeout is 10 s');
  });

  it('puts the failure of a child into words, and groups large numbers', () => {
    const { world, id } = begin([child('c', 'inner')], {
      taskDefs: [{ name: 'x', retryCount: 0 }],
      workflowDefs: [named('inner', [simple('x')])],
    });
    world.poll('x');
    const inner = world.child(id, 'c');
    world.command(inner, {
      kind: 'update-task',
      task: { taskNumber: world.task(inner, 'x').number },
      result: result('FAILED', {}, { reasonForIncompletion: 'no stock' }),
      mergeOutput: false,
    });
    world.deliverMessages();
    expect(causeOf(world.reason(id))).toBe('The child inner failed: no stock');
    expect(plainReason('Queue q: 3000 tasks wait.')).toBe('Queue q: 3,000 tasks wait.');
  });

  it('leaves the words of a worker as they are', () => {
    const { world, id } = begin([simple('a')], { taskDefs: [{ name: 'a', retryCount: 0 }] });
    const { number } = world.poll('a') ?? expect.fail('no task');
    world.command(id, {
      kind: 'update-task',
      task: { taskNumber: number },
      result: result('FAILED', {}, { reasonForIncompletion: "card 'x' expired" }),
      mergeOutput: false,
    });
    expect(causeOf(world.reason(id))).toBe("card 'x' expired");
    expect(causeOf(undefined)).toBe('');
  });

  it('names no route for what moves a task', () => {
    const { world, id } = begin(
      [
        taskOf('FORK_JOIN', 'f', {
          forkTasks: [
            [taskOf('WAIT', 'w')],
            [child('c', 'inner')],
            [simple('late', { startDelay: 60 })],
            [simple('a')],
          ],
        }),
        taskOf('JOIN', 'j', { joinOn: ['w', 'c', 'late', 'a'] }),
      ],
      { workflowDefs: [named('inner', [simple('x')])] },
    );
    world.command(id, { kind: 'pause' });
    const { waitsFor } = why(world.open(id), facts, world.now);
    expect(waitsFor.length).toBeGreaterThan(4);
    const remedies = waitsFor.map(({ moves }) => remedyOf(moves));
    expect(remedies.filter((words) => /\/api\/|\b(?:POST|PUT|GET)\b/.test(words))).toEqual([]);
    expect(remedies).toContain('Resume.');
  });
});
