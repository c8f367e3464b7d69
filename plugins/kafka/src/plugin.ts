// Kafka: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { kafkaPublishTask } from './kafka-publish.js';
import { kafkaBroker } from './kafka.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'kafka',
  taskTypes: [kafkaPublishTask],
  brokerKinds: [kafkaBroker],
};
