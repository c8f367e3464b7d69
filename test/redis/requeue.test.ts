// A queue gets back what is missing from it, not what is on its way there.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openExecution } from '../../src/engine/load-execution.js';
import type { OpenExecution } from '../../src/engine/open-execution.js';
import type { Task } from '../../src/model/execution.js';
import type { OperationContext } from '../../src/operation/context.js';
import { requeueMissing } from '../../src/operation/pending-tasks.js';
import { RedisQueueStore } from '../../src/redis/queue-store.js';
import { systemClock } from '../../src/std/clock.js';
import { taskIdOf } from '../../src/std/ids.js';
import type { Attempt } from '../../src/store/queue-store.js';
import {
  sampleExecution,
  sampleSnapshot,
  sampleTask,
  startStore,
  type TestStore,
} from '../../testkit/samples.js';

let test: TestStore;
beforeAll(async () => {
  test = await startStore();
});
afterAll(() => test.stop());

it('puts back what two reads miss: neither a push under way nor a task that moved on', async () => {
  const queueStore = new RedisQueueStore(test.redis);
  const snapshot = sampleSnapshot('order', ['under_way', 'moved_on', 'missing']);
  const tasks = snapshot.def.tasks.map((config, at) => sampleTask(at + 1, config));
  const execution = { ...sampleExecution(3, snapshot), tasks };
  const read = async <T>(_id: string, view: (open: OpenExecution) => T): Promise<T> =>
    view(openExecution(execution));
  const executions = { read } as OperationContext['executions'];
  const attemptOf = ({ number }: Task): Attempt => ({
    ...{ taskId: taskIdOf(execution.id, number), reopenCount: 0 },
  });
  const isQueued = async (task: Task): Promise<boolean | undefined> =>
    (await queueStore.contains({ taskType: task.taskType }, [attemptOf(task)]))[0];
  const queued = (): Promise<unknown[]> => Promise.all(tasks.map(isQueued));

  const counted = requeueMissing(
    { clock: systemClock, executions, queueStore },
    [execution.id],
    () => true,
  );
  // The first read, which asks about one task after the other, is over.
  for (const _ of tasks) expect(await queued()).toEqual([false, false, false]);
  const [underWay, movedOn] = tasks as [Task, Task];
  await queueStore.push([
    {
      ...{ queue: { taskType: underWay.taskType }, attempt: attemptOf(underWay) },
      ...{ priority: 0, visibleAt: 0, limits: undefined, givenBackAtPoll: 0 },
    },
  ]);
  movedOn.status = 'IN_PROGRESS';
  expect(await counted).toBe(1);
  expect(await queued()).toEqual([true, false, true]);
});
