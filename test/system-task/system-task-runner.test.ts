import { describe, expect, it } from 'vitest';
import { openExecution } from '../../src/engine/load-execution.js';
import { AppError } from '../../src/model/errors.js';
import type { Execution, Task } from '../../src/model/execution.js';
import type { JsonMap } from '../../src/model/json.js';
import { createSandbox } from '../../src/sandbox/script-sandbox.js';
import { ExecutionActor, type ActorHost } from '../../src/shard/execution-actor.js';
import { StoreError } from '../../src/store/execution-store.js';
import {
  ordinaryRun,
  type SystemTask,
  type TaskOutcome,
  type TaskRun,
} from '../../src/system-task/system-task.js';
import { isRunWanted } from '../../src/engine/task-kinds.js';
import { SystemTaskRunner } from '../../src/system-task/system-task-runner.js';
import { World } from '../engine/support/world.js';
import { VirtualClock } from '../support/virtual-clock.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const world = new World({ reloads: false });

/** Confirms everything at once, as a store that always answers. */
const host: ActorHost = {
  sandbox: createSandbox({
    scriptTimeMsMax: 1000,
    scriptMemoryBytesMax: 1 << 24,
    scriptOutputBytesMax: 1 << 20,
    scriptWorkersMax: 1,
    clock: new VirtualClock(),
  }),
  context: () => world.context,
  progressed: () => undefined,
  settled(actor) {
    const flight = actor.pending;
    actor.pending = undefined;
    actor.fresh = [];
    flight?.pass();
  },
  broken(_actor, error) {
    throw error;
  },
};

/** A system task whose runs end when the test says so. */
class HeldTask implements SystemTask {
  readonly lane = ordinaryRun.lane;
  readonly cancelled = ordinaryRun.cancelled;
  readonly runs: {
    run: TaskRun;
    end: (outcome: TaskOutcome) => void;
    fail: (error: unknown) => void;
  }[] = [];

  run(run: TaskRun): Promise<TaskOutcome> {
    return new Promise((end, fail) => this.runs.push({ run, end, fail }));
  }
}

function startExecution(input: JsonMap = {}): { actor: ExecutionActor; task: Task } {
  const inputParameters = { uri: 'http://x', method: 'GET', key: '${workflow.secrets.KEY}' };
  const id = world.start(
    {
      name: 'runs',
      version: 1,
      tasks: [{ name: 'h', taskReferenceName: 'h', type: 'HTTP', inputParameters }],
    },
    input,
  );
  const actor = actorOf(world.open(id).execution);
  return { actor, task: actor.open.execution.tasks[0] as Task };
}

function actorOf(execution: Execution): ExecutionActor {
  return new ExecutionActor(execution.id, 0, openExecution(execution), '', host);
}

function setUp(secret?: (name: string) => string | undefined): {
  held: HeldTask;
  runner: SystemTaskRunner;
  clock: VirtualClock;
  failures: unknown[];
} {
  const held = new HeldTask();
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const runner = new SystemTaskRunner(new Map([['HTTP', held]]), {
    clock,
    limits: { runsMax: 10, runsPerLaneMax: 10 },
    secrets: secret === undefined ? undefined : () => secret,
    failed: (error) => failures.push(error),
  });
  return { held, runner, clock, failures };
}

const success: TaskOutcome = { status: 'COMPLETED', output: { ok: true }, workerId: 'here' };

describe('the runner of system tasks', () => {
  it('shows a task as running from its start', async () => {
    const { held, runner, clock } = setUp();
    const { actor, task } = startExecution();
    expect(task).toMatchObject({ status: 'SCHEDULED', startAt: 0 });
    const startedAt = clock.now();
    runner.run(actor, task, () => undefined);
    await turn();
    expect(task).toMatchObject({ status: 'IN_PROGRESS', startAt: startedAt, pollCount: 0 });
    // An owner that loads the execution meanwhile runs it again.
    expect(isRunWanted(task)).toBe(true);
    held.runs[0]?.end(success);
    await turn();
    expect(task).toMatchObject({ status: 'COMPLETED', startAt: startedAt, pollCount: 1 });
  });

  it('runs an attempt again when its outcome asks for another look', async () => {
    const { held, runner } = setUp();
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    held.runs[0]?.end({ status: 'IN_PROGRESS', output: { seen: 1 }, callbackAfterSeconds: 5 });
    await turn();
    expect(task).toMatchObject({ status: 'IN_PROGRESS', callbackAfterSeconds: 5 });
    expect(isRunWanted(task)).toBe(false);
    world.now += 5000;
    await actor.submit({ kind: 'wake' });
    expect(isRunWanted(task)).toBe(true);
    runner.run(actor, task, () => undefined);
    await turn();
    expect(held.runs[1]?.run).toMatchObject({ pollCount: 1, output: { seen: 1 } });
    held.runs[1]?.end(success);
    await turn();
    expect(task).toMatchObject({ status: 'COMPLETED', pollCount: 2 });
  });

  it('leaves an attempt that somebody outside completes', async () => {
    const { held, runner } = setUp();
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    held.runs[0]?.end({ status: 'IN_PROGRESS', output: {} });
    await turn();
    expect(task.status).toBe('IN_PROGRESS');
    expect(isRunWanted(task)).toBe(false);
  });

  it('runs an attempt once at a time and reports its result', async () => {
    const { held, runner } = setUp();
    const { actor, task } = startExecution();
    let done = 0;
    runner.run(actor, task, () => done++);
    runner.run(actor, task, () => done++);
    await turn();
    expect(held.runs).toHaveLength(1);
    expect(runner.running).toBe(1);
    expect(held.runs[0]?.run.attemptKey).toBe(`${held.runs[0]?.run.taskId}:0`);
    held.runs[0]?.end(success);
    await turn();
    expect(task).toMatchObject({ status: 'COMPLETED', workerId: 'here', pollCount: 1 });
    expect(task.output.value).toEqual({ ok: true });
    expect(done).toBe(1);
    expect(runner.running).toBe(0);
  });

  it('does not run what has ended or is to start later', async () => {
    const { held, runner } = setUp();
    const { actor, task } = startExecution();
    let done = 0;
    task.notes = { runAt: world.now + 1000 };
    runner.run(actor, task, () => done++);
    delete task.notes;
    task.status = 'COMPLETED';
    runner.run(actor, task, () => done++);
    await turn();
    expect(held.runs).toHaveLength(0);
    expect(done).toBe(2);
  });

  it('drops the result of a cancelled run', async () => {
    const { held, runner } = setUp();
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    runner.cancel(actor, task);
    expect(held.runs[0]?.run.signal.aborted).toBe(true);
    held.runs[0]?.end(success);
    await turn();
    expect(task.status).toBe('IN_PROGRESS');
  });

  it('hands a run to the next actor of its execution', async () => {
    const { held, runner } = setUp();
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    actor.drop(new Error('lost'));
    const next = actorOf(structuredCopy(actor.open.execution));
    const sameTask = next.open.execution.tasks[0] as Task;
    runner.run(next, sameTask, () => undefined);
    await turn();
    expect(held.runs).toHaveLength(1);
    held.runs[0]?.end(success);
    await turn();
    expect(sameTask.status).toBe('COMPLETED');
    expect(task.status).toBe('IN_PROGRESS');
  });

  it('tries again while the store or another execution is not to be had', async () => {
    const { held, runner, clock } = setUp();
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    held.runs[0]?.fail(new AppError('unavailable', 'away'));
    await turn();
    clock.advance(500);
    await turn();
    held.runs[1]?.fail(new StoreError('unclear', 'away'));
    await turn();
    clock.advance(500);
    await turn();
    expect(held.runs.map(({ run }) => run.attemptKey)).toEqual(
      Array(3).fill(held.runs[0]?.run.attemptKey),
    );
    held.runs[2]?.end(success);
    await turn();
    expect(task.status).toBe('COMPLETED');
  });

  it('fails the task with what a run throws', async () => {
    const { held, runner, failures } = setUp();
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    held.runs[0]?.fail(new Error('broken '.repeat(200)));
    await turn();
    expect(task.status).toBe('FAILED');
    expect(task.reason).toHaveLength(500);
    expect(failures).toHaveLength(1);
  });

  it('gives a run its secrets and keeps them out of what is stored', async () => {
    const { held, runner } = setUp((name) => (name === 'KEY' ? 's3cret' : undefined));
    const { actor, task } = startExecution();
    runner.run(actor, task, () => undefined);
    await turn();
    const run = held.runs[0]?.run;
    expect(run?.input['key']).toBe('s3cret');
    expect(run?.storedInput['key']).toBe('${workflow.secrets.KEY}');
    held.runs[0]?.end({
      status: 'FAILED',
      output: { echo: [{ sent: 'Bearer s3cret' }] },
      reason: 'refused s3cret',
    });
    await turn();
    expect(task.output.value).toEqual({ echo: [{ sent: 'Bearer ***' }] });
    expect(task.reason).toBe('refused ***');
  });
});

/** As a load from the store would give it: nothing shared with the first actor. */
function structuredCopy(execution: Execution): Execution {
  return {
    ...execution,
    state: { ...execution.state },
    tasks: execution.tasks.map((task) => ({ ...task })),
    outbox: new Map(execution.outbox),
  };
}
