// update-v2 (contract-core 15.3): reports an attempt and hands the same worker the next task of
// that type and domain. The poll is parked before the update decides, so that the next step of a
// chain is handed over in the very commit of the update (architecture section 1.5).
//
// Once the update is durable the poll waits only for what is on its way to its queue here: a commit
// that has leased a task for it, a push, a read of the store. Without any the answer leaves at
// once. A task that a report to another node has made ready is offered to this one a moment after
// the reply: its owner is asked whether there is any, and only then the offer is waited for.
import type { QueueName } from '../engine/decision.js';
import { queueOf } from '../engine/worker-queue.js';
import type { Caller } from '../model/caller.js';
import type { TaskUpdate } from '../model/parse-task-result.js';
import type { TaskText } from '../queue/task-queues.js';
import { isTerminalWorkflow } from '../model/status.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import type { OperationContext } from './context.js';
import { taskShown } from '../access/execution-rights.js';
import { requireReportRight } from './access.js';
import { parkPoll } from './park-poll.js';
import { mayPoll } from './poll-tasks.js';
import { noSuchTask, otherTaskOf, ownTaskOf, updateTask, type TaskTarget } from './update-task.js';
import { noSuchWorkflow } from '../model/errors.js';

/**
 * Resolves with the next task, undefined when there is none or the report was not an end. Throws as
 * `updateTask`.
 */
export async function updateTaskAndPoll(
  context: OperationContext,
  caller: Caller,
  update: TaskUpdate,
  onAbort: (listener: () => void) => void,
): Promise<TaskText | undefined> {
  const { result } = update;
  if (result.status === 'IN_PROGRESS' || result.extendLease) {
    await updateTask(context, caller, update);
    return undefined;
  }
  const own = ownTaskOf(update);
  const target = own ?? (await otherTaskOf(context, update));
  const queue = await queueOfTask(context, update, target);
  // Before the poll waits: it could take the task of another one until the report is refused.
  const { executionId, taskNumber } = target;
  const shown = own === undefined ? taskShown(update.taskId) : undefined;
  const mayReport = requireReportRight(context, caller, executionId, { taskNumber }, shown);
  if (mayReport !== undefined) await mayReport;
  // A caller who may report by a right on the workflow alone gets no task of the type.
  if (!mayPoll(context, caller, queue)) {
    await updateTask(context, caller, update);
    return undefined;
  }
  // Before the report: one that has ended leaves the memory of its owner.
  const isHere = context.executions.peek(executionId, () => true) === true;
  const { nextTaskWaitMs, nextTaskGraceMs } = context.limits;
  let leave = (): void => undefined;
  let giveUp = (): void => undefined;
  const request = {
    queue,
    workerId: result.workerId || undefined,
    count: 1,
    timeoutMs: nextTaskWaitMs,
    onAbort: (listener: () => void) => {
      giveUp = listener;
      onAbort(listener);
    },
    onParked: (listener: () => void) => (leave = listener),
  };
  context.workers?.polled({ ...queue, domain: queue.domain, workerId: result.workerId });
  const polled = parkPoll(context, caller, request, () => undefined);
  // Prevents an unhandled rejection while the update runs; the await below still sees it.
  polled.catch(() => undefined);
  try {
    await updateTask(context, caller, update);
  } catch (error) {
    giveUp();
    throw error;
  }
  const grace = context.clock.after(nextTaskGraceMs, giveUp);
  if (isHere) leave();
  else void leaveUnlessReady(context, target, queue, leave);
  const tasks = await polled.catch(() => []);
  grace.cancel();
  return tasks[0];
}

/** The queue of a task by its number; null: the execution has none of this number. */
export const taskQueueView: NamedView<number, QueueName | null> = {
  name: 'task-queue',
  view: (open, taskNumber) => {
    const task = open.byNumber.get(taskNumber);
    return task === undefined ? null : queueOf(task);
  },
};

/** More open tasks are not looked through. */
const openTasksMax = 100;

/** Whether a poll of the queue may get a task that the execution has made ready. */
export const mayHaveReadyView: NamedView<QueueName, boolean> = {
  name: 'may-have-ready',
  view: ({ execution, openTasks }, { taskType, domain }) => {
    if (isTerminalWorkflow(execution.state.status)) return false;
    if (openTasks.size > openTasksMax) return true;
    for (const task of openTasks) {
      if (task.status !== 'SCHEDULED') continue;
      const queue = queueOf(task);
      if (queue.taskType === taskType && queue.domain === domain) return true;
    }
    return false;
  },
};

/** An owner that cannot be asked may have made something ready: the grace is waited for. */
async function leaveUnlessReady(
  { executions }: OperationContext,
  { executionId }: TaskTarget,
  queue: QueueName,
  leave: () => void,
): Promise<void> {
  try {
    const mayCome = await executions.read(executionId, viewOf(mayHaveReadyView, queue));
    if (mayCome !== true) leave();
  } catch {
    // Waits for the grace.
  }
}

async function queueOfTask(
  context: OperationContext,
  update: TaskUpdate,
  { executionId, taskNumber }: TaskTarget,
): Promise<QueueName> {
  const queue = await context.executions.read(executionId, viewOf(taskQueueView, taskNumber));
  if (queue === undefined) throw noSuchWorkflow(executionId);
  if (queue === null) throw noSuchTask(update.taskId);
  return queue;
}
