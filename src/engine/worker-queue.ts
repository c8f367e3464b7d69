// How a worker task stands in its task queue (semantics 5.1, 2.6.4, 2.12): name, visibility,
// limits.
import type { Task } from '../model/execution.js';
import type { QueueName } from './decision.js';

/**
 * Queue of a task: its run-time type with the suffix of name space and isolation group, and its
 * domain.
 */
export function queueOf(task: Task): QueueName {
  const def = task.config.taskDefinition;
  let taskType = task.taskType;
  if (def?.executionNameSpace) taskType += `@${def.executionNameSpace}`;
  if (def?.isolationGroupId) taskType += `-${def.isolationGroupId}`;
  return task.domain === undefined ? { taskType } : { taskType, domain: task.domain };
}

/** Name of a queue in texts and answers: `domain:taskType`. */
export function queueText({ taskType, domain }: QueueName): string {
  return domain === undefined ? taskType : `${domain}:${taskType}`;
}

/**
 * When a SCHEDULED task becomes visible in its queue, epoch ms; 0 = at once. A delay counts from
 * the record's latest scheduling or IN_PROGRESS report.
 */
export function queueDelay(task: Task, now: number): number {
  const delayMs =
    task.callbackAfterMs > 0 ? task.callbackAfterMs : task.callbackAfterSeconds * 1000;
  if (delayMs <= 0) return 0;
  const visibleAt = Math.max(task.scheduledAt, task.updateAt) + delayMs;
  return visibleAt > now ? visibleAt : 0;
}

/**
 * Limits of the task's definition as the execution keeps it; undefined when it has none.
 * `concurrentExecLimit` 0 = none.
 */
export function attemptLimits(task: Task):
  | {
      defName: string;
      concurrentExecLimit: number;
      rateLimitPerFrequency: number;
      rateLimitFrequencyInSeconds: number;
    }
  | undefined {
  const concurrentExecLimit = task.config.taskDefinition?.concurrentExecLimit ?? 0;
  const rateLimited = task.rateLimitPerFrequency > 0 && task.rateLimitFrequencyInSeconds > 0;
  if (concurrentExecLimit <= 0 && !rateLimited) return undefined;
  return {
    defName: task.defName,
    concurrentExecLimit: Math.max(0, concurrentExecLimit),
    rateLimitPerFrequency: rateLimited ? task.rateLimitPerFrequency : 0,
    rateLimitFrequencyInSeconds: rateLimited ? task.rateLimitFrequencyInSeconds : 0,
  };
}
