// Routes of tokens that models use and may use, and of events that integrations report
// (contract-admin 14.2).
import {
  endpoint,
  listOf,
  nothing,
  one,
  query,
  type Endpoint,
  type Intake,
} from '../../api/endpoint.js';
import { integer, mapOf, text } from '../../model/schema.js';
import { withKnownAuthors } from '../../declare/authorship.js';
import * as field from '../../model/field.js';
import { record, sentList } from '../../model/record.js';
import { wrongField } from '../../model/errors.js';
import type { Logger } from '../../telemetry/logger.js';
import { listedMax, tokenLimit, type ShownTokenLimit } from './integration.js';
import type { Integrations } from './integrations.js';
import { modelOf } from './model-endpoints.js';
import { integrationsBase } from './provider-endpoints.js';
import type { TokenUsage } from './token-usage.js';

export interface UsageRouteParts {
  readonly integrations: Integrations;
  readonly usage: TokenUsage;
  readonly log: Logger;
}

const provider = `${integrationsBase}/provider/:provider`;
const daysMax = 400;

const dayOfUsage = record('TokenUsageLog', {
  integrationName: field.text({ required: true }),
  api: field.text({ required: true }),
  periodStart: field.time({ about: 'First moment of the UTC day', required: true }),
  promptTokens: field.integer({ required: true }),
  completionTokens: field.integer({ required: true }),
  totalTokens: field.integer({ required: true }),
});

const event = record('EventLog', {
  id: field.text(),
  event: field.text(),
  eventType: field.choice(['SEND', 'RECEIVE']),
  handlerName: field.text(),
  taskId: field.text(),
  workerId: field.text(),
  createdAt: field.time(),
});

/** Read once the model is known to exist. */
const sentTokens: Intake<() => number> = {
  schema: integer('Tokens'),
  isRequired: true,
  of: (request) => () => tokensOf(request.json()),
};

function tokensOf(input: unknown): number {
  if (Number.isSafeInteger(input) && (input as number) >= 0) return input as number;
  throw wrongField('the body', 'must be a whole number of tokens');
}

export function usageRoutes(parts: UsageRouteParts): Endpoint[] {
  return [...metricEndpoints(parts), ...limitEndpoints(parts), eventEndpoint(parts)];
}

function metricEndpoints({ integrations, usage }: UsageRouteParts): Endpoint[] {
  const pattern = `${provider}/integration/:model/metrics`;
  return [
    endpoint({
      method: 'GET',
      pattern: `${provider}/metrics`,
      name: 'getProviderTokenUsage',
      summary: 'Shows how many tokens each model of a provider has used.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'provider' },
      reply: one<Record<string, string>>({ schema: mapOf(text('Tokens, as a text')) }),
      errors: ['not-found'],
      handle: (request) => {
        const { name } = integrations.get(request.param('provider'));
        const apis = integrations.apis(request.caller, name, false);
        // The Go client reads texts only; those of the other languages read either.
        return Object.fromEntries(apis.map(({ api }) => [api, String(usage.total(name, api))]));
      },
    }),
    endpoint({
      method: 'GET',
      pattern,
      name: 'getTokenUsage',
      summary: 'Shows how many tokens a model has used.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      reply: one<number>({ schema: integer() }),
      errors: ['not-found'],
      handle: (request) => {
        const names = modelOf(integrations, request, 'READ');
        integrations.api(...names);
        return usage.total(...names);
      },
    }),
    endpoint({
      method: 'POST',
      pattern,
      name: 'addTokenUsage',
      summary: 'Adds to the tokens that a model has used today.',
      access: { rule: 'each', type: 'INTEGRATION', right: 'UPDATE' },
      audit: 'persons',
      body: sentTokens,
      reply: nothing,
      errors: ['not-found'],
      handle: (request, tokens) => {
        const names = modelOf(integrations, request, 'UPDATE');
        integrations.api(...names);
        return usage.add(...names, { promptTokens: 0, completionTokens: 0, totalTokens: tokens() });
      },
    }),
  ];
}

function limitEndpoints({ integrations, usage }: UsageRouteParts): Endpoint[] {
  const pattern = `${integrationsBase}/llm/:name/token`;
  return [
    endpoint({
      method: 'GET',
      pattern,
      name: 'getTokenLimit',
      summary: 'Shows how many tokens a model may use; 0: any number.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'name' },
      parameters: { model: query(text(), { required: true }) },
      reply: one<ShownTokenLimit>(tokenLimit),
      errors: ['not-found'],
      handle: (request) => {
        const { integrationName, api } = integrations.api(
          request.param('name'),
          request.queryRequired('model'),
        );
        const limit = usage.limitOf(integrationName, api);
        if (limit === undefined) return { integrationName, api, maxTokens: 0 };
        const { id: _id, ...shown } = limit;
        return withKnownAuthors({ integrationName, api, ...shown });
      },
    }),
    endpoint({
      method: 'POST',
      pattern,
      name: 'setTokenLimit',
      summary: 'Sets how many tokens a model may use in a period.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'UPDATE', id: 'name' },
      body: tokenLimit,
      reply: nothing,
      errors: ['not-found'],
      handle: (request, { api, ...limit }) => {
        const name = request.param('name');
        integrations.api(name, api);
        return usage.setLimit(request.caller, name, api, limit);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${pattern}/history`,
      name: 'listTokenUsage',
      summary: 'Lists the tokens that the models of a provider used, by UTC day.',
      access: { rule: 'target', type: 'INTEGRATION_PROVIDER', right: 'READ', id: 'name' },
      parameters: {
        model: query(text('A model; *: all', { default: '*' })),
        lookUpWindow: query(integer('Days', { default: 31 })),
      },
      reply: listOf(dayOfUsage),
      errors: ['not-found'],
      handle: (request) => {
        const { name } = integrations.get(request.param('name'));
        const model = request.query('model') || '*';
        const days = request.queryNumber('lookUpWindow');
        if (days < 1 || days > daysMax) throw wrongField('lookUpWindow', `must be 1 to ${daysMax}`);
        const apis = integrations
          .apis(request.caller, name, false)
          .filter(({ api }) => model === '*' || api === model);
        return apis.flatMap(({ api }) =>
          usage.history(name, api, days).map((day) => ({ integrationName: name, api, ...day })),
        );
      },
    }),
  ];
}

/** Events go to the server's log, one line each. */
function eventEndpoint({ log }: UsageRouteParts): Endpoint {
  return endpoint({
    method: 'POST',
    pattern: `${integrationsBase}/eventStats/:type`,
    name: 'reportIntegrationEvents',
    summary: 'Writes events of integrations to the log of the server.',
    access: { rule: 'permission', anyOf: ['METADATA_MANAGEMENT', 'CREATE_INTEGRATION'] },
    audit: 'persons',
    body: sentList(event, 'events', listedMax),
    reply: nothing,
    handle: (request, events) => {
      const type = request.param('type').slice(0, 255);
      for (const sent of events) {
        const fields = Object.entries(sent).map(([name, value]) => [name, cut(value)] as const);
        log.info({ type, event: Object.fromEntries(fields) }, 'event of an integration');
      }
    },
  });
}

function cut(value: string | number): string | number {
  return typeof value === 'string' ? value.slice(0, 500) : value;
}
