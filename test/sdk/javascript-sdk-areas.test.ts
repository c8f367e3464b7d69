// The JavaScript SDK's clients of prompts, integrations, schemas, services and forms, with
// authentication on.
import {
  OrkesClients,
  type IntegrationUpdate,
  type SchemaDef,
  type ServiceRegistry,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SdkSession } from './sdk-session.js';

let sdk: SdkSession;
let clients: OrkesClients;
beforeAll(async () => {
  sdk = await SdkSession.open();
  clients = new OrkesClients(sdk.client);
});
afterAll(() => sdk?.close());

const tag = { key: 'team', value: 'js' };

it('manage integrations, their models and prompts', async () => {
  const integrations = clients.getIntegrationClient();
  const prompts = clients.getPromptClient();
  const update = { category: 'AI_MODEL', type: 'openai', configuration: { api_key: 'js key' } };
  await integrations.saveIntegrationProvider('js_ai', { ...update, enabled: true } as never);
  const provider = await integrations.getIntegrationProvider('js_ai');
  expect(provider).toMatchObject({ name: 'js_ai', type: 'openai', enabled: true });
  expect(JSON.stringify(provider)).not.toContain('js key');
  const model = { description: 'a model', enabled: true } as IntegrationUpdate;
  await integrations.saveIntegrationApi('js_ai', 'model-1', model);
  expect(await integrations.getIntegrationApi('js_ai', 'model-1')).toMatchObject({
    ...{ integrationName: 'js_ai', api: 'model-1' },
  });
  expect(await integrations.getIntegrationApis('js_ai')).toHaveLength(1);
  expect(await integrations.getIntegrations('AI_MODEL', true)).toHaveLength(1);
  expect(await integrations.getIntegrationProviders()).toHaveLength(1);
  const kinds = await integrations.getIntegrationProviderDefs();
  expect(kinds.map(({ type }) => type)).toContain('openai');
  expect(await integrations.getProvidersAndIntegrations()).toContain('js_ai:model-1');
  expect(await integrations.getIntegrationAvailableApis('js_ai')).toEqual(expect.any(Array));

  await prompts.savePrompt('js_prompt', 'of the SDK', 'Hello ${name}, "you"', ['js_ai:model-1']);
  await prompts.updatePrompt('js_prompt', 'changed', 'Bye ${name}');
  expect(await prompts.getPrompt('js_prompt')).toMatchObject({
    ...{ name: 'js_prompt', template: 'Bye ${name}', variables: ['name'] },
  });
  expect(await prompts.getPrompts()).toHaveLength(1);
  await prompts.setPromptTags('js_prompt', [tag]);
  expect(await prompts.getPromptTags('js_prompt')).toEqual([tag]);
  await prompts.deletePromptTags('js_prompt', [tag]);
  await integrations.associatePromptWithIntegration('js_ai', 'model-1', 'js_prompt');
  expect(await integrations.getPromptsWithIntegration('js_ai', 'model-1')).toHaveLength(1);
  await integrations.setProviderTags('js_ai', [tag]);
  expect(await integrations.getProviderTags('js_ai')).toEqual([tag]);
  await integrations.deleteProviderTags('js_ai', [tag]);
  await integrations.setIntegrationTags('js_ai', 'model-1', [tag]);
  expect(await integrations.getIntegrationTags('js_ai', 'model-1')).toEqual([tag]);
  await integrations.deleteIntegrationTags('js_ai', 'model-1', [tag]);

  await prompts.deletePrompt('js_prompt');
  expect(await sdk.refused(() => prompts.getPrompt('js_prompt'))).toBe('404');
  await integrations.deleteIntegrationApi('js_ai', 'model-1');
  await integrations.deleteIntegrationProvider('js_ai');
  expect(await sdk.refused(() => integrations.getIntegrationProvider('js_ai'))).toBe('404');
});

it('manage schemas', async () => {
  const schemas = clients.getSchemaClient();
  const schema: SchemaDef = {
    name: 'js_schema',
    version: 1,
    type: 'JSON',
    data: { type: 'object' },
  };
  await schemas.registerSchema([schema, { ...schema, version: 2 }]);
  expect(await schemas.getSchema('js_schema', 1)).toMatchObject(schema);
  expect(await schemas.getSchemaByName('js_schema')).toMatchObject({ version: 2 });
  await schemas.registerSchema([schema], true);
  expect(await schemas.getSchemaByName('js_schema')).toMatchObject({ version: 3 });
  const all = await schemas.getAllSchemas();
  expect(all.map(({ name }) => name)).toContain('js_schema');
  await schemas.deleteSchema('js_schema', 3);
  expect(await sdk.refused(() => schemas.getSchema('js_schema', 3))).toBe('404');
  await schemas.deleteSchemaByName('js_schema');
  expect(await sdk.refused(() => schemas.getSchemaByName('js_schema'))).toBe('404');
});

it('manage remote services', async () => {
  const services = clients.getServiceRegistryClient();
  const service = { name: 'js_service', type: 'HTTP', serviceURI: 'http://127.0.0.1:9/api-docs' };
  await services.addOrUpdateService(service as ServiceRegistry);
  expect(await services.getService('js_service')).toMatchObject(service);
  expect(await services.getService('js_no_service')).toBeUndefined();
  const method = { operationName: 'look', methodName: '/look', methodType: 'GET' };
  const types = { inputType: '', outputType: '' };
  await services.addOrUpdateServiceMethod('js_service', { ...method, ...types } as never);
  const read = await services.getService('js_service');
  expect(read?.methods).toMatchObject([method]);
  const status = await services.getCircuitBreakerStatus('js_service');
  expect(status.currentState).toBe('NOT_FOUND');
  expect(await sdk.refused(() => services.openCircuitBreaker('js_service'))).toBe('404');
  const proto = new Blob(['syntax = "proto3";']);
  await services.setProtoData('js_service', 'one.proto', proto);
  expect(await (await services.getProtoData('js_service', 'one.proto')).text()).toContain('proto3');
  expect(await services.getAllProtos('js_service')).toMatchObject([{ filename: 'one.proto' }]);
  await services.deleteProto('js_service', 'one.proto');
  await services.removeMethod('js_service', '', '/look', 'GET');
  expect(await services.getRegisteredServices()).toHaveLength(1);
  await services.removeService('js_service');
  expect(await services.getRegisteredServices()).toEqual([]);
});

it('were refused nothing that no test expected', () => {
  expect(sdk.refusals).toEqual([]);
});
