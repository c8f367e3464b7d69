// SIMPLE, user-defined types and everything else that a worker polls for (semantics 4.1): the task
// is SCHEDULED and wants to be in its queue.
import type { Task } from '../../model/execution.js';
import type { Payload } from '../../model/payload.js';
import { domainOf, inputWithTemplate, excessOfPayload } from '../mapping.js';
import { createTask, endTask } from '../records.js';
import { refuseInvalidInput } from '../schema-checks.js';
import { useRefusal } from '../task-use.js';
import type { Transition } from '../transition.js';
import { signalReason } from '../wait-reason.js';
import type { Site, TaskType } from './contract.js';
import { outsideType } from './constructors.js';

export const workerTask: TaskType = outsideType({
  names: ['SIMPLE'],
  reaches: [
    {
      right: 'EXECUTE',
      target: 'TASK_DEF',
      named: 'the name of the task, where its definition is restricted',
    },
  ],
  carriedOutBy: 'worker',
  hasSchemas: true,
  inputOf: inputWithTemplate,
  map(t, site) {
    const { type, name } = site.config;
    mapWorkerTask(t, site, type === 'SIMPLE' ? name : type);
  },
  begin(t, task) {
    if (refuseInvalidInput(t, task)) return;
    t.emit({ kind: 'schedule', task });
  },
  /** The attempt goes back to its queue (semantics 5.4.5). */
  progressReported(t, task) {
    task.status = 'SCHEDULED';
    task.lease = undefined;
    t.emit({ kind: 'schedule', task });
  },
  waitsForOutside: () => true,
  whyWaits: signalReason,
});

/**
 * The values that the record of a worker task shows without any definition, as a member of a
 * dynamic fork may be (the reference: class defaults).
 */
const undefinedTask = {
  responseTimeoutSeconds: 3600,
  rateLimitPerFrequency: 0,
  rateLimitFrequencyInSeconds: 1,
};

/** Makes a record that is polled under `taskType`. */
export function mapWorkerTask(t: Transition, site: Site, taskType: string): void {
  const { config } = site;
  const isDynamic = config.type === 'DYNAMIC';
  const def = config.taskDefinition ?? (isDynamic ? undefined : undefinedTask);
  const rateLimitPerFrequency = def?.rateLimitPerFrequency ?? 0;
  const task = createTask(t, {
    ref: site.ref,
    config,
    taskType,
    status: 'SCHEDULED',
    iteration: site.iteration,
    input: inputWithTemplate(t, site),
    domain: domainOf(t, taskType),
    startDelaySeconds: config.startDelay,
    callbackAfterSeconds: config.startDelay,
    responseTimeoutSeconds: def?.responseTimeoutSeconds ?? 0,
    rateLimitPerFrequency,
    // A DYNAMIC shows a window only with a limit (observed).
    rateLimitFrequencyInSeconds:
      isDynamic && rateLimitPerFrequency === 0 ? 0 : (def?.rateLimitFrequencyInSeconds ?? 0),
  });
  if (refuseUse(t, task)) return;
  if (refuseLargeInput(t, task, task.input) || refuseInvalidInput(t, task)) return;
  t.emit({ kind: 'schedule', task });
}

/** Fails a task whose restricted definition the execution may not use. */
function refuseUse(t: Transition, task: Task): boolean {
  const reason = useRefusal(t.context.taskUse, t.execution, task.taskType);
  if (reason === undefined) return false;
  endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
  return true;
}

/** Fails a task whose input is beyond a limit (semantics 2.12). */
function refuseLargeInput(t: Transition, task: Task, input: Payload): boolean {
  const { limits } = t.context;
  const excess = excessOfPayload(input, limits.taskPayloadBytesMax, limits);
  if (excess === undefined) return false;
  endTask(t, task, {
    status: 'FAILED_WITH_TERMINAL_ERROR',
    reason: `The input of the task is ${excess}`,
  });
  return true;
}
