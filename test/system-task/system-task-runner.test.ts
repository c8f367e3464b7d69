import { describe, expect, it } from 'vitest';
import type { OpenExecution } from '../../src/engine/open-execution.js';
import { AppError } from '../../src/model/errors.js';
import type { Task } from '../../src/model/execution.js';
import type { JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { StoreError } from '../../src/store/execution-store.js';
import {
  systemTask,
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

const ordinary = systemTask({ run: () => Promise.reject(new Error('not run')) });

/** A system task whose runs end when the test says so. */
class HeldTask implements SystemTask {
  readonly lane = ordinary.lane;
  readonly cancelled = ordinary.cancelled;
  readonly confirm = ordinary.confirm;
  isShownRunning = ordinary.isShownRunning;
  readonly runs: {
    run: TaskRun;
    end: (outcome: TaskOutcome) => void;
    fail: (error: unknown) => void;
  }[] = [];

  run(run: TaskRun): Promise<TaskOutcome> {
    return new Promise((end, fail) => this.runs.push({ run, end, fail }));
  }
}

function startExecution(input: JsonMap = {}): { open: OpenExecution; task: Task } {
  const inputParameters = { uri: 'http://x', method: 'GET', key: '${workflow.secrets.KEY}' };
  const id = world.start(
    {
      name: 'runs',
      version: 1,
      tasks: [{ name: 'h', taskReferenceName: 'h', type: 'HTTP', inputParameters }],
    },
    input,
  );
  const open = world.open(id);
  return { open, task: open.execution.tasks[0] as Task };
}

function setUp(secret?: (name: string) => string | undefined): {
  held: HeldTask;
  runner: SystemTaskRunner;
  clock: VirtualClock;
  failures: unknown[];
  refuse: (error: AppError | undefined) => void;
} {
  const held = new HeldTask();
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  let refusal: AppError | undefined;
  const runner = new SystemTaskRunner(new Map([['HTTP', held]]), {
    clock,
    limits: { runsMax: 10, runsPerLaneMax: 10 },
    secrets: secret === undefined ? undefined : () => secret,
    executions: {
      command: async (id, command) => {
        if (refusal !== undefined) throw refusal;
        return world.command(id as ExecutionId, command);
      },
      read: (id, view) => Promise.resolve(view(world.open(id as ExecutionId))),
    },
    failed: (error) => failures.push(error),
  });
  const refuse = (error: AppError | undefined): void => void (refusal = error);
  return { held, runner, clock, failures, refuse };
}

const success: TaskOutcome = { status: 'COMPLETED', output: { ok: true }, workerId: 'here' };

describe('the runner of system tasks', () => {
  it('shows a task as running from its start', async () => {
    const { held, runner, clock } = setUp();
    const { open, task } = startExecution();
    expect(task).toMatchObject({ status: 'SCHEDULED', startAt: 0 });
    const startedAt = clock.now();
    void runner.run(open, task);
    await turn();
    expect(task).toMatchObject({ status: 'IN_PROGRESS', startAt: startedAt, pollCount: 0 });
    // An owner that loads the execution meanwhile runs it again.
    expect(isRunWanted(task)).toBe(true);
    held.runs[0]?.end(success);
    await turn();
    expect(task).toMatchObject({ status: 'COMPLETED', startAt: startedAt, pollCount: 1 });
  });

  it('leaves a task scheduled that can be reached only after its run', async () => {
    const { held, runner, clock } = setUp();
    held.isShownRunning = false;
    const { open, task } = startExecution();
    const startedAt = clock.now();
    void runner.run(open, task);
    await turn();
    expect(task).toMatchObject({ status: 'SCHEDULED', startAt: 0 });
    held.runs[0]?.end({ status: 'IN_PROGRESS', output: {} });
    await turn();
    expect(task).toMatchObject({ status: 'IN_PROGRESS', startAt: startedAt });
  });

  it('runs an attempt again when its outcome asks for another look', async () => {
    const { held, runner } = setUp();
    const { open, task } = startExecution();
    void runner.run(open, task);
    await turn();
    held.runs[0]?.end({ status: 'IN_PROGRESS', output: { seen: 1 }, callbackAfterSeconds: 5 });
    await turn();
    expect(task).toMatchObject({ status: 'IN_PROGRESS', callbackAfterSeconds: 5 });
    expect(isRunWanted(task)).toBe(false);
    world.now += 5000;
    world.command(open.execution.id, { kind: 'wake' });
    expect(isRunWanted(task)).toBe(true);
    void runner.run(open, task);
    await turn();
    expect(held.runs[1]?.run).toMatchObject({ pollCount: 1, output: { seen: 1 } });
    held.runs[1]?.end(success);
    await turn();
    expect(task).toMatchObject({ status: 'COMPLETED', pollCount: 2 });
  });

  it('leaves an attempt that somebody outside completes', async () => {
    const { held, runner } = setUp();
    const { open, task } = startExecution();
    void runner.run(open, task);
    await turn();
    held.runs[0]?.end({ status: 'IN_PROGRESS', output: {} });
    await turn();
    expect(task.status).toBe('IN_PROGRESS');
    expect(isRunWanted(task)).toBe(false);
  });

  it('runs an attempt once at a time and reports its result', async () => {
    const { held, runner } = setUp();
    const { open, task } = startExecution();
    let done = 0;
    void runner.run(open, task).then(() => done++);
    void runner.run(open, task).then(() => done++);
    await turn();
    expect(held.runs).toHaveLength(1);
    expect(runner.running).toBe(1);
    expect(held.runs[0]?.run.attemptKey).toBe(`${held.runs[0]?.run.taskId}:0`);
    held.runs[0]?.end(success);
    await turn();
    expect(task).toMatchObject({ status: 'COMPLETED', workerId: 'here', pollCount: 1 });
    expect(task.output.value).toEqual({ ok: true });
    expect(done).toBe(2);
    expect(runner.running).toBe(0);
  });

  it('does not run what has ended or is to start later', async () => {
    const { held, runner } = setUp();
    const { open, task } = startExecution();
    let done = 0;
    task.notes = { runAt: world.now + 1000 };
    void runner.run(open, task).then(() => done++);
    delete task.notes;
    task.status = 'COMPLETED';
    void runner.run(open, task).then(() => done++);
    await turn();
    expect(held.runs).toHaveLength(0);
    expect(done).toBe(2);
  });

  it('drops the result of a cancelled run', async () => {
    const { held, runner } = setUp();
    const { open, task } = startExecution();
    void runner.run(open, task);
    await turn();
    runner.cancel(open, task);
    expect(held.runs[0]?.run.signal.aborted).toBe(true);
    held.runs[0]?.end(success);
    await turn();
    expect(task.status).toBe('IN_PROGRESS');
  });

  it('does not start a run twice when its execution is loaded anew, and reports to that', async () => {
    const { held, runner } = setUp();
    const { open } = startExecution();
    const { id } = open.execution;
    void runner.run(open, open.execution.tasks[0] as Task);
    await turn();
    world.reload(id);
    const again = world.open(id);
    expect(again).not.toBe(open);
    let done = 0;
    void runner.run(again, again.execution.tasks[0] as Task).then(() => done++);
    await turn();
    expect(held.runs).toHaveLength(1);
    held.runs[0]?.end(success);
    await turn();
    expect(again.execution.tasks[0]?.status).toBe('COMPLETED');
    expect(done).toBe(1);
  });

  it('drops a result when its execution has been removed, and repeats it while it has no owner', async () => {
    const { held, runner, clock, failures, refuse } = setUp();
    const { open, task } = startExecution();
    refuse(new AppError('unavailable', 'moving'));
    void runner.run(open, task);
    await turn();
    held.runs[0]?.end(success);
    await turn();
    expect(task.status).toBe('SCHEDULED');
    refuse(undefined);
    clock.advance(500);
    await turn();
    expect(task.status).toBe('COMPLETED');
    const other = startExecution();
    refuse(new AppError('not-found', 'gone'));
    void runner.run(other.open, other.task);
    await turn();
    held.runs[1]?.end(success);
    await turn();
    expect(runner.running).toBe(0);
    expect(failures).toEqual([]);
    expect(held.runs).toHaveLength(2);
  });

  it('tries again while the store or another execution is not to be had', async () => {
    const { held, runner, clock } = setUp();
    const { open, task } = startExecution();
    void runner.run(open, task);
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
    const { open, task } = startExecution();
    void runner.run(open, task);
    await turn();
    held.runs[0]?.fail(new Error('broken '.repeat(200)));
    await turn();
    expect(task.status).toBe('FAILED');
    expect(task.reason).toHaveLength(500);
    expect(failures).toHaveLength(1);
  });

  it('gives a run its secrets and keeps them out of what is stored', async () => {
    const { held, runner } = setUp((name) => (name === 'KEY' ? 's3cret' : undefined));
    const { open, task } = startExecution();
    void runner.run(open, task);
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
