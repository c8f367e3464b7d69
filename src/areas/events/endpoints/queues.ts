// Routes of the queues of brokers that events name (contract-core 18.2, contract-admin 17.2).
import { AppError } from '../../../model/errors.js';
import { parseJsonOrNull } from '../../../model/json-text.js';
import type { JsonMap } from '../../../model/json.js';
import type { OperationContext } from '../../../operation/context.js';
import type { BrokerTargets } from '../brokers/broker-targets.js';
import { eventSourceSchema } from '../dead-letter.js';
import type { EventHandlers } from '../event-handlers.js';
import type { QueueConfigs } from '../brokers/queue-configs.js';
import { testConnectivity } from '../brokers/test-connectivity.js';
import type { EventSourceStore } from '../store/dead-letter-store.js';
import { body, endpoint, nothing, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { anyObject, anything, flag, list, mapOf, object, text } from '../../../model/schema.js';
import type { RouteRequest } from '../../../api/route.js';

const queues = '/api/event/queue';
/** The settings of a broker hold its passwords. */
const access: AccessRule = { rule: 'permission', anyOf: ['EVENT_HANDLER_MANAGEMENT'] };

export interface EventQueueParts {
  readonly configs: QueueConfigs;
  readonly targets: BrokerTargets;
  readonly operations: OperationContext;
  readonly states: EventSourceStore;
  readonly handlers: EventHandlers;
}

export function eventQueueRoutes(parts: EventQueueParts): Endpoint[] {
  const { configs, operations, states, targets, handlers } = parts;
  const one = { pattern: `${queues}/config/:queueType/:queueName`, access, parameters: {} };
  return [
    endpoint({
      method: 'GET',
      pattern: `${queues}/config`,
      name: 'listEventQueues',
      summary: 'Lists the settings of queues by type:name, as JSON text.',
      access,
      audit: 'secret-reads',
      reply: mapOf(text()),
      handle: async () => Object.fromEntries(await configs.list()),
    }),
    endpoint({
      ...one,
      method: 'GET',
      name: 'getEventQueue',
      summary: 'Shows the settings of a queue.',
      audit: 'secret-reads',
      reply: anyObject,
      errors: ['not-found'],
      handle: (request) => configs.get(request.param('queueType'), request.param('queueName')),
    }),
    endpoint({
      ...one,
      method: 'PUT',
      name: 'putEventQueue',
      summary: 'Stores the settings of a queue: an object, or a text that holds one.',
      body: body(anything, false),
      reply: nothing,
      handle: async (request) => {
        const settings = settingsOf(request);
        await configs.put(request.param('queueType'), request.param('queueName'), settings);
      },
    }),
    endpoint({
      ...one,
      method: 'DELETE',
      name: 'deleteEventQueue',
      summary: 'Removes the settings of a queue; nothing happens when there are none.',
      reply: nothing,
      handle: (request) => configs.delete(request.param('queueType'), request.param('queueName')),
    }),
    endpoint({
      method: 'GET',
      pattern: `${queues}/source`,
      name: 'listEventSources',
      summary: 'Shows how the connections stand from which messages of brokers are taken.',
      access,
      reply: list(eventSourceSchema),
      handle: async () => {
        const found = (await states.states()).sort((a, b) => (a.id < b.id ? -1 : 1));
        const shown = found.map(async (state) => ({
          ...state,
          // Handlers that share a connection come and go while it stands.
          ...(state.id.startsWith('event:')
            ? { handlers: handlers.activeOf(state.event).map(({ name }) => name) }
            : {}),
          unusedSettings: await targets.unusedSettings(state.event),
        }));
        return await Promise.all(shown);
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${queues}/connectivity`,
      name: 'testEventQueue',
      summary: 'Publishes an event by an execution of its own and tells whether that worked.',
      access,
      body: body(object('ConnectivityTest', { sink: text(), input: anyObject }, ['sink'])),
      reply: object(
        'ConnectivityTestResult',
        { successful: flag(), reason: text(), workflowId: text() },
        ['successful', 'reason', 'workflowId'],
      ),
      handle: (request) => testConnectivity(operations, request.caller, request.jsonMap()),
    }),
  ];
}

/** Clients send an object, a text that holds one, and Java sends no body (contract-admin 0.3). */
function settingsOf(request: RouteRequest): JsonMap {
  if (!request.hasBody) return {};
  const sent = request.json();
  const settings = typeof sent === 'string' ? parseJsonOrNull(sent) : sent;
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings)) {
    throw new AppError('bad-request', 'The body must be an object, or a text that holds one');
  }
  return settings;
}
