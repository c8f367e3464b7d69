// Routes of integration providers and of what kinds there are (contract-admin 14.2).
import { parseProvider, parseProviders } from './integration.js';
import { checkProviderName } from './integration.js';
import { present } from '../../model/record-reader.js';
import type { JsonMap } from '../../model/json.js';
import type { Caller } from '../../model/caller.js';
import type { IntegrationFilter, Integrations } from './integrations.js';
import type { ProviderDefinitions } from './provider-definitions.js';
import { body, query, replies, type Endpoint } from '../../api/endpoint.js';
import { flag, list, text } from '../../api/form.js';
import { empty, json, type RouteRequest } from '../../api/route.js';
import { definitionForm, providerForm, providerUpdateForm } from './forms.js';

export const integrationsBase = '/api/integrations';
const base = integrationsBase;

export interface ProviderRouteParts {
  readonly integrations: Integrations;
  readonly definitions: ProviderDefinitions;
}

export function providerRoutes({ integrations, definitions }: ProviderRouteParts): Endpoint[] {
  return [
    ...listEndpoints(integrations),
    ...oneProviderEndpoints(integrations),
    ...definitionEndpoints(definitions),
  ];
}

/** Clients name the category by either parameter. */
const filterParameters = {
  category: query(text()),
  type: query(text('Older name of category')),
  activeOnly: query(flag('Only what is enabled', { default: true })),
};

function filterOf(request: RouteRequest): IntegrationFilter {
  const category = request.query('category') || request.query('type') || undefined;
  return { activeOnly: request.queryBoolean('activeOnly', true), ...present({ category }) };
}

async function withApis(
  integrations: Integrations,
  caller: Caller,
  filter: IntegrationFilter,
): Promise<JsonMap[]> {
  const shown: JsonMap[] = [];
  for (const provider of integrations.providers(caller, filter)) {
    const apis = integrations.apis(caller, provider.name, filter.activeOnly);
    shown.push({
      ...(await integrations.shownProvider(caller, provider)),
      apis: await Promise.all(apis.map((api) => integrations.shownApi(api))),
    });
  }
  return shown;
}

function listEndpoints(integrations: Integrations): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listIntegrations',
      summary: 'Lists providers with their models, by name.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'READ' },
      parameters: filterParameters,
      body: null,
      replies: replies(list(providerForm)),
      errors: [],
      handle: async (request) =>
        json(await withApis(integrations, request.caller, filterOf(request))),
    },
    {
      method: 'POST',
      pattern: base,
      name: 'saveIntegrations',
      summary: 'Saves providers with their models, in order.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'CREATE' },
      parameters: {},
      body: body(list(providerForm)),
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const sent = parseProviders(request.json());
        for (const { name, fields } of sent) integrations.checkKind(name, fields);
        for (const { name, fields, apis } of sent) {
          await integrations.saveProvider(request.caller, name, fields);
          for (const { api, fields: each } of apis) {
            await integrations.saveApi(request.caller, name, api, each);
          }
        }
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/all`,
      name: 'listIntegrationNames',
      summary: 'Lists providers and their models by name, as provider or provider:model.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'READ' },
      parameters: filterParameters,
      body: null,
      replies: replies(list(text())),
      errors: [],
      handle: (request) => {
        const filter = filterOf(request);
        const names = integrations.providers(request.caller, filter).flatMap(({ name }) => {
          const apis = integrations.apis(request.caller, name, filter.activeOnly);
          return apis.length === 0 ? [name] : apis.map(({ api }) => `${name}:${api}`);
        });
        return json(names);
      },
    },
    {
      method: 'GET',
      pattern: `${base}/provider`,
      name: 'listIntegrationProviders',
      summary: 'Lists providers without their models, by name.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'READ' },
      parameters: filterParameters,
      body: null,
      replies: replies(list(providerForm)),
      errors: [],
      handle: async (request) => {
        const found = integrations.providers(request.caller, filterOf(request));
        const shown = found.map((each) => integrations.shownProvider(request.caller, each));
        return json(await Promise.all(shown));
      },
    },
  ];
}

function oneProviderEndpoints(integrations: Integrations): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: `${base}/provider/:name`,
      name: 'saveIntegrationProvider',
      summary: 'Creates a provider, or changes what the body says of it.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'CREATE' },
      parameters: {},
      body: body(providerUpdateForm),
      replies: replies(providerForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const name = checkProviderName(request.param('name'), 'name');
        const fields = parseProvider(request.json(), '');
        const saved = await integrations.saveProvider(request.caller, name, fields);
        return json(await integrations.shownProvider(request.caller, saved));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/provider/:name`,
      name: 'getIntegrationProvider',
      summary: 'Shows a provider.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'name' },
      parameters: {},
      body: null,
      replies: replies(providerForm),
      errors: ['not-found'],
      handle: async (request) => {
        const provider = integrations.provider(request.param('name'));
        return json(await integrations.shownProvider(request.caller, provider));
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/provider/:name`,
      name: 'deleteIntegrationProvider',
      summary: 'Deletes a provider with its models.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'DELETE', id: 'name' },
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await integrations.deleteProvider(request.param('name'));
        return empty();
      },
    },
  ];
}

function definitionEndpoints(definitions: ProviderDefinitions): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/def`,
      name: 'listIntegrationDefinitions',
      summary: 'Lists the kinds of integrations and what each asks for.',
      access: { rule: 'caller' },
      parameters: {},
      body: null,
      replies: replies(list(definitionForm)),
      errors: [],
      handle: () => json(definitions.list()),
    },
    {
      method: 'GET',
      pattern: `${base}/def/:name`,
      name: 'getIntegrationDefinition',
      summary: 'Shows a kind of integration and what it asks for.',
      access: { rule: 'caller' },
      parameters: {},
      body: null,
      replies: replies(definitionForm),
      errors: ['not-found'],
      handle: (request) => json(definitions.get(request.param('name'))),
    },
    {
      method: 'POST',
      pattern: `${base}/def/register`,
      name: 'registerIntegrationDefinitions',
      summary: 'Registers kinds of integrations.',
      access: { rule: 'administrator' },
      parameters: {},
      body: body(list(definitionForm)),
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await definitions.register(request.json());
        return empty();
      },
    },
  ];
}
