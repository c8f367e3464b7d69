// Routes of event handlers that other resources have not (contract-core 18.2, contract-admin 17.2):
// the body of a creation may be a list, and handlers are found by their event.
import { eventHandler, parseEventHandler } from '../event-handler.js';
import type { EventHandlers } from '../event-handlers.js';
import { body, endpoint, nothing, orNothing, query, type Endpoint } from '../../../api/endpoint.js';
import { flag, list } from '../../../model/schema.js';

const base = '/api/event';
const sent = eventHandler.request.schema;
const shown = eventHandler.shown.schema;

export function eventHandlerRoutes(handlers: EventHandlers): Endpoint[] {
  return [...writeRoutes(handlers), ...readRoutes(handlers)];
}

function writeRoutes(handlers: EventHandlers): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'addEventHandlers',
      summary: 'Creates event handlers, all of the body or none.',
      access: { rule: 'each', type: 'EVENT_HANDLER', right: 'CREATE' },
      body: body({ anyOf: [sent, list(sent)] }),
      reply: nothing,
      errors: ['conflict', 'validation'],
      handle: async (request) => {
        const input = request.json();
        const requests = Array.isArray(input)
          ? input.map((one, i) => parseEventHandler(one, `addEventHandler.arg0[${i}]`))
          : [parseEventHandler(input, 'addEventHandler.arg0')];
        request.noteObjects(requests.map(({ name }) => name));
        await handlers.createAll(request.caller, requests);
      },
    }),
    endpoint({
      method: 'PUT',
      pattern: base,
      name: 'updateEventHandler',
      summary: 'Replaces an event handler.',
      access: { rule: 'each', type: 'EVENT_HANDLER', right: 'UPDATE' },
      body: body(sent),
      reply: nothing,
      errors: ['not-found', 'validation'],
      handle: async (request) => {
        const changed = parseEventHandler(request.json(), 'updateEventHandler.arg0');
        request.noteObject(changed.name);
        await handlers.replace(request.caller, changed.name, changed);
      },
    }),
  ];
}

function readRoutes(handlers: EventHandlers): Endpoint[] {
  const listed = {
    method: 'GET',
    access: { rule: 'each', type: 'EVENT_HANDLER', right: 'READ' },
  } as const;
  return [
    endpoint({
      ...listed,
      pattern: `${base}/:event`,
      name: 'listEventHandlersOfEvent',
      summary: 'Lists the event handlers of exactly this event.',
      parameters: { activeOnly: query(flag('', { default: true })) },
      reply: list(shown),
      handle: (request) => {
        const activeOnly = request.queryBoolean('activeOnly');
        const found = handlers
          .listOfEvent(request.caller, request.param('event'))
          .filter(({ active }) => active || !activeOnly);
        return found.map((handler) => handlers.shown(handler));
      },
    }),
    endpoint({
      ...listed,
      pattern: `${base}/handler`,
      name: 'probeEventHandlers',
      summary: 'Shows any event handler: clients ask this to see whether the server answers.',
      reply: orNothing(shown),
      handle: (request) => {
        const [first] = handlers.list(request.caller);
        return first === undefined ? undefined : handlers.shown(first);
      },
    }),
  ];
}
