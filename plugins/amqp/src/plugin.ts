// AMQP 0.9.1, as RabbitMQ speaks it: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { amqpBroker } from './amqp.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'amqp',
  brokerKinds: [amqpBroker],
};
