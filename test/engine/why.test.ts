// What an execution waits for, said from its own state and from what the queues are known to hold.
import { describe, expect, it } from 'vitest';
import { reasonsMax, why, whyTask, type QueueFacts } from '../../src/engine/why.js';
import type { WaitReason } from '../../src/model/why-answers.js';
import { taskIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { JsonMap } from '../../src/model/json.js';
import { simple, startOfTime, taskOf, workflow, World } from './support/world.js';

const unknown: QueueFacts = { lastPollAt: () => 0, attempt: () => undefined };
const polledNow: QueueFacts = { lastPollAt: () => startOfTime, attempt: () => ({ ahead: 3 }) };

function reasons(
  world: World,
  id: ExecutionId,
  facts: QueueFacts = unknown,
): readonly WaitReason[] {
  return why(world.open(id), facts, world.now).waitsFor;
}

function only(world: World, id: ExecutionId, facts: QueueFacts = unknown): WaitReason {
  const all = reasons(world, id, facts);
  expect(all).toHaveLength(1);
  return all[0] as WaitReason;
}

describe('a moment beyond the calendar', () => {
  it('is shown as year 9999 for a WAIT, and as the end of the calendar for everything else', () => {
    const world = new World({
      taskDefs: [{ name: 'a', totalTimeoutSeconds: 2_147_483_647, responseTimeoutSeconds: 1 }],
    });
    const tasks = [
      taskOf('WAIT', 'w', { inputParameters: { duration: '999999999 days' } }),
      simple('a'),
    ];
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: tasks.map((task) => [task]) }),
        taskOf('JOIN', 'j', { joinOn: ['w', 'a'] }),
      ]),
    );
    const far = { ...polledNow, lastPollAt: () => Number.MAX_SAFE_INTEGER };
    const [wait, worker] = reasons(world, id, far);
    expect(wait).toMatchObject({ untilTime: Date.UTC(9999, 11, 31, 23, 59, 59) + 1 });
    expect(wait?.reason).toBe('Task w waits until 9999-12-31T23:59:59.000Z.');
    expect(worker?.reason).toContain('+275760-09-13T00:00:00.000Z');
  });
});

describe('a worker task', () => {
  const start = (def: JsonMap = {}): { world: World; id: ExecutionId } => {
    const world = new World({
      taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 60, ...def }],
    });
    return { world, id: world.start(workflow([simple('a')])) };
  };

  it('waits for a worker that never came, or not since a moment', () => {
    const { world, id } = start();
    expect(only(world, id)).toMatchObject({
      kind: 'not-polled',
      referenceTaskName: 'a',
      taskId: taskIdOf(id, 1),
      reason: 'Task a waits for a worker: none has ever polled for type a.',
    });
    world.now += 60_000;
    expect(only(world, id, polledNow).reason).toBe(
      `Task a waits for a worker: none has polled since ${new Date(startOfTime).toISOString()} for type a.`,
    );
  });

  it('is queued when workers poll', () => {
    const { world, id } = start();
    expect(only(world, id, polledNow)).toMatchObject({
      kind: 'queued',
      data: { queue: 'a', ahead: 3 },
    });
  });

  it('waits for a slot, and names who holds them', () => {
    const { world, id } = start({ concurrentExecLimit: 2 });
    const facts: QueueFacts = {
      lastPollAt: () => startOfTime,
      attempt: () => ({ slotsUsed: 2, slotHolders: ['x', 'y'] }),
    };
    expect(only(world, id, facts)).toMatchObject({
      kind: 'concurrency-limit',
      data: { concurrentExecLimit: 2, heldBy: ['x', 'y'] },
    });
  });

  it('waits for its rate window', () => {
    const { world, id } = start({ rateLimitPerFrequency: 1, rateLimitFrequencyInSeconds: 10 });
    const facts: QueueFacts = {
      lastPollAt: () => startOfTime,
      attempt: () => ({ rateOpensAt: startOfTime + 400 }),
    };
    expect(only(world, id, facts)).toMatchObject({
      kind: 'rate-limit',
      untilTime: startOfTime + 400,
      data: { opensInMs: 400 },
    });
  });

  it('is with a worker until its lease ends', () => {
    const { world, id } = start({ responseTimeoutSeconds: 30 });
    world.poll('a', { workerId: 'w7' });
    expect(only(world, id)).toMatchObject({
      kind: 'leased',
      untilTime: startOfTime + 30_000,
      data: { workerId: 'w7', leaseEndTime: startOfTime + 30_000 },
    });
  });

  it('waits out its retry delay or what its worker asked for', () => {
    const { world, id } = start();
    world.work('a', {}, 'FAILED');
    expect(only(world, id)).toMatchObject({ kind: 'retry-due', untilTime: startOfTime + 60_000 });
    world.now += 60_000;
    world.poll('a');
    world.report(id, 'a', 'IN_PROGRESS', {}, { callbackAfterSeconds: 5 });
    expect(only(world, id)).toMatchObject({ kind: 'delayed', untilTime: world.now + 5000 });
  });
});

describe('a task that is tried again', () => {
  it('tells how the attempt before it ended, whatever it waits for now', () => {
    const world = new World({ taskDefs: [{ name: 'a', retryCount: 2, retryDelaySeconds: 60 }] });
    const id = world.start(workflow([simple('a')]));
    expect(only(world, id).data['lastFailure']).toBeUndefined();
    world.poll('a');
    world.report(id, 'a', 'FAILED', {}, { reasonForIncompletion: 'the bank said no.' });
    const before = `The attempt before it ended as FAILED at ${new Date(world.now).toISOString()}: the bank said no.`;
    const lastFailure = { taskId: taskIdOf(id, 1), status: 'FAILED', reason: 'the bank said no.' };
    const due = only(world, id);
    expect(due).toMatchObject({ kind: 'retry-due', data: { lastFailure } });
    expect(due.reason.endsWith(before)).toBe(true);
    world.now += 60_000;
    expect(only(world, id)).toMatchObject({ kind: 'not-polled', data: { lastFailure } });
    expect(only(world, id).reason.endsWith(before)).toBe(true);
  });
});

describe('tasks of the engine', () => {
  const cases: [string, JsonMap, string, JsonMap][] = [
    ['a WAIT with a timer', taskOf('WAIT', 'w', { inputParameters: { duration: '5 seconds' } }), 'timer', { endsInMs: 5001 }],
    ['a WAIT without one', taskOf('WAIT', 'w'), 'signal', {}],
    ['a HUMAN task', taskOf('HUMAN', 'w'), 'person', {}],
    ['a YIELD', taskOf('YIELD', 'w'), 'signal', {}],
    ['a pull of messages', taskOf('PULL_WORKFLOW_MESSAGES', 'w'), 'message', {}],
    ['an HTTP call', taskOf('HTTP', 'w', { inputParameters: { uri: 'http://x', method: 'GET' } }), 'server-run', { pollCount: 0 }],
  ]; // prettier-ignore

  it.each(cases)('%s', (_name, task, kind, data) => {
    const world = new World();
    const id = world.start(workflow([task]));
    expect(only(world, id)).toMatchObject({ kind, referenceTaskName: 'w', data });
  });

  it('a JOIN names the branches that are missing', () => {
    const world = new World();
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [simple('b')]] }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'b'] }),
      ]),
    );
    world.work('a');
    const join = reasons(world, id).find(({ kind }) => kind === 'branches');
    expect(join).toMatchObject({
      referenceTaskName: 'j',
      reason: 'Task j waits for b; 1 of 2 branches are done.',
      data: { waitingFor: ['b'], done: 1, branches: 2 },
    });
  });

  it('a loop names its iteration and the members it waits for', () => {
    const world = new World();
    const id = world.start(
      workflow([taskOf('DO_WHILE', 'l', { loopCondition: 'false', loopOver: [simple('m')] })]),
    );
    expect(reasons(world, id)[0]).toMatchObject({
      kind: 'loop',
      data: { iteration: 1, waitingFor: ['m__1'] },
    });
  });

  it('a sub-workflow names the execution it waits for', () => {
    const child = { name: 'child', version: 1, tasks: [simple('g')] };
    const world = new World({ workflowDefs: [child] });
    const id = world.start(
      workflow([taskOf('SUB_WORKFLOW', 'p', { subWorkflowParam: { name: 'child', version: 1 } })]),
    );
    expect(only(world, id)).toMatchObject({
      kind: 'child',
      data: { subWorkflowId: world.child(id, 'p') },
    });
  });
});

describe('an execution', () => {
  it('says that it is paused, or how it ended', () => {
    const world = new World({ taskDefs: [{ name: 'a', retryCount: 0 }] });
    const id = world.start(workflow([simple('a')]));
    world.command(id, { kind: 'pause' });
    expect(reasons(world, id).map(({ kind }) => kind)).toEqual(['paused', 'not-polled']);
    world.command(id, { kind: 'resume' });
    world.work('a', {}, 'FAILED');
    const answer = why(world.open(id), unknown, world.now);
    expect(answer).toMatchObject({ status: 'FAILED', nextMoveTime: 0 });
    expect(answer.reason).toMatch(
      /^The execution ended as FAILED at .*: Task .* failed with status: FAILED/,
    );
  });

  it('describes a bounded number of tasks and counts the rest', () => {
    const world = new World({ reloads: false });
    const branches = Array.from({ length: reasonsMax + 20 }, (_, i) => [simple(`b${i}`)]);
    const id = world.start(
      workflow([
        taskOf('FORK_JOIN', 'f', { forkTasks: branches }),
        taskOf('JOIN', 'j', {
          joinOn: branches.map(([task]) => task?.['taskReferenceName'] as string),
        }),
      ]),
    );
    const answer = why(world.open(id), unknown, world.now);
    expect(answer.waitsFor).toHaveLength(reasonsMax);
    expect(answer.omitted).toBe(21);
  });

  it('says of an ended attempt what took its place', () => {
    const world = new World({ taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }] });
    const id = world.start(workflow([simple('a')]));
    const first = world.task(id, 'a');
    world.work('a', {}, 'FAILED');
    expect(whyTask(world.open(id), first, unknown, world.now)).toMatchObject({
      kind: 'ended',
      data: { supersededBy: taskIdOf(id, 2) },
    });
  });
});
