// Publishes the events that executions tell of state changes (semantics 2.14.4), on the queues that
// EVENT tasks use. A plain type is the name of a queue of the workflow.
import { AppError } from '../model/errors.js';
import { parseStateSink } from '../model/event-sink.js';
import { toJsonText } from '../model/json-text.js';
import type { EventPublisher } from '../shard/executions.js';
import type { EventSink } from '../store/event-sink.js';
import type { RequirePublishRight } from './events/publish-right.js';

export interface EventPublisherParts {
  readonly eventSink: EventSink;
  readonly requireRight: RequirePublishRight;
  /** Sinks of the settings: an operator has chosen them, so nobody needs a right. */
  readonly serverSinks: readonly string[];
}

export function createEventPublisher(parts: EventPublisherParts): EventPublisher {
  const { eventSink, requireRight, serverSinks } = parts;
  return {
    async publish({ sink, source, startedBy, taskId, key, payload }) {
      const target = parseStateSink(sink, source);
      if ('refused' in target) throw new AppError('bad-request', target.refused);
      if (!serverSinks.includes(sink)) requireRight(startedBy, target.queue);
      const event = { id: taskId, attemptKey: key, payload: toJsonText(payload) };
      await eventSink.publish(target.queue, event);
    },
  };
}
