// Amazon SQS: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { sqsBroker } from './sqs.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'sqs',
  brokerKinds: [sqsBroker],
};
