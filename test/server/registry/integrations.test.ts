// Integrations over the API (contract-admin 14).
import { IntegrationClient } from '@io-orkes/conductor-javascript';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../testkit/secured-server.js';
import { RegistryServer } from './registry-server.js';

const base = '/api/integrations';
const canary = 'sk-canary-7d1f';
const openai = { type: 'openai', category: 'AI_MODEL', configuration: { api_key: canary } };

let server: RegistryServer;
let admin: Session;
beforeAll(async () => {
  server = await RegistryServer.start(['--integrations-max', '12']);
  ({ admin } = server.secured);
});
afterAll(() => server?.stop());

describe('integrations', () => {
  it('answer every call of the JavaScript SDK', async () => {
    const client = new IntegrationClient(server.client);
    await client.saveIntegrationProvider('js', { ...openai, enabled: true } as never);
    expect(await client.getIntegrationProvider('js')).toMatchObject({
      ...{ name: 'js', type: 'openai', category: 'AI_MODEL', enabled: true, modelsCount: 0 },
      configuration: { api_key: '***' },
    });
    await client.saveIntegrationApi('js', 'org/gpt:4', { description: 'd', enabled: true });
    expect(await client.getIntegrationApi('js', 'org/gpt:4')).toMatchObject({
      ...{ integrationName: 'js', api: 'org/gpt:4', description: 'd', enabled: true },
    });
    expect(await client.getIntegrationApis('js')).toHaveLength(1);
    expect(await client.getIntegrationAvailableApis('js')).toEqual(['org/gpt:4']);
    expect(await client.getIntegrationProviders()).toMatchObject([{ modelsCount: 1 }]);
    const [whole] = await client.getIntegrations('AI_MODEL');
    expect(whole).toMatchObject({ name: 'js', apis: [{ api: 'org/gpt:4' }] });
    expect(await client.getIntegrations('GIT')).toEqual([]);
    expect(await client.getProvidersAndIntegrations()).toEqual(['js:org/gpt:4']);
    const kinds = await client.getIntegrationProviderDefs();
    expect(kinds.map(({ name }) => name)).toEqual(expect.arrayContaining(['openai', 'kafka']));
    const tags = [{ key: 'team', value: 'ops' }];
    await client.setProviderTags('js', tags);
    await client.setIntegrationTags('js', 'org/gpt:4', tags);
    expect(await client.getProviderTags('js')).toEqual(tags);
    expect(await client.getIntegrationTags('js', 'org/gpt:4')).toEqual(tags);
    await client.deleteProviderTags('js', tags);
    await client.deleteIntegrationTags('js', 'org/gpt:4', tags);
    expect(await client.getIntegrationTags('js', 'org/gpt:4')).toEqual([]);
    await admin.post('/api/prompts/attached?description=d', 'Hello');
    await client.associatePromptWithIntegration('js', 'org/gpt:4', 'attached');
    expect(await client.getPromptsWithIntegration('js', 'org/gpt:4')).toMatchObject([
      { name: 'attached', integrations: ['js:org/gpt:4'] },
    ]);
    await client.deleteIntegrationApi('js', 'org/gpt:4');
    await expect(client.getIntegrationApi('js', 'org/gpt:4')).rejects.toThrow();
    await client.deleteIntegrationProvider('js');
    await expect(client.getIntegrationProvider('js')).rejects.toThrow();
    await expect(client.deleteIntegrationProvider('js')).rejects.toThrow();
  });

  it('keep what an update leaves out, and secrets that come back masked', async () => {
    const created = await admin.post(`${base}/provider/kept`, {
      ...{ ...openai, description: 'first' },
      configuration: { api_key: canary, endpoint: 'http://a' },
    });
    expect(created.body).toMatchObject({ enabled: true, configuration: { api_key: '***' } });
    await admin.post(`${base}/provider/kept`, { enabled: false });
    expect((await admin.get(`${base}/provider/kept`)).body).toMatchObject({
      ...{ enabled: false, description: 'first', type: 'openai' },
      configuration: { api_key: '***', endpoint: 'http://a' },
    });
    const masked = { configuration: { api_key: '***', endpoint: 'http://a', dimensions: 3 } };
    expect((await admin.post(`${base}/provider/kept`, masked)).body).toMatchObject(masked);
    const without = { configuration: { endpoint: 'http://b' } };
    const bare = (await admin.post(`${base}/provider/kept`, without)).body;
    expect(bare.configuration).toEqual({ endpoint: 'http://b' });
    expect((await admin.get(`${base}/provider`)).body).toEqual([]);
    const all = (await admin.get(`${base}/provider?activeOnly=false&type=AI_MODEL`)).body;
    expect(all).toMatchObject([{ name: 'kept' }]);
    await admin.delete(`${base}/provider/kept`);
  });

  it.each(['openai', 'kind_of_one_s_own', undefined])(
    'seal what no known kind has, of the kind %s too',
    async (type) => {
      const unknown = { subscription: canary, parts: { any: canary }, list: [canary] };
      const plain = { endpoint: 'http://a', retries: 3, verbose: true };
      const made = await admin.post(`${base}/provider/unknown`, {
        ...{ type, category: 'API' },
        configuration: { ...unknown, ...plain },
      });
      const masked = { subscription: '***', parts: '***', list: '***' };
      expect(made.body.configuration).toEqual({ ...masked, ...plain });
      expect((await admin.get(`${base}/provider/unknown`)).text).not.toContain(canary);
      await admin.delete(`${base}/provider/unknown`);
    },
  );

  it('show no secret anywhere', async () => {
    await admin.post(`${base}/provider/secret`, openai);
    await admin.post(`${base}/provider/secret/integration/m`, openai);
    const routes = ['', '/provider', '/provider/secret', '/provider/secret/integration/m', '/all'];
    for (const route of routes) expect((await admin.get(base + route)).text).not.toContain(canary);
    const { dataDir } = server.secured.server;
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    const contents = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(path.join(file.parentPath, file.name)));
    expect(contents.some((content) => content.includes('integration-provider'))).toBe(true);
    expect(contents.some((content) => content.includes(canary))).toBe(false);
    await admin.delete(`${base}/provider/secret`);
  });

  it.each([
    ['provider/x', { category: 'ODD' }, 400, /category must be one of API, AI_MODEL/],
    ['provider/x', {}, 400, /type is required, or category/],
    ['provider/x', { type: 'odd' }, 404, /No such integration type: odd/],
    ['provider/a:b', openai, 400, /name may not hold a colon/],
    ['provider/x', { ...openai, configuration: 1 }, 400, /configuration must be an object/],
    ['provider/none/integration/m', {}, 404, /No such integration provider: none/],
    ['eventStats/kafka', [{ eventType: 'ODD' }], 400, /eventType must be one of SEND, RECEIVE/],
    ['def/register', [{}], 400, /name is required/],
  ])('refuse %s %j', async (route, body, status, message) => {
    const answer = await admin.post(`${base}/${route}`, body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
  });

  it('do not change their type', async () => {
    await admin.post(`${base}/provider/fixed`, openai);
    const answer = await admin.post(`${base}/provider/fixed`, { type: 'cohere' });
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/type is openai/)]);
    await admin.delete(`${base}/provider/fixed`);
  });

  it('are saved in bulk with their models', async () => {
    const apis = [{ api: 'm1' }, { api: 'm2', enabled: false }];
    const saved = await admin.post(`${base}/`, [{ name: 'bulk', ...openai, apis }]);
    expect([saved.status, saved.text]).toEqual([200, '']);
    expect((await admin.get(`${base}/all`)).body).toEqual(['bulk:m1']);
    expect((await admin.get(`${base}/all?activeOnly=false`)).body).toEqual(['bulk:m1', 'bulk:m2']);
    const active = (await admin.get(`${base}/provider/bulk/integration`)).body;
    expect(active).toMatchObject([{ api: 'm1', integrationName: 'bulk' }]);
    await admin.delete(`${base}/provider/bulk`);
    await admin.post(`${base}/provider/bulk`, openai);
    expect((await admin.get(`${base}/provider/bulk/integration/all`)).body).toEqual([]);
    await admin.delete(`${base}/provider/bulk`);
  });

  it('count tokens and keep limits', async () => {
    await admin.post(`${base}/provider/count`, openai);
    const model = `${base}/provider/count/integration/m`;
    await admin.post(model, { maxTokens: 1000, frequency: 'Monthly' });
    expect((await admin.get(model)).body).toMatchObject({ maxTokens: 1000, frequency: 'monthly' });
    await admin.post(model, { maxTokens: null });
    expect((await admin.get(model)).body).toMatchObject({ maxTokens: 1000 });
    await admin.post(model, { maxTokens: 0 });
    expect((await admin.get(model)).body).not.toHaveProperty('maxTokens');
    expect(await admin.status('POST', `${model}/metrics`, '12')).toBe(200);
    expect(await admin.status('POST', `${model}/metrics`, '30')).toBe(200);
    expect(await admin.status('POST', `${model}/metrics`, '-1')).toBe(400);
    expect((await admin.get(`${model}/metrics`)).body).toBe(42);
    expect((await admin.get(`${base}/provider/count/metrics`)).body).toEqual({ m: '42' });
    const limit = { api: 'm', maxTokens: 50, tokenLimitPeriod: 'DAY' };
    expect(await admin.status('POST', `${base}/llm/count/token`, limit)).toBe(200);
    const seen = (await admin.get(`${base}/llm/count/token?model=m`)).body;
    expect(seen).toMatchObject({ integrationName: 'count', ...limit });
    const history = (await admin.get(`${base}/llm/count/token/history`)).body;
    expect(history).toMatchObject([{ integrationName: 'count', api: 'm', totalTokens: 42 }]);
    expect(history[0].periodStart % 86_400_000).toBe(0);
    expect(await admin.status('GET', `${base}/llm/count/token/history?lookUpWindow=0`)).toBe(400);
    await admin.delete(`${base}/provider/count`);
    await admin.post(`${base}/provider/count`, openai);
    await admin.post(model, {});
    expect((await admin.get(`${model}/metrics`)).body).toBe(0);
    await admin.delete(`${base}/provider/count`);
  });

  it('have kinds that an administrator adds, and take events', async () => {
    const kind = { name: 'own_kind', category: 'API', configuration: [] };
    expect(await admin.status('POST', `${base}/def/register`, [kind])).toBe(200);
    // Its category is that of providers of the type.
    await admin.post(`${base}/provider/of-kind`, { type: kind.name });
    expect((await admin.get(`${base}/provider/of-kind`)).body.category).toBe(kind.category);
    await admin.delete(`${base}/provider/of-kind`);
    expect((await admin.get(`${base}/def/own_kind`)).body).toEqual(kind);
    expect((await admin.get(`${base}/def/openai`)).body).toMatchObject({ category: 'AI_MODEL' });
    expect(await admin.status('GET', `${base}/def/none`)).toBe(404);
    const event = { id: 'e', eventType: 'SEND', createdAt: 1 };
    expect(await admin.status('POST', `${base}/eventStats/kafka`, [event])).toBe(200);
  });

  it('may be as many as the setting says', async () => {
    const many = Array.from({ length: 13 }, (_, index) => ({ name: `n${index}`, ...openai }));
    const answer = await admin.post(`${base}/`, many);
    expect([answer.status, answer.text]).toEqual([409, expect.stringMatching(/integrationsMax/)]);
    for (const { name } of many) await admin.delete(`${base}/provider/${name}`);
  });

  it('belong to who creates them; a right on the provider reaches its models', async () => {
    const { secured } = server;
    const maker = await secured.user('maker@x', ['USER']);
    const other = await secured.user('other@x', ['USER']);
    const worker = await secured.application('worker', ['WORKER']);
    const provider = `${base}/provider/owned`;
    expect(await secured.nobody.status('GET', base)).toBe(401);
    expect(await worker.status('POST', provider, openai)).toBe(403);
    expect(await worker.status('POST', `${base}/def/register`, [])).toBe(403);
    expect(await worker.status('POST', `${base}/eventStats/x`, [])).toBe(403);
    expect(await maker.status('POST', provider, openai)).toBe(200);
    expect(await maker.status('POST', `${provider}/integration/m`, {})).toBe(200);
    expect(await other.status('POST', provider, openai)).toBe(403);
    expect(await other.status('POST', `${provider}/integration/m`, {})).toBe(403);
    expect(await other.status('GET', provider)).toBe(403);
    expect(await other.status('GET', `${provider}/integration/m`)).toBe(403);
    expect(await other.status('GET', `${provider}/integration/m/tags`)).toBe(403);
    expect(await other.status('GET', `${provider}/integration/m/metrics`)).toBe(403);
    expect(await other.status('DELETE', `${provider}/integration/m`)).toBe(403);
    expect(await other.status('DELETE', provider)).toBe(403);
    expect((await other.get(`${base}/all`)).body).toEqual([]);
    await secured.grant(other, 'INTEGRATION_PROVIDER', 'owned', ['READ']);
    expect((await other.get(`${base}/all`)).body).toEqual(['owned:m']);
    expect(await other.status('GET', `${provider}/integration/m`)).toBe(200);
    expect(await other.status('DELETE', `${provider}/integration/m`)).toBe(403);
    expect(await maker.status('DELETE', provider)).toBe(200);
  });
});
