// NATS and NATS JetStream: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { natsBroker } from './nats.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'nats',
  brokerKinds: [natsBroker],
};
