// Human tasks in the engine: the chain of assignees moves with time, and a completed task moves its
// execution in the same transition.
import { describe, expect, it } from 'vitest';
import { entryOf, processOf } from '../../src/engine/human-tasks.js';
import { readWorkflowDef } from '../../src/model/workflow-def.js';
import { startOfTime, workflow, World } from './support/world.js';

const user = (name: string): object => ({ userType: 'EXTERNAL_USER', user: name });
const minute = 60_000;

function human(definition: object): object {
  return {
    name: 'ask',
    taskReferenceName: 'ask',
    type: 'HUMAN',
    inputParameters: { __humanTaskDefinition: definition },
  };
}

describe('a human task', () => {
  it('passes along its chain with time, whether the execution is in memory or not', () => {
    for (const reloads of [true, false]) {
      const world = new World({ reloads });
      const assignments = ['a', 'b'].map((name) => ({ assignee: user(name), slaMinutes: 10 }));
      const id = world.start(workflow([human({ assignments }) as never]));
      const assignee = (): unknown => processOf(world.task(id, 'ask'))?.assignee;
      expect(processOf(world.task(id, 'ask'))?.escalateAt).toBe(startOfTime + 10 * minute);
      world.pass(10 * minute - 1);
      expect(assignee()).toEqual(user('a'));
      world.pass(1);
      expect(assignee()).toEqual(user('b'));
      world.pass(10 * minute);
      expect(assignee()).toBeUndefined();
      world.pass(1000 * minute);
      expect(world.task(id, 'ask').status).toBe('IN_PROGRESS');
    }
  });

  it('fails with the field that an expression has spoilt', () => {
    const world = new World();
    const assignments = [{ assignee: { userType: '${workflow.input.type}', user: 'a' } }];
    const id = world.start(workflow([human({ assignments }) as never]), { type: 'ALIEN' });
    expect(world.task(id, 'ask')).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reason: expect.stringMatching(/assignments\[0\]\.assignee\.userType must be one of/),
    });
    expect(world.open(id).execution.state.status).toBe('FAILED');
  });

  it('fails with its chain under TERMINATE', () => {
    const world = new World();
    const assignments = [{ assignee: user('a'), slaMinutes: 1 }];
    const definition = { assignments, assignmentCompletionStrategy: 'TERMINATE' };
    const id = world.start(workflow([human(definition) as never]));
    world.pass(minute);
    expect(world.open(id).execution.state.status).toBe('FAILED');
    expect(world.open(id).execution.state.reasonForIncompletion).toContain(
      'no more assignments pending',
    );
  });

  it('stays with its claimant when the limit is over', () => {
    const world = new World();
    const assignments = [{ assignee: user('a'), slaMinutes: 1 }, { assignee: user('b') }];
    const id = world.start(workflow([human({ assignments }) as never]));
    world.command(id, {
      kind: 'human-action',
      taskNumber: world.task(id, 'ask').number,
      actedBy: 'a',
      action: {
        kind: 'claim',
        claimant: { userType: 'EXTERNAL_USER', user: 'a' },
        groups: [],
        override: false,
      },
    });
    world.pass(5 * minute);
    expect(processOf(world.task(id, 'ask'))).toMatchObject({ claimant: user('a') });
  });

  it('is due when its assignment ends, claimed or not, or its own time-out comes first', () => {
    const world = new World();
    const assignments = ['a', 'b'].map((name) => ({ assignee: user(name), slaMinutes: 10 }));
    const id = world.start(workflow([human({ assignments }) as never]));
    const act = (action: object): void => {
      const taskNumber = world.task(id, 'ask').number;
      world.command(id, { kind: 'human-action', taskNumber, actedBy: 'x', action } as never);
    };
    const dueAfter = (): number | undefined => {
      const due = entryOf(world.open(id), world.task(id, 'ask'))?.dueTime;
      return due === undefined ? undefined : (due - startOfTime) / minute;
    };
    expect(dueAfter()).toBe(10);
    world.pass(10 * minute);
    expect(dueAfter()).toBe(20);
    world.pass(minute);
    act({ kind: 'claim', claimant: user('b'), groups: [], override: false });
    expect(dueAfter()).toBe(20);
    world.pass(20 * minute);
    expect(dueAfter()).toBe(20);
    act({ kind: 'release' });
    expect(dueAfter()).toBe(41);
    const timed = { ...human({}), taskDefinition: { name: 'ask', timeoutSeconds: 180 } };
    const withTimeout = world.snapshot(
      readWorkflowDef(workflow([timed as never], { version: 2 }), 'def'),
    );
    world.command(id, { kind: 'upgrade', snapshot: withTimeout, taskOutput: {} });
    expect(dueAfter()).toBe(3);
    act({ kind: 'update', output: {}, complete: true });
    expect(world.task(id, 'ask').status).not.toBe('IN_PROGRESS');
    expect(dueAfter()).toBeUndefined();
  });

  it('is never due without a limit, and behind its chain', () => {
    const world = new World();
    const assignments = [{ assignee: user('a'), slaMinutes: 1 }];
    for (const definition of [{}, { assignments }]) {
      const id = world.start(workflow([human(definition) as never]));
      world.pass(minute);
      expect(entryOf(world.open(id), world.task(id, 'ask'))).not.toHaveProperty('dueTime');
    }
  });

  it('completes and moves its execution in one transition', () => {
    const world = new World();
    const id = world.start(workflow([human({}) as never]));
    const taskNumber = world.task(id, 'ask').number;
    const complete = { kind: 'update', output: { ok: true }, complete: true } as const;
    world.command(id, { kind: 'human-action', taskNumber, actedBy: 'x', action: complete });
    expect(world.open(id).execution.state.status).toBe('COMPLETED');
    const again = world.command(id, {
      kind: 'human-action',
      taskNumber,
      actedBy: 'x',
      action: complete,
    });
    expect(again.kind).toBe('refused');
  });
});
