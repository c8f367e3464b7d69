// Event handlers (contract-core 18.1 to 18.3, contract-admin 17): their endpoints on every node,
// and what deals with messages on the leader.
import { callerOf } from './access/authenticator.js';
import { eventHandlerRoutes } from './api/events/handlers.js';
import { eventQueueRoutes } from './api/events/queues.js';
import { eventRecordRoutes } from './api/events/records.js';
import type { Area, AreaParts } from './area.js';
import { EventConsumer } from './event/event-consumer.js';
import { systemCaller, type Caller } from './model/caller.js';
import { eventHandlerForm, EventHandlers } from './operation/events/event-handlers.js';
import { queueConfigForm, QueueConfigs } from './operation/events/queue-configs.js';

export function eventArea(parts: AreaParts): Area {
  const { settings, access, administration, clock, log, operations, sandbox, stores } = parts;
  const { identities, tags, ownership, secretBox: box } = administration;
  const { eventRecords: records, events: queues } = stores;
  const { eventHandlersMax } = settings;
  const table = parts.tables.open(eventHandlerForm);
  const handlers = new EventHandlers({ table, records, access, ownership, tags, eventHandlersMax });
  const configs = new QueueConfigs({ table: parts.tables.open(queueConfigForm), box });
  const readable = new Set(settings.environmentNames);
  const ownerOf = (id: string): Caller | undefined =>
    settings.auth && id !== '' ? callerOf(id, identities) : { ...systemCaller, id };
  const consumer = new EventConsumer({
    ...{ operations, records, queues, handlers, clock },
    evaluate: async (request) => sandbox.tryInPlace(request) ?? (await sandbox.evaluate(request)),
    environment: (name) => (readable.has(name) ? process.env[name] : undefined),
    callerOf: ({ createdBy }) => ownerOf(createdBy),
    leadership: parts.leadership,
    failed: (error) => log.warn({ err: error }, 'messages of an event are tried again'),
  });
  return {
    endpoints: [
      ...eventHandlerRoutes({ handlers, tags }),
      ...eventRecordRoutes({ handlers, tags, operations, queues, records }),
      ...eventQueueRoutes({ configs, operations }),
    ],
    services: [consumer],
  };
}
