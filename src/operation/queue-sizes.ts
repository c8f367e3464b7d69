// Sizes of the task queues (contract-core 17). Waiting members count, also those not visible yet;
// handed-out ones do not. A caller sees the queues of the types that it may read or work on; all
// others look as if they were empty (invariants S16).
import type { AccessRules } from '../access/access-rules.js';
import type { Caller } from '../model/caller.js';
import { queueText } from '../engine/worker-queue.js';
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
  caller: Caller,
  taskTypes: readonly string[],
): Promise<Record<string, number>> {
  const seen = taskTypes.filter((taskType) => maySee(context, caller, { taskType }));
  const unseen = taskTypes.filter((taskType) => !seen.includes(taskType));
  const queues = seen.map((taskType) => ({ taskType }));
  const none = unseen.map((taskType) => [taskType, 0] as const);
  if (queues.length === 0) return Object.fromEntries(none);
  await context.taskQueues.drained();
  const sizes = await context.queueStore.sizes(queues);
  return Object.fromEntries([...seen.map((type, i) => [type, sizes[i]?.waiting ?? 0]), ...none]);
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
  caller: Caller,
  selector: QueueSelector,
): Promise<number> {
  if (!maySee(context, caller, selector)) return 0;
  let taskType = selector.taskType;
  if (selector.executionNamespace) taskType += `@${selector.executionNamespace}`;
  if (selector.isolationGroupId) taskType += `-${selector.isolationGroupId}`;
  await context.taskQueues.drained();
  return context.queueStore.size(toQueue(taskType, selector.domain));
}

/** Every queue that ever had a task, sorted by name. */
export async function allQueueSizes(
  context: OperationContext,
  caller: Caller,
): Promise<QueueSize[]> {
  await context.taskQueues.drained();
  const all = await context.queueStore.queues();
  const queues = all.filter((queue) => maySee(context, caller, queue));
  if (queues.length === 0) return [];
  const sizes = await context.queueStore.sizes(queues);
  return queues
    .map((queue, i) => ({ name: queueText(queue), ...(sizes[i] ?? { waiting: 0, leased: 0 }) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The last polls of queues (contract-core 4.6); all types when `taskType` is undefined. */
export async function listPollData(
  context: OperationContext,
  caller: Caller,
  taskType: string | undefined,
): Promise<readonly PollData[]> {
  const entries = await context.pollData.list(taskType);
  return entries.filter(({ queueName, domain }) =>
    maySee(context, caller, { taskType: queueName, domain }),
  );
}

function maySee(
  { access }: OperationContext,
  caller: Caller,
  queue: { readonly taskType: string; readonly domain?: string | undefined },
): boolean {
  return maySeeQueue(access, caller, queue);
}

/** Whether the caller may read or work on what the queue holds; no domain may also be ''. */
export function maySeeQueue(
  access: AccessRules,
  caller: Caller,
  queue: { readonly taskType: string; readonly domain?: string | undefined },
): boolean {
  const { taskType: id, domain = '' } = queue;
  const target = { type: 'TASK_DEF', id, ...(domain === '' ? {} : { domain }) } as const;
  return access.may(caller, 'READ', target) || access.may(caller, 'EXECUTE', target);
}

/** Task type and domain ('' for none) of a name that `allQueueSizes` gives. */
export function queueOfName(name: string): { readonly taskType: string; readonly domain: string } {
  const colon = name.lastIndexOf(':');
  return { taskType: name.slice(colon + 1), domain: name.slice(0, Math.max(0, colon)) };
}
