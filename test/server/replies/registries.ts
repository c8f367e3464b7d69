// Prompts, integrations, remote services, schemas and user forms.
import { expect, it } from 'vitest';
import { answerJson } from '../../support/model-server.js';
import { until } from '../../../testkit/until.js';
import { done, shown, models, secured, started, tagged } from './steps.js';

const tags = [{ key: 'team', value: 'ops' }];
const provider = '/api/integrations/provider/ai';
const model = `${provider}/integration/m`;

export function registryReplies(): void {
  it('come from integrations', async () => {
    const configuration = { api_key: 'key of the provider', endpoint: models.endpoint };
    const fields = { type: 'openai', category: 'AI_MODEL' };
    await done('POST', provider, { ...fields, configuration });
    await done('POST', model, { description: 'A model' });
    await done('POST', '/api/integrations', [{ name: 'second', ...fields }]);
    await done('POST', '/api/integrations/eventStats/openai', []);
    await done('POST', '/api/integrations/def/register', []);
    await done('POST', `${model}/metrics`, 7);
    const limit = { api: 'm', maxTokens: 1000, tokenLimitPeriod: 'DAY' };
    await done('POST', '/api/integrations/llm/ai/token', limit);
    await shown(
      '/api/integrations',
      '/api/integrations/all',
      '/api/integrations/def',
      '/api/integrations/def/openai',
      '/api/integrations/llm/ai/token?model=m',
      '/api/integrations/llm/ai/token/history?model=m',
      '/api/integrations/provider',
      provider,
      `${provider}/metrics`,
      `${provider}/integration`,
      `${provider}/integration/all`,
      model,
      `${model}/metrics`,
    );
    await tagged(provider);
    await tagged(model);
  });

  it('come from prompts', async () => {
    const prompt = '/api/prompts/greeting';
    await done('POST', `${prompt}?description=first`, 'Hello ${name}');
    await done('POST', `${prompt}?description=second&autoIncrement=true`, 'Good day ${name}');
    await done('PUT', `${prompt}?description=third`, 'Good night ${name}');
    await done('POST', '/api/prompts', [{ name: 'farewell', template: 'Bye', tags }]);
    await shown('/api/prompts', prompt, `${prompt}/versions`);
    await tagged(prompt);
    await done('POST', `${model}/prompt/greeting`);
    await done('GET', `${model}/prompt`);
    const trial = { llmProvider: 'ai', model: 'm', prompt: 'Hi', promptVariables: {} };
    expect((await done('POST', '/api/prompts/test', trial)).text).toBe('echo: "Hi"');
    await done('DELETE', `${prompt}/versions/1`);
    await done('DELETE', prompt);
    await done('DELETE', model);
    await done('DELETE', provider);
  });

  it('come from schemas', async () => {
    const schema = { name: 'shape', version: 1, type: 'JSON', data: { type: 'object' } };
    await done('POST', '/api/schema', [schema, { ...schema, version: 2 }]);
    await done('POST', '/api/global_schema', [{ ...schema, name: 'of_all' }]);
    await shown(
      '/api/schema',
      '/api/schema/shape',
      '/api/schema/shape/1',
      '/api/global_schema/of_all',
    );
    await done('DELETE', '/api/schema/shape/1');
    await done('DELETE', '/api/schema/shape');
  });

  it('come from remote services', async () => {
    const service = '/api/registry/service/shop';
    const serviceURI = `${models.endpoint}/openapi.json`;
    await done('POST', '/api/registry/service', {
      ...{ name: 'shop', type: 'HTTP', serviceURI },
      circuitBreakerEnabled: true,
    });
    await done('POST', `${service}/methods`, { operationName: 'buy', methodType: 'POST' });
    models.next.push(answerJson(ofShop));
    const found = (await done('GET', `${service}/discover?create=true`)).body;
    expect(found).toMatchObject([{ operationName: 'list', methodType: 'GET' }]);
    const proto = '/api/registry/service/protos/shop';
    await done('POST', `${proto}/shop.proto`, 'syntax = "proto3"; message Item { string id = 1; }');
    await shown(
      '/api/registry/service',
      service,
      `${service}/circuit-breaker/status`,
      proto,
      `${proto}/shop.proto`,
    );
    await started('HTTP', {
      inputParameters: { http_request: { service: 'shop', uri: '/v1/models', method: 'GET' } },
    });
    const open = `${service}/circuit-breaker/open`;
    await until('a call', async () => (await secured.admin.status('POST', open)) === 200);
    await done('POST', `${service}/circuit-breaker/close`);
    await done('POST', `${service}/clone?newName=second_shop`);
    await done('DELETE', `${proto}/shop.proto`);
    await done('DELETE', `${service}/methods?serviceName=buy&method=buy&methodType=POST`);
    await done('DELETE', service);
  });

  it('come from user forms', async () => {
    const base = '/api/human/template';
    const form = (name: string): object => ({
      ...{ name, jsonSchema: { type: 'object' } },
      templateUI: { type: 'VerticalLayout', elements: [] },
    });
    await done('POST', base, form('enquiry'));
    await done('POST', `${base}?newVersion=true`, form('enquiry'));
    await done('POST', `${base}/bulk`, [form('other')]);
    await shown(base, `${base}/enquiry/2`);
    await tagged(`${base}/enquiry`);
    await done('DELETE', `${base}/enquiry/1`);
    await done('DELETE', `${base}/enquiry`);
  });
}

const ofShop = {
  openapi: '3.0.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/items': { get: { operationId: 'list', responses: { 200: { description: 'All items' } } } },
  },
};
