// Message brokers: their connections as administrators store them (contract-admin 14, 17.2), and
// what publishes on their queues. The area of events takes messages out of them.
import type { Administration } from './administration.js';
import type { BrokerWays } from '../broker/broker-kind.js';
import type { BrokerKinds } from '../broker/broker-kinds.js';
import { BrokerSinks } from '../operation/events/broker-sinks.js';
import { BrokerTargets } from '../operation/events/broker-targets.js';
import { createPublishRight, type RequirePublishRight } from '../operation/events/publish-right.js';
import { queueConfigForm, QueueConfigs } from '../operation/events/queue-configs.js';
import type { Integrations } from '../operation/integrations/integrations.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { Clock } from '../std/clock.js';
import type { EventQueueStore } from '../store/event-queue-store.js';
import { AccessRules, type OutboundAccess } from '../system-task/outbound-access.js';
import type { OutboundClient } from '../system-task/outbound-client.js';

export interface BrokersParts {
  readonly tables: RecordTables;
  readonly administration: Administration;
  readonly integrations: Integrations;
  readonly queues: EventQueueStore;
  readonly client: OutboundClient;
  readonly outbound: OutboundAccess;
  readonly clock: Clock;
  readonly kinds: BrokerKinds;
}

export class Brokers {
  readonly configs: QueueConfigs;
  readonly targets: BrokerTargets;
  readonly sinks: BrokerSinks;
  readonly ways: BrokerWays;
  readonly requireRight: RequirePublishRight;

  constructor(parts: BrokersParts) {
    const { tables, administration, integrations, queues, client, outbound, clock } = parts;
    const box = administration.secretBox;
    this.configs = new QueueConfigs({ table: tables.open(queueConfigForm), box });
    this.targets = new BrokerTargets({ integrations, configs: this.configs, kinds: parts.kinds });
    this.requireRight = createPublishRight({
      targets: this.targets,
      access: administration.access,
      starter: (startedBy) => administration.starter(startedBy),
    });
    this.ways = {
      guard: new AccessRules(outbound),
      send: ({ timeoutMs, ...request }) =>
        client.request({
          ...request,
          method: 'POST',
          connectTimeoutMs: timeoutMs,
          readTimeoutMs: timeoutMs,
          followRedirects: false,
        }),
    };
    this.sinks = new BrokerSinks({ targets: this.targets, queues, ways: this.ways, clock });
  }
}
