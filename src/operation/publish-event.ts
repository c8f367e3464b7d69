// Publishes the events that executions tell of state changes (semantics 2.14.4), on the queues that
// EVENT tasks use. A plain type is the name of a queue of the workflow.
import { AppError } from '../model/errors.js';
import { parseSink } from '../model/event-sink.js';
import { toJsonText } from '../model/json-text.js';
import type { EventPublisher } from '../shard/executions.js';
import type { EventSink } from '../store/event-sink.js';

export function createEventPublisher(eventSink: EventSink): EventPublisher {
  return {
    async publish({ sink, source, taskId, key, payload }) {
      const named = sink === '' || sink.includes(':') ? sink : `conductor:${sink}`;
      const target = parseSink(named, source);
      if ('refused' in target) throw new AppError('bad-request', target.refused);
      const event = { id: taskId, attemptKey: key, payload: toJsonText(payload) };
      await eventSink.publish(target.queue, event);
    },
  };
}
