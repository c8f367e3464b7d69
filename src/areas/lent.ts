// What the kernel asks of areas: contracts of the kernel, each kept by the one area that lends it
// (area.ts). They stand before executions do, since executions ask them from their first step on.
import type { StatusListeners } from '../engine/context.js';
import type { BrokerSender, RequirePublishRight } from '../broker/publishing.js';
import type { EventPublisher } from '../shard/executions.js';
import type { EventSink } from '../store/event-sink.js';

export interface Lent {
  /** Who is told of changes of status (semantics 2.14). */
  readonly listeners: StatusListeners;
  /** Takes the events that are meant for an outgoing webhook. */
  readonly deliveries: EventPublisher;
  /** Publishes on queues of the server and of brokers. */
  readonly eventSink: EventSink;
  /** Publishes at a broker that is known already. */
  readonly brokerSender: BrokerSender;
  /** Whether who started an execution may publish on a queue. */
  readonly requirePublishRight: RequirePublishRight;
}
