// The kinds of message brokers that this server connects to.
import { amqpBroker } from './amqp.js';
import type { BrokerKind } from './broker-kind.js';
import { kafkaBroker } from './kafka.js';
import { natsBroker } from './nats.js';
import { redisStreamBroker } from './redis-stream.js';
import { sqsBroker } from './sqs.js';

export const brokerKinds: readonly BrokerKind[] = [
  redisStreamBroker,
  natsBroker,
  amqpBroker,
  kafkaBroker,
  sqsBroker,
];

const byEventKind = new Map(
  brokerKinds.flatMap((kind) => kind.eventKinds.map((name) => [name, kind] as const)),
);

/** The kind that the first part of an event's name means. */
export function brokerKindOf(eventKind: string): BrokerKind | undefined {
  return byEventKind.get(eventKind);
}
