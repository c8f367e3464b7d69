// Routes of tokens that models use and may use, and of events that integrations report
// (contract-admin 14.2).
import { wrongField } from '../../model/errors.js';
import { listedMax, parseTokenLimit } from './integration.js';
import { toAuthorshipJson } from '../../model/registry/fields.js';
import { parseList, RecordReader } from '../../model/record-reader.js';
import type { Integrations } from './integrations.js';
import type { TokenUsage } from './token-usage.js';
import type { Logger } from '../../telemetry/logger.js';
import { body, query, replies, type Endpoint } from '../../api/endpoint.js';
import { integer, list, mapOf, text } from '../../api/form.js';
import { empty, json } from '../../api/route.js';
import { eventForm, tokenLimitForm, tokenUsageForm } from './forms.js';
import { modelOf } from './model-endpoints.js';
import { integrationsBase } from './provider-endpoints.js';

export interface UsageRouteParts {
  readonly integrations: Integrations;
  readonly usage: TokenUsage;
  readonly log: Logger;
}

const provider = `${integrationsBase}/provider/:provider`;
const daysMax = 400;

export function usageRoutes(parts: UsageRouteParts): Endpoint[] {
  return [...metricEndpoints(parts), ...limitEndpoints(parts), eventEndpoint(parts)];
}

function metricEndpoints({ integrations, usage }: UsageRouteParts): Endpoint[] {
  const pattern = `${provider}/integration/:model/metrics`;
  return [
    {
      method: 'GET',
      pattern: `${provider}/metrics`,
      name: 'getProviderTokenUsage',
      summary: 'Shows how many tokens each model of a provider has used.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'provider' },
      parameters: {},
      body: null,
      replies: replies(mapOf(text('Tokens, as a text'))),
      errors: ['not-found'],
      handle: (request) => {
        const { name } = integrations.provider(request.param('provider'));
        const apis = integrations.apis(request.caller, name, false);
        // The Go client reads texts only; those of the other languages read either.
        return json(
          Object.fromEntries(apis.map(({ api }) => [api, String(usage.total(name, api))])),
        );
      },
    },
    {
      method: 'GET',
      pattern,
      name: 'getTokenUsage',
      summary: 'Shows how many tokens a model has used.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(integer()),
      errors: ['not-found'],
      handle: (request) => {
        const names = modelOf(integrations, request, 'READ');
        integrations.api(...names);
        return json(usage.total(...names));
      },
    },
    {
      method: 'POST',
      pattern,
      name: 'addTokenUsage',
      summary: 'Adds to the tokens that a model has used today.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'UPDATE' },
      audit: 'persons',
      parameters: {},
      body: body(integer('Tokens')),
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        const names = modelOf(integrations, request, 'UPDATE');
        integrations.api(...names);
        const totalTokens = request.json();
        if (!Number.isSafeInteger(totalTokens) || (totalTokens as number) < 0) {
          throw wrongField('the body', 'must be a whole number of tokens');
        }
        const used = { promptTokens: 0, completionTokens: 0, totalTokens: totalTokens as number };
        await usage.add(...names, used);
        return empty();
      },
    },
  ];
}

function limitEndpoints({ integrations, usage }: UsageRouteParts): Endpoint[] {
  const pattern = `${integrationsBase}/llm/:name/token`;
  return [
    {
      method: 'GET',
      pattern,
      name: 'getTokenLimit',
      summary: 'Shows how many tokens a model may use; 0: any number.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'name' },
      parameters: { model: query(text(), { required: true }) },
      body: null,
      replies: replies(tokenLimitForm),
      errors: ['not-found'],
      handle: (request) => {
        const { integrationName, api } = integrations.api(
          request.param('name'),
          request.queryRequired('model'),
        );
        const limit = usage.limitOf(integrationName, api);
        if (limit === undefined) return json({ integrationName, api, maxTokens: 0 });
        const { maxTokens, tokenLimitPeriod } = limit;
        const shown = { integrationName, api, maxTokens, tokenLimitPeriod };
        return json({ ...shown, ...toAuthorshipJson(limit) });
      },
    },
    {
      method: 'POST',
      pattern,
      name: 'setTokenLimit',
      summary: 'Sets how many tokens a model may use in a period.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'UPDATE', id: 'name' },
      parameters: {},
      body: body(tokenLimitForm),
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        const { api, ...limit } = parseTokenLimit(request.json());
        const name = request.param('name');
        integrations.api(name, api);
        await usage.setLimit(request.caller, name, api, limit);
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${pattern}/history`,
      name: 'listTokenUsage',
      summary: 'Lists the tokens that the models of a provider used, by UTC day.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'name' },
      parameters: {
        model: query(text('A model; *: all', { default: '*' })),
        lookUpWindow: query(integer('Days', { default: 31 })),
      },
      body: null,
      replies: replies(list(tokenUsageForm)),
      errors: ['not-found'],
      handle: (request) => {
        const { name } = integrations.provider(request.param('name'));
        const model = request.query('model') || '*';
        const days = request.queryInteger('lookUpWindow') ?? 31;
        if (days < 1 || days > daysMax) throw wrongField('lookUpWindow', `must be 1 to ${daysMax}`);
        const apis = integrations
          .apis(request.caller, name, false)
          .filter(({ api }) => model === '*' || api === model);
        const logs = apis.flatMap(({ api }) =>
          usage.history(name, api, days).map((day) => ({ integrationName: name, api, ...day })),
        );
        return json(logs);
      },
    },
  ];
}

/** Events go to the server's log, one line each. */
function eventEndpoint({ log }: UsageRouteParts): Endpoint {
  return {
    method: 'POST',
    pattern: `${integrationsBase}/eventStats/:type`,
    name: 'reportIntegrationEvents',
    summary: 'Writes events of integrations to the log of the server.',
    access: { rule: 'permission', anyOf: ['METADATA_MANAGEMENT', 'CREATE_INTEGRATION'] },
    audit: 'persons',
    parameters: {},
    body: body(list(eventForm)),
    replies: replies(null),
    errors: [],
    handle: (request) => {
      const events = parseList(request.json(), '', (item, path) => {
        const reader = new RecordReader(item, path);
        const names = ['id', 'event', 'handlerName', 'taskId', 'workerId'] as const;
        return {
          ...Object.fromEntries(names.map((name) => [name, reader.text(name)?.slice(0, 500)])),
          eventType: reader.choice('eventType', ['SEND', 'RECEIVE']),
          createdAt: reader.long('createdAt', 0),
        };
      });
      if (events.length > listedMax)
        throw wrongField('the body', `may have ${listedMax} events at most`);
      const type = request.param('type').slice(0, 255);
      for (const event of events) log.info({ type, event }, 'event of an integration');
      return empty();
    },
  };
}
