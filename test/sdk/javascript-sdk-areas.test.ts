// The JavaScript SDK's clients of prompts, integrations, schemas, services and forms, with
// authentication on.
import {
  OrkesClients,
  type IntegrationUpdate,
  type SchemaDef,
  type ServiceRegistry,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedSecuredServer } from '../support/shared-server.js';
import { SdkSession } from './sdk-session.js';

const server = sharedSecuredServer(import.meta.url);
let sdk: SdkSession;
let clients: OrkesClients;
beforeAll(async () => {
  sdk = await SdkSession.open(server);
  clients = new OrkesClients(sdk.client);
});
afterAll(() => sdk?.close());

const tag = { key: 'team', value: 'js' };
const named = (all: readonly { name?: string }[]): unknown[] => all.map(({ name }) => name);

it('manage integrations, their models and prompts', async () => {
  const integrations = clients.getIntegrationClient();
  const prompts = clients.getPromptClient();
  const update = { category: 'AI_MODEL', type: 'openai', configuration: { api_key: 'js key' } };
  await integrations.saveIntegrationProvider('javascript_sdk_areas_ai', {
    ...update,
    enabled: true,
  } as never);
  const provider = await integrations.getIntegrationProvider('javascript_sdk_areas_ai');
  expect(provider).toMatchObject({
    name: 'javascript_sdk_areas_ai',
    type: 'openai',
    enabled: true,
  });
  expect(JSON.stringify(provider)).not.toContain('js key');
  const model = { description: 'a model', enabled: true } as IntegrationUpdate;
  await integrations.saveIntegrationApi('javascript_sdk_areas_ai', 'model-1', model);
  expect(await integrations.getIntegrationApi('javascript_sdk_areas_ai', 'model-1')).toMatchObject({
    ...{ integrationName: 'javascript_sdk_areas_ai', api: 'model-1' },
  });
  expect(await integrations.getIntegrationApis('javascript_sdk_areas_ai')).toHaveLength(1);
  expect(named(await integrations.getIntegrations('AI_MODEL', true))).toContain(
    'javascript_sdk_areas_ai',
  );
  expect(named(await integrations.getIntegrationProviders())).toContain('javascript_sdk_areas_ai');
  const kinds = await integrations.getIntegrationProviderDefs();
  expect(kinds.map(({ type }) => type)).toContain('openai');
  expect(await integrations.getProvidersAndIntegrations()).toContain(
    'javascript_sdk_areas_ai:model-1',
  );
  expect(await integrations.getIntegrationAvailableApis('javascript_sdk_areas_ai')).toEqual(
    expect.any(Array),
  );

  await prompts.savePrompt('javascript_sdk_areas_prompt', 'of the SDK', 'Hello ${name}, "you"', [
    'javascript_sdk_areas_ai:model-1',
  ]);
  await prompts.updatePrompt('javascript_sdk_areas_prompt', 'changed', 'Bye ${name}');
  expect(await prompts.getPrompt('javascript_sdk_areas_prompt')).toMatchObject({
    ...{ name: 'javascript_sdk_areas_prompt', template: 'Bye ${name}', variables: ['name'] },
  });
  expect(named(await prompts.getPrompts())).toContain('javascript_sdk_areas_prompt');
  await prompts.setPromptTags('javascript_sdk_areas_prompt', [tag]);
  expect(await prompts.getPromptTags('javascript_sdk_areas_prompt')).toEqual([tag]);
  await prompts.deletePromptTags('javascript_sdk_areas_prompt', [tag]);
  await integrations.associatePromptWithIntegration(
    'javascript_sdk_areas_ai',
    'model-1',
    'javascript_sdk_areas_prompt',
  );
  expect(
    await integrations.getPromptsWithIntegration('javascript_sdk_areas_ai', 'model-1'),
  ).toHaveLength(1);
  await integrations.setProviderTags('javascript_sdk_areas_ai', [tag]);
  expect(await integrations.getProviderTags('javascript_sdk_areas_ai')).toEqual([tag]);
  await integrations.deleteProviderTags('javascript_sdk_areas_ai', [tag]);
  await integrations.setIntegrationTags('javascript_sdk_areas_ai', 'model-1', [tag]);
  expect(await integrations.getIntegrationTags('javascript_sdk_areas_ai', 'model-1')).toEqual([
    tag,
  ]);
  await integrations.deleteIntegrationTags('javascript_sdk_areas_ai', 'model-1', [tag]);

  await prompts.deletePrompt('javascript_sdk_areas_prompt');
  expect(await sdk.refused(() => prompts.getPrompt('javascript_sdk_areas_prompt'))).toBe('404');
  await integrations.deleteIntegrationApi('javascript_sdk_areas_ai', 'model-1');
  await integrations.deleteIntegrationProvider('javascript_sdk_areas_ai');
  expect(
    await sdk.refused(() => integrations.getIntegrationProvider('javascript_sdk_areas_ai')),
  ).toBe('404');
});

it('manage schemas', async () => {
  const schemas = clients.getSchemaClient();
  const schema: SchemaDef = {
    name: 'javascript_sdk_areas_schema',
    version: 1,
    type: 'JSON',
    data: { type: 'object' },
  };
  await schemas.registerSchema([schema, { ...schema, version: 2 }]);
  expect(await schemas.getSchema('javascript_sdk_areas_schema', 1)).toMatchObject(schema);
  expect(await schemas.getSchemaByName('javascript_sdk_areas_schema')).toMatchObject({
    version: 2,
  });
  await schemas.registerSchema([schema], true);
  expect(await schemas.getSchemaByName('javascript_sdk_areas_schema')).toMatchObject({
    version: 3,
  });
  const all = await schemas.getAllSchemas();
  expect(all.map(({ name }) => name)).toContain('javascript_sdk_areas_schema');
  await schemas.deleteSchema('javascript_sdk_areas_schema', 3);
  expect(await sdk.refused(() => schemas.getSchema('javascript_sdk_areas_schema', 3))).toBe('404');
  await schemas.deleteSchemaByName('javascript_sdk_areas_schema');
  expect(await sdk.refused(() => schemas.getSchemaByName('javascript_sdk_areas_schema'))).toBe(
    '404',
  );
});

it('manage remote services', async () => {
  const services = clients.getServiceRegistryClient();
  const service = {
    name: 'javascript_sdk_areas_service',
    type: 'HTTP',
    serviceURI: 'http://127.0.0.1:9/api-docs',
  };
  await services.addOrUpdateService(service as ServiceRegistry);
  expect(await services.getService('javascript_sdk_areas_service')).toMatchObject(service);
  expect(await services.getService('javascript_sdk_areas_no_service')).toBeUndefined();
  const method = { operationName: 'look', methodName: '/look', methodType: 'GET' };
  const types = { inputType: '', outputType: '' };
  await services.addOrUpdateServiceMethod('javascript_sdk_areas_service', {
    ...method,
    ...types,
  } as never);
  const read = await services.getService('javascript_sdk_areas_service');
  expect(read?.methods).toMatchObject([method]);
  const status = await services.getCircuitBreakerStatus('javascript_sdk_areas_service');
  expect(status.currentState).toBe('NOT_FOUND');
  expect(await sdk.refused(() => services.openCircuitBreaker('javascript_sdk_areas_service'))).toBe(
    '404',
  );
  const proto = new Blob(['syntax = "proto3";']);
  await services.setProtoData('javascript_sdk_areas_service', 'one.proto', proto);
  expect(
    await (await services.getProtoData('javascript_sdk_areas_service', 'one.proto')).text(),
  ).toContain('proto3');
  expect(await services.getAllProtos('javascript_sdk_areas_service')).toMatchObject([
    { filename: 'one.proto' },
  ]);
  await services.deleteProto('javascript_sdk_areas_service', 'one.proto');
  await services.removeMethod('javascript_sdk_areas_service', '', '/look', 'GET');
  expect(named(await services.getRegisteredServices())).toContain('javascript_sdk_areas_service');
  await services.removeService('javascript_sdk_areas_service');
  expect(named(await services.getRegisteredServices())).not.toContain(
    'javascript_sdk_areas_service',
  );
});

it('were refused nothing that no test expected', () => {
  expect(sdk.refusals).toEqual([]);
});
