// The kinds of message brokers that the server connects to without a plug-in.
import type { BrokerKind } from './broker-kind.js';
import { redisStreamBroker } from './redis-stream.js';

export const ownBrokerKinds: readonly BrokerKind[] = [redisStreamBroker];
