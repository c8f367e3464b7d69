// Routes of a provider's models, which the wire calls integrations or apis (contract-admin 14.2):
// saving and reading, and their tags.
import type { Right } from '../../access/access-rules.js';
import { endpoint, listOf, nothing, one, query, type Endpoint } from '../../api/endpoint.js';
import { flag, text } from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { checkName } from '../../model/registry/fields.js';
import type { Tags } from '../../operation/tags/tags.js';
import { model as modelNoun, type ShownModel } from './integration.js';
import type { Integrations } from './integrations.js';
import { integrationsBase, modelPattern as model } from './provider-endpoints.js';

export interface ModelRouteParts {
  readonly integrations: Integrations;
  readonly tags: Tags;
}

const provider = `${integrationsBase}/provider/:provider`;

export function modelRoutes(parts: ModelRouteParts): Endpoint[] {
  return [
    ...listEndpoints(parts.integrations),
    ...oneModelEndpoints(parts.integrations),
    ...tagEndpoints(parts),
  ];
}

/** Names in the path, once the caller's right on the model is checked. */
export function modelOf(
  integrations: Integrations,
  request: RouteRequest,
  right: Right,
): readonly [provider: string, model: string] {
  const names = [request.param('provider'), request.param('model')] as const;
  integrations.require(request.caller, right, ...names);
  return names;
}

function listEndpoints(integrations: Integrations): Endpoint[] {
  const filter = { activeOnly: query(flag('Only what is enabled', { default: true })) };
  return [
    endpoint({
      method: 'GET',
      pattern: `${provider}/integration`,
      name: 'listIntegrationApis',
      summary: 'Lists the models of a provider that the caller may read, by name.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      parameters: filter,
      reply: listOf<ShownModel>(modelNoun.shown),
      errors: ['not-found'],
      handle: async (request) => {
        const { name } = integrations.get(request.param('provider'));
        const activeOnly = request.queryBoolean('activeOnly');
        const apis = integrations.apis(request.caller, name, activeOnly);
        return await Promise.all(apis.map((api) => integrations.shownApi(api)));
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${provider}/integration/all`,
      name: 'listIntegrationApiNames',
      summary: 'Lists the names of the models of a provider that the caller may read.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      reply: listOf<string>({ schema: text() }),
      errors: ['not-found'],
      handle: (request) => {
        const { name } = integrations.get(request.param('provider'));
        return integrations.apis(request.caller, name, false).map(({ api }) => api);
      },
    }),
  ];
}

function oneModelEndpoints(integrations: Integrations): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: model,
      name: 'saveIntegrationApi',
      summary: 'Creates a model of a provider, or changes what the body says of it.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'UPDATE' },
      body: modelNoun.request,
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: (request, fields) => {
        const name = checkName(request.param('model'), 'the name of the model');
        return integrations.saveApi(request.caller, request.param('provider'), name, fields);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: model,
      name: 'getIntegrationApi',
      summary: 'Shows a model of a provider.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      reply: one<ShownModel>(modelNoun.shown),
      errors: ['not-found'],
      handle: async (request) => {
        const names = modelOf(integrations, request, 'READ');
        return await integrations.shownApi(integrations.api(...names));
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: model,
      name: 'deleteIntegrationApi',
      summary: 'Deletes a model of a provider.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'DELETE' },
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => integrations.deleteApi(...modelOf(integrations, request, 'DELETE')),
    }),
  ];
}

function tagEndpoints({ integrations, tags }: ModelRouteParts): Endpoint[] {
  return [
    ...tagRoutes({
      tags,
      type: 'INTEGRATION_PROVIDER',
      resource: `${integrationsBase}/provider/:name`,
      noun: 'IntegrationProvider',
      variables: ['name'],
      check: (name) => void integrations.get(name),
    }),
    ...tagRoutes({
      tags,
      type: 'INTEGRATION',
      resource: model,
      noun: 'Integration',
      variables: ['provider', 'model'],
      check: (id, caller, right) => {
        const colon = id.indexOf(':');
        const names = [id.slice(0, colon), id.slice(colon + 1)] as const;
        integrations.require(caller, right, ...names);
        integrations.api(...names);
      },
    }),
  ];
}
