// Shows the plug-ins of the node that answers, with their settings.
import { endpoint, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as schema from '../model/schema.js';
import type { PluginView } from '../plugin/plugin-view.js';

const settingSchema = schema.object(
  'PluginSetting',
  {
    name: schema.text('As it is given, without --'),
    about: schema.text('Its meaning'),
    default: schema.text(),
    value: schema.text('In force; absent where it is secret'),
  },
  ['name', 'about', 'default'],
);

const pluginSchema = schema.object(
  'Plugin',
  {
    name: schema.text(),
    state: schema.oneOf(
      ['used', 'failed', 'absent'],
      'failed: it is installed and cannot be used; absent: it is not installed',
    ),
    version: schema.text('Of its package, where it is used'),
    brings: schema.list(schema.text(), 'Task types, events, stores, documents and routes'),
    install: schema.text('The command that installs it, where it is absent'),
    trouble: schema.text('Why it is not used, or what it says is wrong'),
    settings: schema.list(settingSchema, 'Of one that is used'),
  },
  ['name', 'state', 'brings', 'settings'],
);

export function pluginRoutes(view: () => readonly PluginView[]): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/admin/plugins',
      name: 'listPlugins',
      summary: 'Shows the plug-ins that the server knows, their settings and how they do.',
      access: administrators,
      reply: schema.list(pluginSchema),
      handle: () => view(),
    }),
  ];
}
