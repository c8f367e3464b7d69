// Semantics 1.5: every operation in every status of an execution, with its effect two levels up and
// down, and every operation on a task in every status of the task. A refusal is shown as its HTTP
// status and the beginning of its message; where the reference answers 500 to a caller's mistake
// ours is 409 or 400 (decided differences).
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/api/errors.js';
import type { Command } from '../../src/engine/command.js';
import { Payload } from '../../src/model/payload.js';
import type { TaskStatus, WorkflowStatus } from '../../src/model/status.js';
import type { ExecutionId } from '../../src/std/ids.js';
import {
  child,
  fork,
  named,
  noRetries,
  picture,
  result,
  simple,
  tell,
  terminate,
  workAll,
  World,
} from './support.js';

// ---- executions: top > up > subject > down > bottom ----

const workflowDefs = [
  named('up', [child('u', 'subject')]),
  named('subject', [...fork('f', [[child('d', 'down')], [simple('w')]]), simple('later')], {
    timeoutSeconds: 100,
    timeoutPolicy: 'TIME_OUT_WF',
  }),
  named('down', [child('b', 'bottom')]),
  named('bottom', [simple('x')]),
];

interface Family {
  world: World;
  ids: ExecutionId[];
  subject: ExecutionId;
}

function family(status: WorkflowStatus): Family {
  const world = new World({ workflowDefs, taskDefs: noRetries('w', 'x') });
  const ids = [world.start(named('top', [child('t', 'up')]))];
  for (const ref of ['t', 'u', 'd', 'b']) ids.push(world.child(ids.at(-1) as ExecutionId, ref));
  const subject = ids[2] as ExecutionId;
  if (status === 'PAUSED') tell(world, subject, { kind: 'pause' });
  if (status === 'COMPLETED') workAll(world);
  if (status === 'FAILED') world.work('w', {}, 'FAILED');
  if (status === 'TIMED_OUT') world.pass(100_000);
  if (status === 'TERMINATED') terminate(world, subject);
  expect(world.status(subject)).toBe(status);
  return { world, ids, subject };
}

const letters: { [status in WorkflowStatus]: string } = {
  RUNNING: 'running',
  PAUSED: 'paused',
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'timed-out',
  TERMINATED: 'terminated',
};

function seen({ world, ids }: Family): string {
  return ids.map((id) => letters[world.status(id) as WorkflowStatus]).join(' ');
}

type Row = { [status in WorkflowStatus]: string };
type Operation = [name: string, command: (of: Family) => Command, effects: Row];

const running = 'running running running running running';
const paused = 'running running paused running running';
const completed = 'completed completed completed completed completed';
const failed = 'failed failed failed terminated terminated';
const timedOut = 'timed-out timed-out timed-out terminated terminated';
const terminated = 'terminated terminated terminated terminated terminated';
/** The subject and its parents run again, with a new child; the old one stays as it ended. */
const again = {
  COMPLETED: 'running running running completed completed',
  FAILED: 'running running running terminated terminated',
  TIMED_OUT: 'running running running terminated terminated',
  TERMINATED: 'running running running terminated terminated',
};
const unchanged: Row = {
  RUNNING: running,
  PAUSED: paused,
  COMPLETED: completed,
  FAILED: failed,
  TIMED_OUT: timedOut,
  TERMINATED: terminated,
};

function refusedWhenEnded(text: string): Omit<Row, 'RUNNING' | 'PAUSED'> {
  return { COMPLETED: text, FAILED: text, TIMED_OUT: text, TERMINATED: text };
}

const operations: Operation[] = [
  [
    'pause',
    () => ({ kind: 'pause' }),
    {
      RUNNING: paused,
      PAUSED: paused,
      ...refusedWhenEnded('409 Workflow subject.1/<subject> has ended, status cannot be updated.'),
    },
  ],
  [
    'resume',
    () => ({ kind: 'resume' }),
    {
      RUNNING:
        '409 The workflow <subject> is not PAUSED so cannot resume. Current status is RUNNING',
      PAUSED: running,
      COMPLETED:
        '409 The workflow <subject> is not PAUSED so cannot resume. Current status is COMPLETED',
      FAILED: '409 The workflow <subject> is not PAUSED so cannot resume. Current status is FAILED',
      TIMED_OUT:
        '409 The workflow <subject> is not PAUSED so cannot resume. Current status is TIMED_OUT',
      TERMINATED:
        '409 The workflow <subject> is not PAUSED so cannot resume. Current status is TERMINATED',
    },
  ],
  [
    'reset callbacks',
    () => ({ kind: 'reset-callbacks' }),
    {
      RUNNING: running,
      PAUSED: paused,
      COMPLETED: '409 Workflow is in terminal state. Status = COMPLETED',
      FAILED: '409 Workflow is in terminal state. Status = FAILED',
      TIMED_OUT: '409 Workflow is in terminal state. Status = TIMED_OUT',
      TERMINATED: '409 Workflow is in terminal state. Status = TERMINATED',
    },
  ],
  [
    'restart',
    () => ({ kind: 'restart' }),
    {
      RUNNING:
        '409 Workflow: subject.1/<subject>.RUNNING is not in terminal state, unable to restart.',
      PAUSED:
        '409 Workflow: subject.1/<subject>.PAUSED is not in terminal state, unable to restart.',
      ...again,
    },
  ],
  [
    'retry',
    () => ({ kind: 'retry', resumeSubworkflowTasks: false }),
    {
      RUNNING: '404 Workflow is still running.  status=RUNNING',
      PAUSED: '404 Workflow is still running.  status=PAUSED',
      ...again,
      COMPLETED:
        '409 There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.',
    },
  ],
  [
    'retry that resumes sub-workflows',
    () => ({ kind: 'retry', resumeSubworkflowTasks: true }),
    {
      RUNNING: '404 Workflow is still running.  status=RUNNING',
      PAUSED: '404 Workflow is still running.  status=PAUSED',
      COMPLETED: completed,
      // The walk up the parents repairs what was cancelled, not what failed by itself (1.6 step 4).
      FAILED: failed,
      TIMED_OUT: running,
      TERMINATED: running,
    },
  ],
  [
    'rerun from the beginning',
    () => ({ kind: 'rerun' }),
    {
      RUNNING:
        '409 Workflow: subject.1/<subject>.RUNNING is not in terminal state, unable to rerun.',
      PAUSED: '409 Workflow: subject.1/<subject>.PAUSED is not in terminal state, unable to rerun.',
      ...again,
    },
  ],
  [
    'rerun from a task',
    ({ world, subject }) => ({ kind: 'rerun', taskNumber: world.task(subject, 'w').number }),
    {
      RUNNING:
        '409 Workflow: subject.1/<subject>.RUNNING is not in terminal state, unable to rerun.',
      PAUSED: '409 Workflow: subject.1/<subject>.PAUSED is not in terminal state, unable to rerun.',
      ...again,
    },
  ],
  [
    'rerun from a sub-workflow task',
    ({ world, subject }) => ({ kind: 'rerun', taskNumber: world.task(subject, 'd').number }),
    {
      RUNNING:
        '409 Workflow: subject.1/<subject>.RUNNING is not in terminal state, unable to rerun.',
      PAUSED: '409 Workflow: subject.1/<subject>.PAUSED is not in terminal state, unable to rerun.',
      ...again,
    },
  ],
  [
    'skip a task',
    () => ({ kind: 'skip-task', ref: 'later' }),
    {
      RUNNING: running,
      PAUSED:
        '409 The workflow <subject> is not running so the task referenced by later cannot be skipped',
      ...refusedWhenEnded(
        '409 The workflow <subject> is not running so the task referenced by later cannot be skipped',
      ),
      COMPLETED:
        '409 The workflow <subject> is not running so the task referenced by later cannot be skipped',
    },
  ],
  [
    'terminate',
    () => ({ kind: 'terminate', reason: 'r', triggerFailureWorkflow: false, byParent: false }),
    {
      RUNNING: terminated,
      PAUSED: terminated,
      COMPLETED: '409 Cannot terminate a COMPLETED workflow.',
      FAILED: 'failed failed terminated terminated terminated',
      TIMED_OUT: 'timed-out timed-out terminated terminated terminated',
      TERMINATED: terminated,
    },
  ],
  ['decide', () => ({ kind: 'decide' }), unchanged],
  [
    'update variables',
    () => ({ kind: 'update-variables', variables: { k: 1 } }),
    {
      RUNNING: running,
      PAUSED: paused,
      COMPLETED:
        '409 Workflow <subject> has ended with status COMPLETED, its variables cannot be updated.',
      FAILED:
        '409 Workflow <subject> has ended with status FAILED, its variables cannot be updated.',
      TIMED_OUT:
        '409 Workflow <subject> has ended with status TIMED_OUT, its variables cannot be updated.',
      TERMINATED:
        '409 Workflow <subject> has ended with status TERMINATED, its variables cannot be updated.',
    },
  ],
  [
    'push a message',
    () => ({ kind: 'push-message', id: 'm1', payload: {} }),
    {
      RUNNING: running,
      PAUSED: '409 Workflow <subject> is not in RUNNING state (current: PAUSED)',
      COMPLETED: '409 Workflow <subject> is not in RUNNING state (current: COMPLETED)',
      FAILED: '409 Workflow <subject> is not in RUNNING state (current: FAILED)',
      TIMED_OUT: '409 Workflow <subject> is not in RUNNING state (current: TIMED_OUT)',
      TERMINATED: '409 Workflow <subject> is not in RUNNING state (current: TERMINATED)',
    },
  ],
  [
    'upgrade',
    ({ world, subject }) => ({
      kind: 'upgrade',
      snapshot: world.open(subject).execution.snapshot,
      taskOutput: {},
    }),
    {
      RUNNING: running,
      PAUSED: paused,
      COMPLETED:
        '409 Workflow: subject.1/<subject>.COMPLETED is in terminal state, unable to upgrade.',
      FAILED: '409 Workflow: subject.1/<subject>.FAILED is in terminal state, unable to upgrade.',
      TIMED_OUT:
        '409 Workflow: subject.1/<subject>.TIMED_OUT is in terminal state, unable to upgrade.',
      TERMINATED:
        '409 Workflow: subject.1/<subject>.TERMINATED is in terminal state, unable to upgrade.',
    },
  ],
  [
    'jump',
    () => ({ kind: 'jump', ref: 'later', taskInput: {} }),
    {
      RUNNING: 'running running running terminated terminated',
      PAUSED:
        '409 Workflow <subject> is not in RUNNING state (current: PAUSED), unable to jump to later',
      COMPLETED:
        '409 Workflow <subject> is not in RUNNING state (current: COMPLETED), unable to jump to later',
      FAILED:
        '409 Workflow <subject> is not in RUNNING state (current: FAILED), unable to jump to later',
      TIMED_OUT:
        '409 Workflow <subject> is not in RUNNING state (current: TIMED_OUT), unable to jump to later',
      TERMINATED:
        '409 Workflow <subject> is not in RUNNING state (current: TERMINATED), unable to jump to later',
    },
  ],
  [
    'signal without a blocked task',
    () => ({ kind: 'signal', status: 'COMPLETED', output: Payload.empty }),
    unchanged,
  ],
  [
    'a task of it fails',
    ({ world, subject }) => report(world.task(subject, 'w').number, 'FAILED'),
    { ...unchanged, RUNNING: failed },
  ],
  [
    'the bottom ends',
    ({ world, ids }) => report(world.task(ids[4] as ExecutionId, 'x').number, 'COMPLETED'),
    unchanged,
  ],
];

function report(taskNumber: number, status: 'COMPLETED' | 'FAILED'): Command {
  return { kind: 'update-task', task: { taskNumber }, result: result(status), mergeOutput: false };
}

const statuses: WorkflowStatus[] = [
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'TERMINATED',
];

describe.each(operations.slice(0, -1))('1.5 %s', (_name, commandFor, effects) => {
  it.each(statuses)('when %s', (status) => {
    const of = family(status);
    const before = seen(of);
    const reply = of.world.command(of.subject, commandFor(of));
    if (reply.kind !== 'refused') {
      expect(seen(of)).toBe(effects[status]);
      return;
    }
    const message = reply.error.message.replaceAll(of.subject, '<subject>');
    expect(`${statusOf(reply.error)} ${message}`).toBe(effects[status]);
    expect(seen(of)).toBe(before);
  });
});

describe('1.5 what happens to the fields', () => {
  const fieldsOf = (
    operation: Command,
    before: (world: World, id: ExecutionId) => void,
  ): object => {
    const world = new World({ taskDefs: noRetries('a') });
    const id = world.start(named('wf', [simple('a')], { outputParameters: { o: 1 } }), { n: 1 });
    before(world, id);
    world.now += 1000;
    tell(world, id, operation);
    const {
      createTime,
      lastRetriedTime,
      endTime,
      reasonForIncompletion,
      failedTaskNumber,
      failedReferenceTaskNames,
    } = world.open(id).execution.state;
    const start = world.now - 1000;
    const at = (time: number): string => (time === 0 ? '0' : time === start ? 'then' : 'now');
    return {
      create: at(createTime),
      retried: at(lastRetriedTime),
      end: at(endTime),
      reason: reasonForIncompletion === undefined ? null : 'text',
      task: failedTaskNumber ?? null,
      names: failedReferenceTaskNames,
      output: world.output(id),
    };
  };
  const fail = (world: World): void => world.work('a', {}, 'FAILED');
  const ended = {
    create: 'then',
    retried: '0',
    end: 'then',
    reason: 'text',
    task: 1,
    names: ['a'],
    output: { o: 1 },
  };

  it.each<[string, Command, (world: World, id: ExecutionId) => void, object]>([
    [
      'pause',
      { kind: 'pause' },
      () => undefined,
      { create: 'then', retried: '0', end: '0', reason: null, task: null, names: [], output: {} },
    ],
    [
      'resume',
      { kind: 'resume' },
      (world, id) => tell(world, id, { kind: 'pause' }),
      { create: 'then', retried: 'now', end: '0', reason: null, task: null, names: [], output: {} },
    ],
    [
      'restart',
      { kind: 'restart' },
      fail,
      { create: 'now', retried: '0', end: '0', reason: null, task: null, names: [], output: {} },
    ],
    [
      'retry',
      { kind: 'retry', resumeSubworkflowTasks: false },
      fail,
      { ...ended, retried: 'now', reason: null },
    ],
    [
      'rerun',
      { kind: 'rerun' },
      fail,
      { ...ended, retried: 'now', reason: null, task: null, names: [] },
    ],
    [
      'rerun from a task',
      { kind: 'rerun', taskNumber: 1 },
      fail,
      { ...ended, retried: 'now', reason: null, task: null, names: [] },
    ],
    [
      'terminate',
      { kind: 'terminate', reason: 'r', triggerFailureWorkflow: false, byParent: false },
      () => undefined,
      { ...ended, end: 'now', task: null, names: [] },
    ],
  ])('1.5 %s', (_name, operation, before, expected) => {
    expect(fieldsOf(operation, before)).toEqual(expected);
  });
});

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
