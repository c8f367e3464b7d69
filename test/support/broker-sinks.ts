// What publishes events where no connection to a broker is stored.
import { BrokerSinks } from '../../src/areas/events/brokers/broker-sinks.js';
import { BrokerTargets } from '../../src/areas/events/brokers/broker-targets.js';
import { brokerKinds } from './every-plugin.js';
import type { Clock } from '../../src/std/clock.js';
import type { EventQueueStore } from '../../src/areas/events/store/event-queue-store.js';
import { AccessRules } from '../../src/system-task/outbound-access.js';

export function sinksWithoutBrokers(queues: EventQueueStore, clock: Clock): BrokerSinks {
  const none = (): never => {
    throw new Error('nothing is stored');
  };
  const nothing = (): Promise<never> => Promise.reject(new Error('nothing is stored'));
  const targets = new BrokerTargets({
    integrations: { find: () => undefined, get: none, openProvider: nothing },
    configs: { versionOf: () => undefined, get: nothing },
    kinds: brokerKinds,
  });
  const guard = new AccessRules({ allowInside: true, allowedHosts: [] });
  return new BrokerSinks({ targets, queues, clock, ways: { guard, send: nothing } });
}
