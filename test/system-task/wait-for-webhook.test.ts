// When a WAIT_FOR_WEBHOOK task is shown in progress: an event that is sent then must find it.
import { expect, it } from 'vitest';
import type { ExecutionId } from '../../src/std/ids.js';
import type { SystemTaskServices } from '../../src/system-task/system-task.js';
import { SystemTaskRunner } from '../../src/system-task/system-task-runner.js';
import { waitForWebhookTask } from '../../src/system-task/wait-for-webhook.js';
import { World } from '../engine/support/world.js';
import { VirtualClock } from '../support/virtual-clock.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('is shown in progress once the index of waiting tasks has it', async () => {
  const world = new World({ reloads: false });
  const inputParameters = { matches: { id: 1 } };
  const task = { name: 'w', taskReferenceName: 'w', type: 'WAIT_FOR_WEBHOOK', inputParameters };
  const open = world.open(world.start({ name: 'waits', version: 1, tasks: [task] }, {}));
  const waiting = open.execution.tasks[0];
  let indexed = (_isAdded: boolean): void => undefined;
  const services = {
    webhookWaits: { register: () => new Promise<boolean>((resolve) => (indexed = resolve)) },
  };
  const types = new Map([
    ['WAIT_FOR_WEBHOOK', waitForWebhookTask.create(services as unknown as SystemTaskServices)],
  ]);
  const runner = new SystemTaskRunner(types, {
    clock: new VirtualClock(),
    limits: { runsMax: 10, runsPerLaneMax: 10 },
    secrets: undefined,
    executions: { command: async (id, command) => world.command(id as ExecutionId, command) },
    failed: (error) => expect.unreachable(String(error)),
  });
  void runner.run(open, waiting as NonNullable<typeof waiting>);
  await turn();
  expect(waiting?.status).toBe('SCHEDULED');
  indexed(true);
  await turn();
  expect(waiting?.status).toBe('IN_PROGRESS');
});
