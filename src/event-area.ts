// Event handlers (contract-core 18.1 to 18.3, contract-admin 17): their endpoints on every node.
import { eventHandlerRoutes } from './api/events/handlers.js';
import type { Area, AreaParts } from './area.js';
import { eventHandlerForm, EventHandlers } from './operation/events/event-handlers.js';

export function eventArea(parts: AreaParts): Area {
  const { settings, access, administration } = parts;
  const { tags, ownership } = administration;
  const handlers = new EventHandlers({
    ...{ access, ownership, tags },
    table: parts.tables.open(eventHandlerForm),
    records: parts.stores.eventRecords,
    eventHandlersMax: settings.eventHandlersMax,
  });
  return { endpoints: eventHandlerRoutes({ handlers, tags }), services: [] };
}
