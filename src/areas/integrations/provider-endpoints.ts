// Routes of integration providers and of what kinds there are (contract-admin 14.2).
import { endpoint, listOf, nothing, one, query, type Endpoint } from '../../api/endpoint.js';
import { flag, list, text } from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';
import type { Caller } from '../../model/caller.js';
import { present } from '../../model/record-reader.js';
import {
  checkProviderName,
  model,
  provider,
  sentProvider,
  sentProviders,
  type ShownProvider,
} from './integration.js';
import { listedResource } from '../resource.js';
import type { IntegrationFilter, Integrations } from './integrations.js';
import {
  definitionSchema,
  sentDefinitions,
  type ProviderDefinitions,
} from './provider-definitions.js';

export const integrationsBase = '/api/integrations';
const base = integrationsBase;
/** Of one model. */
export const modelPattern = `${base}/provider/:provider/integration/:model`;

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

const oneProvider = one<ShownProvider>(provider.shown);
const allProviders = listOf<ShownProvider>(provider.shown);

/** Clients name the category by either parameter. */
const filterParameters = {
  category: query(text()),
  type: query(text('Older name of category')),
  activeOnly: query(flag('Only what is enabled', { default: true })),
};

function filterOf(request: RouteRequest): IntegrationFilter {
  const category = request.query('category') || request.query('type') || undefined;
  return { activeOnly: request.queryBoolean('activeOnly'), ...present({ category }) };
}

async function withApis(
  integrations: Integrations,
  caller: Caller,
  filter: IntegrationFilter,
): Promise<ShownProvider[]> {
  const shown: ShownProvider[] = [];
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
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listIntegrations',
      summary: 'Lists providers with their models, by name.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'READ' },
      parameters: filterParameters,
      reply: allProviders,
      lists: {
        ...listedResource({
          ...{ called: 'Model', noun: model },
          about: 'A model belongs to an integration with a provider, which comes first.',
          columns: ['api', 'integrationName', 'enabled', 'maxTokens', 'frequency', 'description'],
        }),
        ...{ within: 'apis', query: 'activeOnly=false' },
        ...{ one: modelPattern, key: ['integrationName', 'api'] },
      },
      handle: (request) => withApis(integrations, request.caller, filterOf(request)),
    }),
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'saveIntegrations',
      summary: 'Saves providers with their models, in order.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'CREATE' },
      body: sentProviders,
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: async (request, sent) => {
        const { caller } = request;
        request.noteObjects(sent.map(({ name }) => name));
        for (const fields of sent) integrations.checkKind(fields.name, fields);
        for (const { apis, ...fields } of sent) {
          await integrations.save(caller, fields);
          for (const { api, ...each } of apis) {
            await integrations.saveApi(caller, fields.name, api, each);
          }
        }
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/all`,
      name: 'listIntegrationNames',
      summary: 'Lists providers and their models by name, as provider or provider:model.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'READ' },
      parameters: filterParameters,
      reply: listOf<string>({ schema: text() }),
      handle: (request) => {
        const filter = filterOf(request);
        const names = integrations.providers(request.caller, filter).flatMap(({ name }) => {
          const apis = integrations.apis(request.caller, name, filter.activeOnly);
          return apis.length === 0 ? [name] : apis.map(({ api }) => `${name}:${api}`);
        });
        return names;
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/provider`,
      name: 'listIntegrationProviders',
      summary: 'Lists providers without their models, by name.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'READ' },
      parameters: filterParameters,
      reply: allProviders,
      lists: { ...integrations.listed, query: 'activeOnly=false' },
      handle: async (request) => {
        const found = integrations.providers(request.caller, filterOf(request));
        const shown = found.map((each) => integrations.shownProvider(request.caller, each));
        return await Promise.all(shown);
      },
    }),
  ];
}

function oneProviderEndpoints(integrations: Integrations): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/provider/:name`,
      name: 'saveIntegrationProvider',
      summary: 'Creates a provider, or changes what the body says of it.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'CREATE' },
      body: sentProvider,
      reply: oneProvider,
      errors: ['not-found', 'conflict'],
      handle: async (request, fields) => {
        const name = checkProviderName(request.param('name'), 'name');
        const saved = await integrations.save(request.caller, { name, ...fields });
        return await integrations.shownProvider(request.caller, saved);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/provider/:name`,
      name: 'getIntegrationProvider',
      summary: 'Shows a provider.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'name' },
      reply: oneProvider,
      errors: ['not-found'],
      handle: async (request) => {
        const found = integrations.get(request.param('name'));
        return await integrations.shownProvider(request.caller, found);
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/provider/:name`,
      name: 'deleteIntegrationProvider',
      summary: 'Deletes a provider with its models.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'DELETE', id: 'name' },
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => integrations.delete(request.param('name')),
    }),
  ];
}

function definitionEndpoints(definitions: ProviderDefinitions): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/def`,
      name: 'listIntegrationDefinitions',
      summary: 'Lists the kinds of integrations and what each asks for.',
      access: { rule: 'caller' },
      reply: list(definitionSchema),
      handle: () => definitions.list(),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/def/:name`,
      name: 'getIntegrationDefinition',
      summary: 'Shows a kind of integration and what it asks for.',
      access: { rule: 'caller' },
      reply: definitionSchema,
      errors: ['not-found'],
      handle: (request) => definitions.get(request.param('name')),
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/def/register`,
      name: 'registerIntegrationDefinitions',
      summary: 'Registers kinds of integrations.',
      access: { rule: 'administrator' },
      body: sentDefinitions,
      reply: nothing,
      handle: (_request, sent) => definitions.register(sent),
    }),
  ];
}
