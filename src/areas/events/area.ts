// Event handlers and brokers (contract-core 18.1 to 18.3, contract-admin 17): queues of events
// inside the server, connections to brokers, what handlers do with messages on the leader, and what
// they gave up. Executions publish through what this area lends.
import type { BrokerWays } from '../../broker/broker-kind.js';
import type { OutboundClient } from '../../system-task/outbound-client.js';
import { area } from '../area.js';
import { BrokerSinks } from './brokers/broker-sinks.js';
import { BrokerTargets } from './brokers/broker-targets.js';
import { createPublishRight } from './brokers/publish-right.js';
import { queueConfigCodec, QueueConfigs } from './brokers/queue-configs.js';
import { eventChecks, eventFindings } from './checks.js';
import { BrokerConsumers } from './consume/broker-consumers.js';
import { EventConsumer } from './consume/event-consumer.js';
import { adminQueueRoutes } from './endpoints/admin-queues.js';
import { deadLetterRoutes } from './endpoints/dead-letters.js';
import { handlerTrialRoutes } from './endpoints/handler-trial.js';
import { eventHandlerRoutes } from './endpoints/handlers.js';
import { eventQueueRoutes } from './endpoints/queues.js';
import { eventRecordRoutes } from './endpoints/records.js';
import { eventHandler, ownerOfHandler } from './event-handler.js';
import { EventHandlers } from './event-handlers.js';
import type { DeliveryParts } from './handle/deliver-message.js';
import { eventTask } from './event-task.js';
import { eventSettings } from './settings.js';
import { RedisDeadLetterStore } from './store/redis-dead-letter-store.js';
import { RedisEventQueueStore } from './store/redis-event-queue-store.js';
import { RedisEventRecordStore } from './store/redis-event-record-store.js';

/** Of a queue inside the server, and how long one waits there, ms. */
const messagesMax = 10_000;
const ageMsMax = 86_400_000;

export const events = area({
  name: 'events',
  about: 'Event handlers, queues of events, and brokers that events come from and go to.',
  settings: eventSettings,
  records: { handlers: eventHandler.record, queueConfigs: queueConfigCodec },
  stores: (redis, settings, { retentionMs: lifeMs }) => ({
    queues: new RedisEventQueueStore(redis, { messagesMax, ageMsMax }),
    records: new RedisEventRecordStore(redis, { recordsMax: settings.eventRecordsMax, lifeMs }),
    deadLetters: new RedisDeadLetterStore(redis, { recordsMax: settings.deadLettersMax, lifeMs }),
  }),
  findings: eventFindings,
  checks: eventChecks,
  taskTypes: [eventTask],
  needsFirst: [
    ...(['clock', 'access', 'secretBox', 'starterOf', 'outbound', 'outboundRules'] as const),
    ...(['integrations', 'brokerKinds'] as const),
  ],
  lends: ['eventSink', 'brokerSender', 'requirePublishRight'],
  begin(ports, { records, stores: { queues } }) {
    const { clock, access, secretBox: box, starterOf, integrations, brokerKinds } = ports;
    const configs = new QueueConfigs({ table: records.queueConfigs, box });
    const targets = new BrokerTargets({ integrations, configs, kinds: brokerKinds });
    const ways: BrokerWays = { guard: ports.outboundRules, send: sendThrough(ports.outbound) };
    const sinks = new BrokerSinks({ targets, queues, ways, clock });
    const requirePublishRight = createPublishRight({ targets, access, starter: starterOf });
    const lent = { eventSink: sinks, brokerSender: sinks, requirePublishRight };
    return { lent, configs, targets, ways, sinks };
  },
  metrics: {
    brokersUnreachable: {
      name: 'downbeat_brokers_unreachable',
      kind: 'gauge',
      help: 'Connections to brokers that this node wants and has not',
    },
  },
  needs: [
    ...(['clock', 'log', 'access', 'ownership', 'tags', 'ownerOf', 'operations'] as const),
    ...(['leadership', 'evaluate', 'evaluateInPlace', 'environment', 'nodeName'] as const),
  ],
  build(ports, { settings, records: { handlers: table }, stores, metrics, begun }) {
    const { clock, log, access, ownership, tags, ownerOf, operations, leadership } = ports;
    const { queues, records, deadLetters } = stores;
    const { configs, targets, ways, sinks } = begun;
    const integrationOf = (event: string): string | undefined => targets.integrationOf(event);
    const handlers = new EventHandlers({
      ...{ records, deadLetters, clock, access, ownership, tags, table },
      definitions: operations.definitions,
      integrationOf,
      eventHandlersMax: settings.eventHandlersMax,
    });
    const delivery: DeliveryParts = {
      ...{ operations, clock, records, deadLetters, integrationOf },
      environment: ports.environment,
      evaluate: async (request) =>
        ports.evaluateInPlace(request) ?? (await ports.evaluate(request)),
      callerOf: (handler) => ownerOf(ownerOfHandler(handler)),
    };
    const failed = (error: unknown): void =>
      log.warn({ err: error }, 'messages of an event are tried again');
    const consumer = new EventConsumer({ ...delivery, queues, handlers, leadership, failed });
    const consumers = new BrokerConsumers({
      ...{ ...delivery, handlers, leadership, targets, ways, failed },
      states: deadLetters,
      attemptsMax: settings.eventAttemptsMax,
      prefetchMax: settings.eventPrefetchMax,
      node: ports.nodeName,
    });
    metrics.gauge('brokersUnreachable', () => consumers.unreachable);
    return {
      endpoints: [
        ...handlers.endpoints(),
        ...eventHandlerRoutes(handlers),
        ...handlerTrialRoutes({ ...delivery, handlers }),
        ...eventRecordRoutes({ handlers, operations, queues, records }),
        ...eventQueueRoutes({ configs, targets, operations, handlers, states: deadLetters }),
        ...adminQueueRoutes({ handlers, store: queues }),
        ...deadLetterRoutes({ handlers, delivery }),
      ],
      services: [sinks, consumer, consumers],
      healthDetails: () =>
        consumers.unreachable === 0 ? {} : { unreachableBrokers: consumers.unreachable },
    };
  },
});

/** How kinds of brokers that speak HTTP send a request. */
function sendThrough(client: OutboundClient): BrokerWays['send'] {
  return ({ timeoutMs, ...request }) =>
    client.request({
      ...{ ...request, method: 'POST', followRedirects: false },
      connectTimeoutMs: timeoutMs,
      readTimeoutMs: timeoutMs,
    });
}
