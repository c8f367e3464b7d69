// Tasks of one type that wait for a worker or are with one (contract-core 17.2, 18.5), found over
// all executions that have not ended. There is no index by task type, so this reads executions one
// after the other: it is for administrators.
import { sleep, systemClock } from '../std/clock.js';
import { taskIdOf, type ExecutionId } from '../std/ids.js';
import type { Control } from '../model/caller.js';
import type { Task } from '../model/execution.js';
import { openStatuses } from '../model/status.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { attemptLimits, queueDelay, queueOf } from '../engine/worker-queue.js';
import type { Push } from '../store/queue-store.js';
import type { SearchStore } from '../store/search-store.js';
import { AnswerSize } from './answer-size.js';
import type { OperationContext } from './context.js';
import { decideWorkflow } from './control-workflow.js';
import { taskText } from './execution-view.js';
import { noSuchWorkflow } from '../model/errors.js';

/** JSON texts of up to `count` pending tasks after the first `start`. */
export async function listPendingTasks(
  context: OperationContext,
  store: SearchStore,
  taskType: string,
  page: { start: number; count: number },
): Promise<string[]> {
  const end = page.start + page.count;
  const now = context.clock.now();
  const size = new AnswerSize();
  const texts: string[] = [];
  let position = 0;
  for (const id of await runningExecutions(store)) {
    if (position >= end) break;
    await context.executions.read(id, (open) => {
      for (const task of open.openTasks) {
        if (task.taskType !== taskType) continue;
        if (position >= page.start && position < end)
          texts.push(size.add(taskText(open, task, now)));
        position++;
      }
    });
  }
  return texts;
}

/**
 * Puts SCHEDULED tasks of the type that are missing from their queue back into it; resolves with
 * their number.
 */
export async function requeueTasks(
  context: OperationContext,
  store: SearchStore,
  taskType: string,
): Promise<number> {
  const ids = await runningExecutions(store);
  return await requeueMissing(context, ids, (task) => task.taskType === taskType);
}

/**
 * The same for all worker tasks of one execution, which is then decided anew. Throws AppError
 * 'not-found'.
 */
export async function repairWorkflow(
  context: OperationContext,
  control: Control,
  id: string,
): Promise<boolean> {
  if ((await context.executions.read(id, () => true)) === undefined) throw noSuchWorkflow(id);
  const requeued = await requeueMissing(context, [id], () => true);
  await decideWorkflow(context, control, id);
  return requeued > 0;
}

/** Oldest first. Executions with a definition of their own are among them. */
async function runningExecutions(store: SearchStore): Promise<ExecutionId[]> {
  const range = { names: undefined, statuses: openStatuses, fromAt: undefined, untilAt: undefined };
  return (await store.list(range)).map(({ id }) => id);
}

/** A push follows its commit within this time, ms, unless the store is slow. */
const pushedWithinMs = 200;

type RequeueContext = Pick<OperationContext, 'clock' | 'executions' | 'queueStore'>;

/**
 * Puts tasks of these executions back that two reads, a moment apart, find missing; resolves with
 * their number. Between the two a push that was under way arrives, and a task may move on.
 */
export async function requeueMissing(
  context: RequeueContext,
  ids: readonly string[],
  isWanted: (task: Task) => boolean,
): Promise<number> {
  const seen = new Map<string, ReadonlySet<string>>();
  for (const id of ids) {
    const missing = await missingOf(context, id, isWanted);
    if (missing.length > 0) seen.set(id, new Set(missing.map(attemptKey)));
  }
  if (seen.size === 0) return 0;
  // By the real clock: a test server's may stand still.
  await sleep(systemClock, pushedWithinMs);
  let count = 0;
  for (const [id, keys] of seen) {
    const missing = await missingOf(context, id, isWanted);
    const still = missing.filter((push) => keys.has(attemptKey(push)));
    if (still.length > 0) await context.queueStore.push(still);
    count += still.length;
  }
  return count;
}

const attemptKey = ({ attempt }: Push): string => `${attempt.taskId}:${attempt.reopenCount}`;

/** Pushes of those that are not in their queue. */
async function missingOf(
  { clock, executions, queueStore }: RequeueContext,
  id: string,
  isWanted: (task: Task) => boolean,
): Promise<Push[]> {
  const now = clock.now();
  const pushes = await executions.read(id, (open) => pushesOf(open, isWanted, now));
  const missing: Push[] = [];
  for (const push of pushes ?? []) {
    const [waits] = await queueStore.contains(push.queue, [push.attempt]);
    if (waits !== true) missing.push(push);
  }
  return missing;
}

/**
 * A push is ignored where the attempt is queued or leased (invariants M9), and one that has ended
 * is not handed out (I7), so a task that has just moved on does no harm.
 */
function pushesOf(open: OpenExecution, isWanted: (task: Task) => boolean, now: number): Push[] {
  const { id, attributes } = open.execution;
  const pushes: Push[] = [];
  for (const task of open.openTasks) {
    if (task.status !== 'SCHEDULED' || !isWorkerTask(task) || !isWanted(task)) continue;
    pushes.push({
      queue: queueOf(task),
      attempt: { taskId: taskIdOf(id, task.number), reopenCount: task.reopenCount },
      priority: attributes.priority,
      visibleAt: queueDelay(task, now),
      limits: attemptLimits(task),
      givenBackAtPoll: 0,
    });
  }
  return pushes;
}
