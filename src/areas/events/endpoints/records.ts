// Routes of messages for event handlers and of what became of them (contract-core 18.2,
// contract-admin 17.2).
import type { EventExecution, EventMessageRecord } from '../event-record.js';
import type { Caller } from '../../../model/caller.js';
import { parseJson } from '../../../model/json-text.js';
import type { JsonMap } from '../../../model/json.js';
import { receiveEvent, type ReceiveEventParts } from '../receive-event.js';
import type { EventRecordStore } from '../store/event-record-store.js';
import { body, endpoint, nothing, query, type Endpoint } from '../../../api/endpoint.js';
import { anyObject, list, time, type ValueOf } from '../../../model/schema.js';
import { eventExecutionSchema, eventMessageSchema, handledEventsSchema } from './schemas.js';

const base = '/api/event';

type ShownExecution = ValueOf<typeof eventExecutionSchema>;
type ShownMessage = ValueOf<typeof eventMessageSchema>;

export interface EventRecordParts extends ReceiveEventParts {}

export function eventRecordRoutes(parts: EventRecordParts): Endpoint[] {
  const { handlers, records } = parts;
  const from = { from: query(time('Oldest moment to show, epoch milliseconds')) };
  const read = {
    method: 'GET',
    access: { rule: 'each', type: 'EVENT_HANDLER', right: 'READ' },
  } as const;
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/handleIncomingEvent`,
      name: 'handleIncomingEvent',
      summary: 'Hands a message to the active handlers of the event that its field event names.',
      access: { rule: 'each', type: 'EVENT_HANDLER', right: 'EXECUTE' },
      audit: 'persons',
      body: body({ ...anyObject, description: 'With the field event' }),
      reply: nothing,
      errors: ['too-many'],
      handle: (request) => receiveEvent(parts, request.caller, request.jsonMap()),
    }),
    endpoint({
      ...read,
      pattern: `${base}/execution`,
      name: 'listHandledEvents',
      summary: 'Lists event handlers with how much they have dealt with.',
      reply: handledEventsSchema,
      handle: (request) => handled(parts, request.caller),
    }),
    endpoint({
      ...read,
      pattern: `${base}/message`,
      name: 'listHandledMessages',
      summary: 'Lists event handlers with how many messages their events have got.',
      parameters: from,
      reply: handledEventsSchema,
      handle: (request) => handled(parts, request.caller, request.queryLong('from')),
    }),
    endpoint({
      ...read,
      pattern: `${base}/execution/:name`,
      name: 'listEventExecutions',
      summary: 'Shows what the actions of a handler did, newest first.',
      access: { rule: 'target', type: 'EVENT_HANDLER', right: 'READ', id: 'name' },
      parameters: from,
      reply: list(eventExecutionSchema),
      handle: async (request) => {
        const name = request.param('name');
        const found = await records.executions(name, request.queryLong('from') ?? 0);
        const readable = found.filter(({ event }) => handlers.mayListen(request.caller, event));
        const payloads = await payloadsOf(records, readable);
        return found.map((execution) => ({
          ...shownExecution(parts, execution),
          ...fullPayloadOf('fullMessagePayload', payloads.get(execution.messageId) ?? ''),
        }));
      },
    }),
    endpoint({
      ...read,
      pattern: `${base}/message/:event`,
      name: 'listEventMessages',
      summary: 'Shows the messages of an event, newest first.',
      parameters: from,
      reply: list(eventMessageSchema),
      handle: async (request) => {
        const event = request.param('event');
        // A caller who may see no handler of the event sees none of its messages.
        if (handlers.listOfEvent(request.caller, event).length === 0) return [];
        if (!handlers.mayListen(request.caller, event)) return [];
        const found = await records.messages(event, request.queryLong('from') ?? 0);
        return found.map((message) => shownMessage(parts, request.caller, message));
      },
    }),
  ];
}

async function handled(
  { handlers, records }: EventRecordParts,
  caller: Caller,
  from?: number,
): Promise<ValueOf<typeof handledEventsSchema>> {
  const found = handlers.list(caller);
  const events = [...new Set(found.map(({ event }) => event))];
  const counts = new Map<string, number>();
  (await records.messageCounts(events, from ?? 0)).forEach((count, i) =>
    counts.set(events[i] as string, count),
  );
  const results = found.map(({ name, event, active, actions }) => ({
    ...{ name, event, active },
    numberOfActions: actions.length,
    numberOfMessages: counts.get(event) ?? 0,
  }));
  return { results, totalHits: results.length };
}

/** Payloads of the messages behind executions, by message id, as far as they are still kept. */
async function payloadsOf(
  records: EventRecordStore,
  executions: readonly EventExecution[],
): Promise<Map<string, string>> {
  const events = [...new Set(executions.map(({ event }) => event))];
  const messages = await Promise.all(events.map((event) => records.messages(event, 0)));
  return new Map(messages.flat().map(({ id, payload }) => [id, payload]));
}

function shownExecution({ handlers }: EventRecordParts, execution: EventExecution): ShownExecution {
  const handler = handlers.find(execution.name);
  return {
    ...execution,
    ...(handler && { eventHandler: handlers.shown(handler) }),
  };
}

function shownMessage(
  { handlers }: EventRecordParts,
  caller: Caller,
  message: EventMessageRecord,
): ShownMessage {
  const seen = message.eventExecutions.filter(({ name }) => handlers.mayRead(caller, name));
  return {
    ...message,
    eventExecutions: seen,
    ...fullPayloadOf('fullPayload', message.payload),
  };
}

/** The payload as an object, where it is one and was kept whole. */
function fullPayloadOf(
  field: 'fullPayload' | 'fullMessagePayload',
  text: string,
): { readonly [Field in typeof field]?: JsonMap } {
  if (!text.startsWith('{')) return {};
  try {
    return { [field]: parseJson(text) as JsonMap };
  } catch {
    return {}; // It was cut.
  }
}
