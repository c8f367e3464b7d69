// Routes of a provider's models, which the wire calls integrations or apis (contract-admin 14.2):
// saving and reading, and their tags.
import type { Right } from '../../access/access-rules.js';
import { parseApi } from './integration.js';
import { checkName } from '../../model/registry/fields.js';
import type { Integrations } from './integrations.js';
import type { Tags } from '../../operation/tags/tags.js';
import { body, query, replies, type Endpoint } from '../../api/endpoint.js';
import { flag, list, text } from '../../api/form.js';
import { empty, json, type RouteRequest } from '../../api/route.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { apiForm, apiUpdateForm } from './forms.js';
import { integrationsBase } from './provider-endpoints.js';

export interface ModelRouteParts {
  readonly integrations: Integrations;
  readonly tags: Tags;
}

const provider = `${integrationsBase}/provider/:provider`;
const model = `${provider}/integration/:model`;

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
    {
      method: 'GET',
      pattern: `${provider}/integration`,
      name: 'listIntegrationApis',
      summary: 'Lists the models of a provider that the caller may read, by name.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      parameters: filter,
      body: null,
      replies: replies(list(apiForm)),
      errors: ['not-found'],
      handle: async (request) => {
        const { name } = integrations.provider(request.param('provider'));
        const activeOnly = request.queryBoolean('activeOnly', true);
        const apis = integrations.apis(request.caller, name, activeOnly);
        return json(await Promise.all(apis.map((api) => integrations.shownApi(api))));
      },
    },
    {
      method: 'GET',
      pattern: `${provider}/integration/all`,
      name: 'listIntegrationApiNames',
      summary: 'Lists the names of the models of a provider that the caller may read.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(list(text())),
      errors: ['not-found'],
      handle: (request) => {
        const { name } = integrations.provider(request.param('provider'));
        return json(integrations.apis(request.caller, name, false).map(({ api }) => api));
      },
    },
  ];
}

function oneModelEndpoints(integrations: Integrations): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: model,
      name: 'saveIntegrationApi',
      summary: 'Creates a model of a provider, or changes what the body says of it.',
      access: { rule: 'each', type: 'INTEGRATION_PROVIDER', right: 'UPDATE' },
      parameters: {},
      body: body(apiUpdateForm),
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const name = checkName(request.param('model'), 'the name of the model');
        const fields = parseApi(request.json(), '');
        await integrations.saveApi(request.caller, request.param('provider'), name, fields);
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: model,
      name: 'getIntegrationApi',
      summary: 'Shows a model of a provider.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(apiForm),
      errors: ['not-found'],
      handle: async (request) => {
        const names = modelOf(integrations, request, 'READ');
        return json(await integrations.shownApi(integrations.api(...names)));
      },
    },
    {
      method: 'DELETE',
      pattern: model,
      name: 'deleteIntegrationApi',
      summary: 'Deletes a model of a provider.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'DELETE' },
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await integrations.deleteApi(...modelOf(integrations, request, 'DELETE'));
        return empty();
      },
    },
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
      check: (name) => void integrations.provider(name),
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
