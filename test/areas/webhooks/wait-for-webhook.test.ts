// When a WAIT_FOR_WEBHOOK task is shown in progress: an event that is sent then must find it.
import { expect, it } from 'vitest';
import type { Command } from '../../../src/engine/command.js';
import type { OpenExecution } from '../../../src/engine/open-execution.js';
import type { Task } from '../../../src/model/execution.js';
import { Payload } from '../../../src/model/payload.js';
import type { ExecutionId } from '../../../src/std/ids.js';
import type { WaitTarget } from '../../../src/areas/webhooks/wait-store.js';
import type { SystemTaskServices } from '../../../src/system-task/system-task.js';
import { SystemTaskRunner } from '../../../src/system-task/system-task-runner.js';
import { waitForWebhookTask } from '../../../src/areas/webhooks/wait-for-webhook.js';
import { World } from '../../engine/support/world.js';
import { VirtualClock } from '../../support/virtual-clock.js';

interface Opened {
  readonly open: OpenExecution;
  readonly waiting: Task;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One waiting task and what enters it in the index. */
function createWait(webhookWaits: object): { runner: SystemTaskRunner; world: World } & Opened {
  const world = new World({ reloads: false });
  const inputParameters = { matches: { id: 1 } };
  const task = { name: 'w', taskReferenceName: 'w', type: 'WAIT_FOR_WEBHOOK', inputParameters };
  const open = world.open(world.start({ name: 'waits', version: 1, tasks: [task] }, {}));
  const executions = {
    command: async (id: string, command: Command) => world.command(id as ExecutionId, command),
    read: async <T>(id: string, view: (open: OpenExecution) => T) =>
      view(world.open(id as ExecutionId)),
  };
  const services = { webhookWaits, executions } as unknown as SystemTaskServices;
  const types = new Map([['WAIT_FOR_WEBHOOK', waitForWebhookTask.create(services)]]);
  const runner = new SystemTaskRunner(types, {
    clock: new VirtualClock(),
    limits: { runsMax: 10, runsPerLaneMax: 10 },
    secrets: undefined,
    executions,
    failed: (error) => expect.unreachable(String(error)),
  });
  return { runner, world, open, waiting: open.execution.tasks[0] as Task };
}

it('is shown in progress once the index of waiting tasks has it', async () => {
  let indexed = (_isAdded: boolean): void => undefined;
  const { runner, open, waiting } = createWait({
    register: () => new Promise<boolean>((resolve) => (indexed = resolve)),
    isRegistered: () => Promise.resolve(true),
  });
  void runner.run(open, waiting);
  await turn();
  expect(waiting.status).toBe('SCHEDULED');
  indexed(true);
  await turn();
  expect(waiting.status).toBe('IN_PROGRESS');
});

it('enters the index again when a failover has undone its entry', async () => {
  const entered: string[] = [];
  const register = (_target: WaitTarget, taskId: string): Promise<boolean> => {
    entered.push(taskId);
    return Promise.resolve(true);
  };
  const lost = createWait({ register, isRegistered: () => Promise.resolve(false) });
  await lost.runner.run(lost.open, lost.waiting);
  expect(entered).toHaveLength(2);
});

it('stays out of the index when an event has ended it meanwhile', async () => {
  let entered = 0;
  const ended = createWait({
    register: async () => {
      entered += 1;
      return true;
    },
    isRegistered: async () => {
      const result = { status: 'COMPLETED', output: Payload.empty } as const;
      ended.world.command(ended.open.execution.id, {
        ...{ kind: 'update-task', task: { taskNumber: ended.waiting.number } },
        ...{ result: { ...result, callbackAfterSeconds: 0, extendLease: false } },
        mergeOutput: false,
      });
      return false;
    },
  });
  await ended.runner.run(ended.open, ended.waiting);
  expect(ended.waiting.status).toBe('COMPLETED');
  expect(entered).toBe(1);
});
