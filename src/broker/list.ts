// The kinds of message brokers that the server connects to without a plug-in.
import { amqpBroker } from './amqp.js';
import type { BrokerKind } from './broker-kind.js';
import { kafkaBroker } from './kafka.js';
import { natsBroker } from './nats.js';
import { redisStreamBroker } from './redis-stream.js';
import { sqsBroker } from './sqs.js';

export const ownBrokerKinds: readonly BrokerKind[] = [
  redisStreamBroker,
  natsBroker,
  amqpBroker,
  kafkaBroker,
  sqsBroker,
];
