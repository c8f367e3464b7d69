// Integrations (contract-admin 14): connections to other systems as administrators store them, with
// the models that each offers. Tasks use them through what the area lends.
import type { PluginTokenBudget } from '../../plugin/plugin.js';
import { area } from '../area.js';
import { integrationRoutes } from './endpoints.js';
import { OpenedIntegrations } from './integration-use.js';
import { model, provider } from './integration.js';
import { Integrations } from './integrations.js';
import { definitionRecord, ProviderDefinitions } from './provider-definitions.js';
import { integrationSettings } from './settings.js';
import { limitCodec, TokenUsage, usageCodec } from './token-usage.js';

export const integrations = area({
  name: 'integrations',
  about: 'Connections to models, brokers, databases and other systems, which tasks name.',
  settings: integrationSettings,
  records: {
    providers: provider.record,
    apis: model.record,
    definitions: definitionRecord,
    usage: usageCodec,
    limits: limitCodec,
  },
  needsFirst: [
    ...(['clock', 'access', 'ownership', 'tags', 'secretBox', 'vectors'] as const),
    ...(['starterOf', 'failed'] as const),
  ],
  lends: ['integrationUse', 'tokenBudget'],
  provides: ['integrations'],
  begin(ports, { settings, records }) {
    const { secretBox: box, starterOf, failed, ...more } = ports;
    const { clock } = more;
    const { providers: table, apis, ...tables } = records;
    const usage = new TokenUsage({ usage: tables.usage, limits: tables.limits, clock });
    const definitions = new ProviderDefinitions(tables.definitions);
    const { integrationsMax } = settings;
    const registered = new Integrations({
      ...{ ...more, table, apis, usage, box, integrationsMax },
      categoryOf: (type) => definitions.categoryOf(type),
    });
    const use = new OpenedIntegrations(registered, starterOf);
    const tokenBudget: PluginTokenBudget = {
      requireRoom: (provider, api) => usage.requireRoom(provider, api),
      add: (provider, api, used) => usage.add(provider, api, used).catch(failed),
    };
    return {
      lent: { integrationUse: use, tokenBudget },
      ports: { integrations: registered },
      ...{ registered, definitions, usage },
    };
  },
  needs: ['log', 'tags'],
  build: (ports, { begun: { registered, definitions, usage } }) => ({
    endpoints: integrationRoutes({ ...ports, integrations: registered, definitions, usage }),
  }),
});
