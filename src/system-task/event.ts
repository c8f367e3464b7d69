// EVENT (semantics 4.12): publishes the task's output on a queue. `conductor` queues are kept by
// the server itself; the other providers need a connection that this server does not have, so a
// task that names one fails and says so.
import type { JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { Payload } from '../model/payload.js';
import { required } from '../engine/task-types/checks.js';
import {
  failed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskRun,
} from './system-task.js';

export const eventTask: SystemTaskType = {
  ...ordinaryType,
  name: 'EVENT',
  check: (config) => (config.sink === undefined ? [required(config, 'sink')] : []),
  input(source, { sink = null, asyncComplete }) {
    const evaluated = source.evaluate('sink', sink);
    return Payload.of({ ...source.parameters().value, sink: evaluated, asyncComplete });
  },
  shownInput: ({ sink = null, asyncComplete }) => ({ sink, asyncComplete }),
  hasLimits: false,
  create: createEventTask,
};

export function createEventTask({
  eventQueues,
  clock,
}: Pick<SystemTaskServices, 'eventQueues' | 'clock'>): SystemTask {
  return {
    ...ordinaryRun,
    async run(run) {
      const sink = run.storedInput['sink'];
      const target = parseSink(typeof sink === 'string' ? sink.trim() : '', run);
      if ('refused' in target) return failed(target.refused);
      const output = outputOf(run, target.queue);
      await eventQueues.publish(target.queue, {
        id: run.taskId,
        attemptKey: run.attemptKey,
        payload: toJsonText(output),
        publishedAt: clock.now(),
      });
      return { status: run.asyncComplete ? 'IN_PROGRESS' : 'COMPLETED', output };
    },
    async cancelled(_taskId, attemptKey, output) {
      const queue = output['event_produced'];
      if (typeof queue === 'string') await eventQueues.withdraw(queue, attemptKey);
    },
  };
}

/**
 * The queue that a sink names, or why there is none. `conductor` alone stands for the task's own
 * queue.
 */
function parseSink(sink: string, run: TaskRun): { queue: string } | { refused: string } {
  if (sink === '') return { refused: 'No sink specified for the event' };
  if (sink === 'conductor') return { queue: `conductor:${run.workflowName}:${run.ref}` };
  if (sink.startsWith('conductor:')) {
    const name = sink.slice('conductor:'.length);
    if (name === '') return { refused: `Invalid sink: ${sink}` };
    return { queue: `conductor:${run.workflowName}:${name}` };
  }
  if (sink.startsWith('conductor')) {
    return {
      refused: `Invalid / Unsupported sink specified: ${sink} (conductor or conductor:<name>)`,
    };
  }
  const colon = sink.indexOf(':');
  if (colon <= 0) return { refused: `Invalid / Unsupported sink specified: ${sink}` };
  const provider = sink.slice(0, colon);
  return {
    refused:
      `The event provider ${provider} is not available on this server: it publishes to conductor ` +
      `queues only (sink ${sink})`,
  };
}

/** What is published and shown: the input, what names the execution, and the queue. */
function outputOf(run: TaskRun, queue: string): JsonMap {
  return {
    ...run.storedInput,
    asyncComplete: run.asyncComplete,
    workflowInstanceId: run.workflowId,
    workflowType: run.workflowName,
    workflowVersion: run.workflowVersion,
    correlationId: run.correlationId ?? null,
    taskToDomain: { ...run.taskToDomain },
    event_produced: queue,
  };
}
