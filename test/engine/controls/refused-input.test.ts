// A record whose input was refused has none. Where it runs again its input is made anew, whatever
// brings it back: with none it would do something else than its definition says.
import { describe, expect, it } from 'vitest';
import type { SecretRules } from '../../../src/engine/context.js';
import type { JsonMap } from '../../../src/model/json.js';
import type { ExecutionId } from '../../../src/std/ids.js';
import { simple, taskOf, workflow, World } from '../support/world.js';

const inputParameters = { value: '${workflow.secrets.late}', other: 5 };

function begin(
  tasks: JsonMap[],
  existsAtOnce = false,
): { world: World; id: ExecutionId; make: () => void } {
  let exists = existsAtOnce;
  const secrets: SecretRules = {
    any: true,
    unreadable: () => undefined,
    unknown: (names) => (exists ? undefined : names.find((name) => name === 'late')),
    withheld: () => undefined,
    textsOf: () => [],
  };
  const world = new World({
    secrets,
    taskDefs: ['a', 'b', 'c', 'w', 'chosen'].map((name) => ({ name, retryCount: 0 })),
  });
  return { world, id: world.start(workflow(tasks), {}), make: () => void (exists = true) };
}

const types: readonly [string, JsonMap][] = [
  ['a task of a worker', simple('b', { inputParameters })],
  ['SET_VARIABLE', taskOf('SET_VARIABLE', 'b', { inputParameters })],
  ['HUMAN', taskOf('HUMAN', 'b', { inputParameters })],
  ['WAIT', taskOf('WAIT', 'b', { inputParameters })],
  [
    'DYNAMIC',
    taskOf('DYNAMIC', 'b', {
      inputParameters: { ...inputParameters, which: 'chosen' },
      dynamicTaskNameParam: 'which',
    }),
  ],
  ['HTTP', taskOf('HTTP', 'b', { inputParameters })],
];

/** How the newest record is carried out. */
function shown(world: World, id: ExecutionId): JsonMap {
  const { taskType, defName, status, notes, input, retryCount } = world.task(id, 'b');
  const noted = Object.keys((notes ?? {}) as JsonMap);
  const how = { taskType, defName, status, noted, input: input.value };
  return { ...how, attempt: retryCount };
}

function rerun(world: World, id: ExecutionId, ref: string): void {
  const { number } = world.task(id, ref);
  expect(world.command(id, { kind: 'rerun', taskNumber: number }).kind).toBe('ok');
}

describe('a task whose input was refused', () => {
  it.each(types)('gets it anew beside a task that is run again: %s', (_type, task) => {
    const { world, id, make } = begin([
      taskOf('FORK_JOIN', 'f', {
        forkTasks: [[{ ...task, permissive: true }], [simple('a'), simple('c')]],
      }),
      taskOf('JOIN', 'j', { joinOn: ['b', 'c'] }),
    ]);
    world.work('a');
    world.work('c', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.inputOf(id, 'b')).toEqual({});
    make();
    rerun(world, id, 'c');
    expect(world.status(id)).toBe('RUNNING');
    expect(world.task(id, 'c').status).toBe('SCHEDULED');
    expect(JSON.stringify(world.inputOf(id, 'b'))).toContain('"other":5');
  });

  it.each(types)('gets it anew when it is run again itself: %s', (_type, task) => {
    const { world, id, make } = begin([simple('w'), task, simple('c')]);
    world.work('w');
    expect(world.status(id)).toBe('FAILED');
    make();
    rerun(world, id, 'b');
    expect(world.status(id)).not.toBe('FAILED');
    expect(JSON.stringify(world.inputOf(id, 'b'))).toContain('"other":5');
  });

  it.each(types)('gets it anew when it is the first one: %s', (_type, task) => {
    const { world, id, make } = begin([task, simple('c')]);
    make();
    rerun(world, id, 'b');
    expect(world.status(id)).not.toBe('FAILED');
    expect(JSON.stringify(world.inputOf(id, 'b'))).toContain('"other":5');
  });

  it.each(types)('gets it anew by a retry: %s', (_type, task) => {
    const { world, id, make } = begin([task, simple('c')]);
    make();
    expect(world.command(id, { kind: 'retry', resumeSubworkflowTasks: false }).kind).toBe('ok');
    expect(JSON.stringify(world.inputOf(id, 'b'))).toContain('"other":5');
    const { attempt, ...retried } = shown(world, id);
    expect(attempt).toBe(1);
    const fresh = begin([task, simple('c')], true);
    const { attempt: first, ...usual } = shown(fresh.world, fresh.id);
    expect(first).toBe(0);
    expect(retried).toEqual(usual);
  });

  it.each(types)('is refused again by a retry where nothing has changed: %s', (_type, task) => {
    const { world, id } = begin([task, simple('c')]);
    for (const times of [2, 3]) {
      expect(world.command(id, { kind: 'retry', resumeSubworkflowTasks: false }).kind).toBe('ok');
      expect(world.status(id)).toBe('FAILED');
      expect(world.reason(id)).toContain('late');
      expect(world.list(id)).toHaveLength(times);
    }
  });

  it.each(types)('is refused again where nothing has changed: %s', (_type, task) => {
    const { world, id } = begin([simple('w'), task, simple('c')]);
    world.work('w');
    rerun(world, id, 'b');
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toContain('late');
    expect(world.inputOf(id, 'b')).toEqual({});
  });
});
