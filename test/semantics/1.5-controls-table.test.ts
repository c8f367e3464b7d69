// Semantics 1.5: every operation in every status of an execution, with its effect two levels up and
// down. A refusal is shown as its HTTP status and the beginning of its message; where the reference
// answers 500 to a caller's mistake ours is 409 or 400 (decided differences).
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/api/errors.js';
import type { Command } from '../../src/engine/command.js';
import { Payload } from '../../src/model/payload.js';
import type { WorkflowStatus } from '../../src/model/status.js';
import type { ExecutionId } from '../../src/std/ids.js';
import {
  child,
  fork,
  named,
  noRetries,
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
