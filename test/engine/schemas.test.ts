// Schemas of definitions (semantics 3.9): what a task is given and reports, and what a workflow
// gives.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { simple, taskOf, workflow, World } from './support/world.js';

const whole = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const named = { name: 'whole', type: 'JSON' };

function worldWith(def: JsonMap): World {
  const world = new World({
    taskDefs: [{ name: 'a', retryCount: 3, retryDelaySeconds: 0, ...def }],
  });
  world.schemas.set('whole', whole);
  return world;
}

const giveN = { inputParameters: { n: '${workflow.input.n}' } };

describe('the input schema of a task', () => {
  const enforced = { inputSchema: named, enforceSchema: true };

  it('lets pass what matches it', () => {
    const world = worldWith(enforced);
    const id = world.start(workflow([simple('a', giveN)]), { n: 9007199254740993n });
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('fails the task for good when it is scheduled, before a worker gets it', () => {
    const world = worldWith(enforced);
    const id = world.start(workflow([simple('a', giveN)]), { n: 'one' });
    expect(world.list(id)).toEqual([expect.stringContaining('FAILED_WITH_TERMINAL_ERROR')]);
    expect(world.open(id).execution.tasks[0]?.reason).toBe(
      'The input of task a does not match the schema whole: /n must be integer',
    );
    expect(world.status(id)).toBe('FAILED');
  });

  it('is not asked unless it is enforced', () => {
    const world = worldWith({ inputSchema: named });
    const id = world.start(workflow([simple('a', giveN)]), { n: 'one' });
    world.work('a');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('may stand in the definition itself, and is missed when it is nowhere', () => {
    const world = worldWith({ inputSchema: { data: whole }, enforceSchema: true });
    const def = workflow([simple('a', giveN)]);
    expect(world.status(world.start(def, { n: 1 }))).toBe('RUNNING');
    expect(world.status(world.start(def, { n: 1.5 }))).toBe('FAILED');
    const missing = worldWith({ inputSchema: { name: 'gone', version: 2 }, enforceSchema: true });
    const id = missing.start(def, { n: 1 });
    expect(missing.open(id).execution.tasks[0]?.reason).toBe(
      'The input of task a does not match the schema gone: it is not registered in version 2',
    );
  });

  it('holds for YIELD, and for no type that the engine carries out', () => {
    const task = (type: string): JsonMap =>
      taskOf(type, 'a', { name: 'a', inputParameters: { n: 'one', expression: '1' } });
    const world = worldWith(enforced);
    expect(world.status(world.start(workflow([task('YIELD')])))).toBe('FAILED');
    expect(world.status(world.start(workflow([task('INLINE')])))).toBe('COMPLETED');
  });
});

describe('the output schema of a task', () => {
  const enforced = { outputSchema: named, enforceSchema: true };

  it('fails a task that reports something else, and keeps what it reported', () => {
    const world = worldWith(enforced);
    const id = world.start(workflow([simple('a')]));
    world.work('a', { m: 1 });
    const task = world.open(id).execution.tasks[0];
    expect([task?.status, task?.output.value]).toEqual(['FAILED_WITH_TERMINAL_ERROR', { m: 1 }]);
    expect(task?.reason).toBe(
      "The output of task a does not match the schema whole: / must have required property 'n'",
    );
  });

  it('is asked for COMPLETED only', () => {
    const world = worldWith(enforced);
    const id = world.start(workflow([simple('a')]));
    world.report(id, 'a', 'IN_PROGRESS', { m: 1 });
    expect(world.open(id).execution.tasks[0]?.status).toBe('SCHEDULED');
    world.work('a', { m: 1 }, 'FAILED');
    world.work('a', { n: 1 });
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('the output schema of a workflow', () => {
  it('is asked unless the definition says that it is not enforced', () => {
    const def = {
      ...workflow([simple('a')]),
      outputParameters: { n: '${a.output.n}' },
      outputSchema: named,
    };
    for (const [enforceSchema, n, status] of [
      [true, 1, 'COMPLETED'],
      [true, 'one', 'FAILED'],
      [false, 'one', 'COMPLETED'],
    ] as const) {
      const world = worldWith({});
      const id = world.start({ ...def, enforceSchema });
      world.work('a', { n });
      expect([n, world.status(id)]).toEqual([n, status]);
      if (status === 'FAILED') {
        const { state, output } = world.open(id).execution;
        expect(output.value).toEqual({ n });
        expect(state.reasonForIncompletion).toMatch(/^The output of workflow .* \/n must be int/);
      }
    }
  });
});
