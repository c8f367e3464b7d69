// Event handlers (contract-core 18.1 to 18.3, contract-admin 17): their endpoints on every node,
// and what deals with messages on the leader.
import { adminQueueRoutes } from '../api/events/admin-queues.js';
import { deadLetterRoutes } from '../api/events/dead-letters.js';
import { eventHandlerRoutes } from '../api/events/handlers.js';
import { handlerTrialRoutes } from '../api/events/handler-trial.js';
import { eventQueueRoutes } from '../api/events/queues.js';
import { eventRecordRoutes } from '../api/events/records.js';
import type { Area, AreaParts } from './area.js';
import { ownerIdOf } from '../model/owner-of-record.js';
import { BrokerConsumers } from '../event/broker-consumers.js';
import { EventConsumer } from '../event/event-consumer.js';
import type { DeliveryParts } from '../operation/events/deliver-message.js';
import { eventHandlerForm, EventHandlers } from '../operation/events/event-handlers.js';

export function eventArea(parts: AreaParts): Area {
  const { settings, access, administration, log, operations, stores, brokers, leadership } = parts;
  const { tags, ownership } = administration;
  const { eventRecords: records, events: queues, deadLetters } = stores;
  const { targets, ways, configs, sinks } = brokers;
  const handlers = new EventHandlers({
    ...{ records, deadLetters, access, ownership, tags },
    definitions: operations.definitions,
    table: parts.tables.open(eventHandlerForm),
    integrationOf: (event) => targets.integrationOf(event),
    eventHandlersMax: settings.eventHandlersMax,
  });
  const delivery = deliveryParts(parts);
  const failed = (error: unknown): void =>
    log.warn({ err: error }, 'messages of an event are tried again');
  const consumer = new EventConsumer({ ...delivery, queues, handlers, leadership, failed });
  const consumers = new BrokerConsumers({
    ...delivery,
    ...{ handlers, leadership, targets, ways, failed },
    states: deadLetters,
    attemptsMax: settings.eventAttemptsMax,
    prefetchMax: settings.eventPrefetchMax,
    node: parts.nodeId,
  });
  return {
    endpoints: [
      ...eventHandlerRoutes({ handlers, tags }),
      ...handlerTrialRoutes({ ...delivery, handlers }),
      ...eventRecordRoutes({ handlers, tags, operations, queues, records }),
      ...eventQueueRoutes({ configs, targets, operations, handlers, states: deadLetters }),
      ...adminQueueRoutes({ handlers, store: queues }),
      ...deadLetterRoutes({ handlers, delivery }),
    ],
    services: [sinks, consumer, consumers],
    healthDetails: () =>
      consumers.unreachable === 0 ? {} : { unreachableBrokers: consumers.unreachable },
  };
}

/** What messages are dealt with. */
function deliveryParts(parts: AreaParts): DeliveryParts {
  const { settings, administration, clock, operations, sandbox, stores } = parts;
  const readable = new Set(settings.environmentNames);
  return {
    ...{ operations, clock },
    records: stores.eventRecords,
    deadLetters: stores.deadLetters,
    evaluate: async (request) => sandbox.tryInPlace(request) ?? (await sandbox.evaluate(request)),
    environment: (name) => (readable.has(name) ? process.env[name] : undefined),
    callerOf: (handler) => administration.owner(ownerIdOf(handler)),
  };
}
