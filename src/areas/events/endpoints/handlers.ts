// Routes of event handlers (contract-core 18.2, contract-admin 17.2).
import {
  eventHandler,
  parseEventHandler,
  toEventHandlerJson,
  type EventHandler,
} from '../event-handler.js';
import type { JsonMap } from '../../../model/json.js';
import type { EventHandlers } from '../event-handlers.js';
import type { Tags } from '../../../operation/tags/tags.js';
import {
  body,
  builtJson,
  endpoint,
  nothing,
  orNothing,
  query,
  type Endpoint,
} from '../../../api/endpoint.js';
import { flag, list } from '../../../model/schema.js';
import { tagRoutes } from '../../../api/tag-routes.js';

const base = '/api/event';
const sent = eventHandler.request.schema;
const shown = eventHandler.shown.schema;

export interface HandlerRouteParts {
  readonly handlers: EventHandlers;
  readonly tags: Tags;
}

export function eventHandlerRoutes(parts: HandlerRouteParts): Endpoint[] {
  const { handlers, tags } = parts;
  return [
    ...writeRoutes(parts),
    ...readRoutes(parts),
    ...tagRoutes({
      tags,
      type: 'EVENT_HANDLER',
      resource: `${base}/:name`,
      noun: 'EventHandler',
      variables: ['name'],
      check: (name) => void handlers.get(name),
    }),
  ];
}

/** A handler with its tags. */
export function shownHandler(tags: Tags, handler: EventHandler): JsonMap {
  return toEventHandlerJson(handler, [...tags.of('EVENT_HANDLER', handler.name)]);
}

function writeRoutes({ handlers }: HandlerRouteParts): Endpoint[] {
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
        await handlers.create(request.caller, requests);
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
        await handlers.update(request.caller, changed);
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:name`,
      name: 'deleteEventHandler',
      summary: 'Deletes an event handler and its records.',
      access: { rule: 'target', type: 'EVENT_HANDLER', right: 'DELETE', id: 'name' },
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => handlers.delete(request.param('name')),
    }),
  ];
}

function readRoutes({ handlers, tags }: HandlerRouteParts): Endpoint[] {
  const listed = {
    method: 'GET',
    access: { rule: 'each', type: 'EVENT_HANDLER', right: 'READ' },
  } as const;
  return [
    endpoint({
      ...listed,
      pattern: base,
      name: 'listEventHandlers',
      summary: 'Lists event handlers by name.',
      reply: builtJson(list(shown)),
      handle: (request) =>
        handlers.list(request.caller).map((handler) => shownHandler(tags, handler)),
    }),
    endpoint({
      ...listed,
      pattern: `${base}/:event`,
      name: 'listEventHandlersOfEvent',
      summary: 'Lists the event handlers of exactly this event.',
      parameters: { activeOnly: query(flag('', { default: true })) },
      reply: builtJson(list(shown)),
      handle: (request) => {
        const activeOnly = request.queryBoolean('activeOnly', true);
        const found = handlers
          .list(request.caller, request.param('event'))
          .filter(({ active }) => active || !activeOnly);
        return found.map((handler) => shownHandler(tags, handler));
      },
    }),
    endpoint({
      ...listed,
      pattern: `${base}/handler`,
      name: 'probeEventHandlers',
      summary: 'Shows any event handler: clients ask this to see whether the server answers.',
      reply: orNothing(builtJson(shown)),
      handle: (request) => {
        const [first] = handlers.list(request.caller);
        return first === undefined ? undefined : shownHandler(tags, first);
      },
    }),
    endpoint({
      ...listed,
      pattern: `${base}/handler/:name`,
      name: 'getEventHandler',
      summary: 'Shows an event handler; an unknown one has no body.',
      access: { rule: 'target', type: 'EVENT_HANDLER', right: 'READ', id: 'name' },
      reply: orNothing(builtJson(shown)),
      handle: (request) => {
        const handler = handlers.find(request.param('name'));
        return handler === undefined ? undefined : shownHandler(tags, handler);
      },
    }),
  ];
}
