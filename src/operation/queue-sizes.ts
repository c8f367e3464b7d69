// What is in the task queues (contract-core 17). Waiting members count, also those not visible yet;
// handed-out ones do not.
import type { QueueName } from '../engine/decision.js';
import type { PollData } from '../store/queue-store.js';
import type { OperationContext } from './context.js';
import { toQueue } from './poll-tasks.js';

export interface QueueSize {
  /** As clients see it: `[domain:]taskType`. */
  readonly name: string;
  readonly waiting: number;
  readonly leased: number;
}

/** Waiting tasks without domain by type; a type without queue has 0. */
export async function queueSizes(
  context: OperationContext,
  taskTypes: readonly string[],
): Promise<Record<string, number>> {
  const queues = taskTypes.map((taskType) => ({ taskType }));
  if (queues.length === 0) return {};
  await context.taskQueues.settled();
  const sizes = await context.queueStore.sizes(queues);
  return Object.fromEntries(taskTypes.map((type, i) => [type, sizes[i]?.waiting ?? 0]));
}

export interface QueueSelector {
  readonly taskType: string;
  readonly domain?: string | undefined;
  readonly isolationGroupId?: string | undefined;
  readonly executionNamespace?: string | undefined;
}

/** Waiting tasks of one queue (contract-core 17.1 for the name). */
export async function queueSize(
  context: OperationContext,
  selector: QueueSelector,
): Promise<number> {
  let taskType = selector.taskType;
  if (selector.executionNamespace) taskType += `@${selector.executionNamespace}`;
  if (selector.isolationGroupId) taskType += `-${selector.isolationGroupId}`;
  await context.taskQueues.settled();
  return context.queueStore.size(toQueue(taskType, selector.domain));
}

/** Every queue that ever had a task, sorted by name. */
export async function allQueueSizes(context: OperationContext): Promise<QueueSize[]> {
  await context.taskQueues.settled();
  const queues = await context.queueStore.queues();
  if (queues.length === 0) return [];
  const sizes = await context.queueStore.sizes(queues);
  return queues
    .map((queue, i) => ({ name: shownName(queue), ...(sizes[i] ?? { waiting: 0, leased: 0 }) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Who polled (contract-core 4.6); all types when `taskType` is undefined. */
export async function listPollData(
  context: OperationContext,
  taskType: string | undefined,
): Promise<readonly PollData[]> {
  return context.pollData.list(taskType);
}

function shownName(queue: QueueName): string {
  return queue.domain === undefined ? queue.taskType : `${queue.domain}:${queue.taskType}`;
}
