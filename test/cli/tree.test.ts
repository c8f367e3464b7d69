// An execution as lines: the order of the definition, what is inside of what, and how long it took.
import { describe, expect, it } from 'vitest';
import { duration, headOf, treeOf } from '../../cli/executions/tree.js';
import type { JsonObject } from '../../cli/shared/json.js';

const simple = (taskReferenceName: string): JsonObject => ({ taskReferenceName, type: 'SIMPLE' });
const done = (referenceTaskName: string, more: JsonObject = {}): JsonObject => ({
  ...{ referenceTaskName, status: 'COMPLETED', startTime: 1000, endTime: 3000 },
  ...more,
});

function lines(execution: JsonObject, children = new Map<string, JsonObject>()): string[] {
  return treeOf(execution, children, 9000).map(({ depth, mark, ref, about }) =>
    `${'  '.repeat(depth)}${mark} ${ref} ${about}`.trimEnd(),
  );
}

const fork: JsonObject = {
  taskReferenceName: 'fork',
  type: 'FORK_JOIN',
  forkTasks: [[simple('a')], [simple('b')]],
};
const choice: JsonObject = {
  taskReferenceName: 'choice',
  type: 'SWITCH',
  decisionCases: { x: [simple('taken')], y: [simple('left')] },
};

describe('a tree', () => {
  it('has branches below their fork, and what is still to come of a running execution', () => {
    const execution = {
      status: 'RUNNING',
      workflowDefinition: { tasks: [fork, choice, simple('last')] },
      tasks: [
        done('fork'),
        done('a'),
        { referenceTaskName: 'b', status: 'SCHEDULED', scheduledTime: 8000 },
      ],
    };
    expect(lines(execution)).toEqual([
      '✓ fork 2.0 s',
      '  ✓ a 2.0 s',
      '  ○ b 1.0 s',
      '· choice',
      '· last',
    ]);
  });

  it('leaves out what a finished execution never reached', () => {
    const tasks = [done('choice'), done('taken')];
    const workflowDefinition = { tasks: [choice, simple('never')] };
    const execution = { status: 'TERMINATED', workflowDefinition, tasks };
    expect(lines(execution)).toEqual(['✓ choice 2.0 s', '  ✓ taken 2.0 s']);
  });

  it('tells attempts, rounds, reasons, workers and tasks that the definition does not name', () => {
    const loop = { taskReferenceName: 'loop', type: 'DO_WHILE', loopOver: [simple('r')] };
    const execution = {
      status: 'RUNNING',
      workflowDefinition: { tasks: [loop] },
      tasks: [
        done('loop'),
        done('r__1', { iteration: 1 }),
        { referenceTaskName: 'r__2', iteration: 2, status: 'FAILED', retried: true },
        {
          referenceTaskName: 'r__2',
          iteration: 2,
          status: 'IN_PROGRESS',
          retryCount: 1,
          workerId: 'w',
          startTime: 8000,
        },
        done('forked', { status: 'FAILED', reasonForIncompletion: 'no stock' }),
      ],
    };
    expect(lines(execution)).toEqual([
      '✓ loop 2.0 s',
      '  ▶ r 1.0 s, round 2, attempt 2, with w',
      '  ✗ forked 2.0 s, no stock',
    ]);
  });

  it('has the tasks of a sub-workflow below the task that started it', () => {
    const sub = { taskReferenceName: 'sub', type: 'SUB_WORKFLOW' };
    const child = {
      status: 'COMPLETED',
      workflowDefinition: { tasks: [simple('in')] },
      tasks: [done('in')],
    };
    const tasks = [done('sub', { subWorkflowId: 'c' })];
    const execution = { status: 'COMPLETED', workflowDefinition: { tasks: [sub] }, tasks };
    expect(lines(execution, new Map([['c', child]]))).toEqual(['✓ sub 2.0 s', '  ✓ in 2.0 s']);
  });

  it('has a head with the reason', () => {
    const execution = {
      status: 'FAILED',
      workflowName: 'w',
      workflowId: 'i',
      startTime: 1,
      endTime: 61_001,
      reasonForIncompletion: 'no',
    };
    expect(headOf(execution, 0)).toMatchObject({ ref: 'w', mark: '✗', about: '1 min 1 s, no' });
    expect([duration(12), duration(3_700_000)]).toEqual(['12 ms', '1 h 1 min']);
  });
});
