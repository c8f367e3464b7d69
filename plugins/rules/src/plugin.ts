// Rules from files: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { businessRuleTask } from './business-rule.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'rules',
  taskTypes: [businessRuleTask],
};
