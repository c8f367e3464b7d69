// Mail and paging: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { opsgenieTask } from './opsgenie.js';
import { sendgridTask } from './sendgrid.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'mail',
  taskTypes: [sendgridTask, opsgenieTask],
};
