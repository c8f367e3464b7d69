// Semantics 1.5: every operation on a task in every status of the task. A refusal is shown as its
// HTTP status and message.
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/api/errors.js';
import type { Command } from '../../src/engine/command.js';
import type { TaskStatus } from '../../src/model/status.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { named, picture, result, simple, tell, terminate, World } from './support.js';

// ---- tasks: a (the subject), then b ----

const taskStatuses: TaskStatus[] = [
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'COMPLETED_WITH_ERRORS',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'TIMED_OUT',
  'CANCELED',
  'SKIPPED',
];

/** An execution that runs, with its first task in the given status. */
function withTask(status: TaskStatus): { world: World; id: ExecutionId } {
  const def = { name: 'a', retryCount: 0, pollTimeoutSeconds: 5, timeoutPolicy: 'RETRY' };
  const world = new World({ taskDefs: [def] });
  const more = status === 'COMPLETED_WITH_ERRORS' ? { optional: true } : { permissive: true };
  const tasks = [simple('s'), simple('a', more), simple('b')];
  const id = world.start(named('wf', tasks));
  if (status === 'SKIPPED') tell(world, id, { kind: 'skip-task', ref: 'a' });
  world.work('s');
  if (status === 'IN_PROGRESS') world.poll('a');
  if (status === 'TIMED_OUT') world.pass(5000);
  if (status === 'COMPLETED_WITH_ERRORS') world.report(id, 'a', 'FAILED');
  if (
    status === 'COMPLETED' ||
    status === 'FAILED' ||
    status === 'FAILED_WITH_TERMINAL_ERROR' ||
    status === 'CANCELED'
  ) {
    world.report(id, 'a', status);
  }
  expect(world.task(id, 'a').status).toBe(status);
  return { world, id };
}

const afterwards = (of: { world: World; id: ExecutionId }): string =>
  picture(of.world, of.id)
    .filter((line) => !line.startsWith('s '))
    .join(', ');

const next = 'b SCHEDULED';
/** What is shown when nothing changes. */
const same: { [status in TaskStatus]: string } = {
  SCHEDULED: 'a SCHEDULED',
  IN_PROGRESS: 'a IN_PROGRESS',
  COMPLETED: `a COMPLETED, ${next}`,
  COMPLETED_WITH_ERRORS: `a COMPLETED_WITH_ERRORS, ${next}`,
  FAILED: `a FAILED, ${next}`,
  FAILED_WITH_TERMINAL_ERROR: `a FAILED_WITH_TERMINAL_ERROR, ${next}`,
  TIMED_OUT: `a TIMED_OUT, ${next}`,
  CANCELED: `a CANCELED, ${next}`,
  SKIPPED: `a SKIPPED, ${next}`,
};

type TaskOperation = [
  name: string,
  command: (world: World, id: ExecutionId) => Command,
  effects: Partial<{ [status in TaskStatus]: string }>,
];

const onTask =
  (
    status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' | 'CANCELED',
    extendLease = false,
  ) =>
  (world: World, id: ExecutionId): Command => ({
    kind: 'update-task',
    task: { taskNumber: world.task(id, 'a').number },
    result: result(status, {}, { extendLease }),
    mergeOutput: false,
  });

const claim = (world: World, id: ExecutionId): Command => {
  const { number, reopenCount } = world.task(id, 'a');
  return { kind: 'claim-task', taskNumber: number, reopenCount, workerId: 'w' };
};

const both = (text: string): { SCHEDULED: string; IN_PROGRESS: string } => ({
  SCHEDULED: text,
  IN_PROGRESS: text,
});
const processed = '409 The task referenced a has already been processed, cannot be skipped';
const skipRefused = Object.fromEntries(taskStatuses.map((status) => [status, processed]));

const taskOperations: TaskOperation[] = [
  ['polled', claim, { SCHEDULED: 'a IN_PROGRESS' }],
  ['reported IN_PROGRESS', onTask('IN_PROGRESS'), both('a SCHEDULED')],
  ['reported COMPLETED', onTask('COMPLETED'), both(`a COMPLETED, ${next}`)],
  ['reported FAILED', onTask('FAILED'), both(`a FAILED, ${next}`)],
  [
    'reported FAILED_WITH_TERMINAL_ERROR',
    onTask('FAILED_WITH_TERMINAL_ERROR'),
    both(`a FAILED_WITH_TERMINAL_ERROR, ${next}`),
  ],
  ['reported CANCELED', onTask('CANCELED'), both(`a CANCELED, ${next}`)],
  ['its lease is extended', onTask('IN_PROGRESS', true), {}],
  ['skipped', () => ({ kind: 'skip-task', ref: 'a' }), skipRefused],
  ['its workflow is paused', () => ({ kind: 'pause' }), {}],
  ['its workflow is decided', () => ({ kind: 'decide' }), {}],
  ['its callbacks are reset', () => ({ kind: 'reset-callbacks' }), {}],
];

describe.each(taskOperations)('1.5 a task is %s', (_name, commandFor, effects) => {
  it.each(taskStatuses)('when %s', (status) => {
    const of = withTask(status);
    const reply = of.world.command(of.id, commandFor(of.world, of.id));
    if (reply.kind === 'refused')
      expect(`${statusOf(reply.error)} ${reply.error.message}`).toBe(effects[status]);
    else expect(afterwards(of)).toBe(effects[status] ?? same[status]);
  });
});

const cancelled = 'b CANCELED';
const attempt = `${cancelled}, a #1 SCHEDULED, b #1 SCHEDULED`;

describe.each<
  [string, (world: World, id: ExecutionId) => Command, { [status in TaskStatus]: string }]
>([
  [
    'terminated',
    () => ({ kind: 'decide' }),
    {
      SCHEDULED: 'a CANCELED',
      IN_PROGRESS: 'a CANCELED',
      COMPLETED: `a COMPLETED, ${cancelled}`,
      COMPLETED_WITH_ERRORS: `a COMPLETED_WITH_ERRORS, ${cancelled}`,
      FAILED: `a FAILED, ${cancelled}`,
      FAILED_WITH_TERMINAL_ERROR: `a FAILED_WITH_TERMINAL_ERROR, ${cancelled}`,
      TIMED_OUT: `a TIMED_OUT, ${cancelled}`,
      CANCELED: `a CANCELED, ${cancelled}`,
      SKIPPED: `a SKIPPED, ${cancelled}`,
    },
  ],
  [
    'terminated and retried',
    () => ({ kind: 'retry', resumeSubworkflowTasks: false }),
    {
      SCHEDULED: 'a CANCELED, a #1 SCHEDULED',
      IN_PROGRESS: 'a CANCELED, a #1 SCHEDULED',
      COMPLETED: `a COMPLETED, ${cancelled}, b #1 SCHEDULED`,
      COMPLETED_WITH_ERRORS: `a COMPLETED_WITH_ERRORS, ${cancelled}, b #1 SCHEDULED`,
      FAILED: `a FAILED, ${attempt}`,
      FAILED_WITH_TERMINAL_ERROR: `a FAILED_WITH_TERMINAL_ERROR, ${attempt}`,
      TIMED_OUT: `a TIMED_OUT, ${attempt}`,
      CANCELED: `a CANCELED, ${attempt}`,
      SKIPPED: `a SKIPPED, ${cancelled}, b #1 SCHEDULED`,
    },
  ],
  [
    'terminated and rerun from there',
    (world, id) => ({ kind: 'rerun', taskNumber: world.task(id, 'a').number }),
    {
      SCHEDULED: 'a SCHEDULED',
      IN_PROGRESS: 'a SCHEDULED',
      COMPLETED: 'a SCHEDULED',
      COMPLETED_WITH_ERRORS: 'a SCHEDULED',
      FAILED: 'a SCHEDULED',
      FAILED_WITH_TERMINAL_ERROR: 'a SCHEDULED',
      TIMED_OUT: 'a SCHEDULED',
      CANCELED: 'a SCHEDULED',
      SKIPPED: '400 Task <task> was skipped, there is nothing to run again',
    },
  ],
  [
    'terminated and restarted',
    () => ({ kind: 'restart' }),
    Object.fromEntries(taskStatuses.map((status) => [status, ''])) as never,
  ],
])('1.5 the workflow of a task is %s', (_name, commandFor, effects) => {
  it.each(taskStatuses)('when the task is %s', (status) => {
    const of = withTask(status);
    terminate(of.world, of.id);
    const reply = of.world.command(of.id, commandFor(of.world, of.id));
    if (reply.kind !== 'refused') expect(afterwards(of)).toBe(effects[status]);
    else
      expect(
        `${statusOf(reply.error)} ${reply.error.message.replace(/Task \S+/, 'Task <task>')}`,
      ).toBe(effects[status]);
  });
});
