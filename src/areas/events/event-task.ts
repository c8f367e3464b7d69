// EVENT (semantics 4.12): publishes the task's output on a queue. `conductor` queues are kept by
// the server itself, the others are those of brokers; a task whose broker does not take the event
// fails and says why. A broker of an integration needs the right of who started the execution.
import { isBrokerError } from '../../broker/broker-error.js';
import type { JsonMap } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { parseSink } from '../../model/event-sink.js';
import { Payload } from '../../model/payload.js';
import { required } from '../../engine/task-types/checks.js';
import {
  failed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskRun,
} from '../../system-task/system-task.js';

export const eventTask: SystemTaskType = systemTaskType({
  name: 'EVENT',
  reaches: [
    {
      right: 'EXECUTE',
      target: 'INTEGRATION_PROVIDER',
      named: '`sink`, where an integration serves it',
    },
  ],
  check: (config) => (config.sink === undefined ? [required(config, 'sink')] : []),
  input(source, { sink = null, asyncComplete }) {
    const evaluated = source.evaluate('sink', sink);
    return Payload.of({ ...source.parameters().value, sink: evaluated, asyncComplete });
  },
  shownInput: ({ sink = null, asyncComplete }) => ({ sink, asyncComplete }),
  hasLimits: false,
  needs: ['eventSink', 'requirePublishRight'],
  create: createEventTask,
});

export function createEventTask({
  eventSink,
  requirePublishRight,
}: Pick<SystemTaskServices, 'eventSink' | 'requirePublishRight'>): SystemTask {
  return systemTask({
    async run(run) {
      const sink = run.storedInput['sink'];
      const target = parseSink(typeof sink === 'string' ? sink.trim() : '', run);
      if ('refused' in target) return failed(target.refused);
      const output = outputOf(run, target.queue);
      const { taskId: id, attemptKey, trace } = run;
      try {
        requirePublishRight(run.startedBy, target.queue);
        const payload = toJsonText(output);
        await eventSink.publish(target.queue, { id, attemptKey, payload, trace });
      } catch (error) {
        if (isBrokerError(error)) return failed(error.message, output);
        throw error;
      }
      return { status: run.asyncComplete ? 'IN_PROGRESS' : 'COMPLETED', output };
    },
    async cancelled(_taskId, attemptKey, output) {
      const queue = output['event_produced'];
      if (typeof queue === 'string') await eventSink.withdraw(queue, attemptKey);
    },
  });
}

/** The published and shown output: the input, the names of the execution, and the queue. */
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
