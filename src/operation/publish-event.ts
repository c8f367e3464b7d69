// Publishes the events that executions tell of state changes (semantics 2.14.4), on the queues that
// EVENT tasks use. A plain type is the name of a queue of the workflow.
import type { Clock } from '../std/clock.js';
import { AppError } from '../model/errors.js';
import { parseSink } from '../model/event-sink.js';
import { toJsonText } from '../model/json-text.js';
import type { EventPublisher } from '../shard/executions.js';
import type { EventQueueStore } from '../store/event-queue-store.js';

export function createEventPublisher(parts: {
  readonly queues: EventQueueStore;
  readonly clock: Clock;
}): EventPublisher {
  return {
    async publish({ sink, source, taskId, key, payload }) {
      const named = sink === '' || sink.includes(':') ? sink : `conductor:${sink}`;
      const target = parseSink(named, source);
      if ('refused' in target) throw new AppError('bad-request', target.refused);
      await parts.queues.publish(target.queue, {
        id: taskId,
        attemptKey: key,
        payload: toJsonText(payload),
        publishedAt: parts.clock.now(),
      });
    },
  };
}
